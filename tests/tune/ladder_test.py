#!/usr/bin/env python3
"""Ladders and shots of vmaf-tune as playable files: sound, bandwidths, time stamps, with real encoders on small generated clips.

  ladder_test.py VMAF_TUNE CLIPGEN
"""
import json
import os
import re
import subprocess
import unittest

import tune_case

TUNE, CLIPGEN = tune_case.take_programs("tune", "clipgen")
FFMPEG = tune_case.FFMPEG


def probe(path, entries, *more):
    return subprocess.check_output(["ffprobe", "-v", "error", *more, "-show_entries", entries, "-of", "csv=p=0", path], text=True).split()


class Ladder(tune_case.TuneCase):
    FOLDER = "vmaf-tune-ladder-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for scene in ("street", "cut"):
            cls.make_clip(f"{scene}.y4m", frames=24, scene=scene)
        make = lambda *words: subprocess.check_call([*FFMPEG, *words], cwd=cls.folder)
        make("-r", "12", "-i", "street.y4m", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "8", "-c:a", "aac", "sound.mkv")
        # Every fifth frame is missing: others are shown longer.
        make("-i", "street.y4m", "-i", "cut.y4m", "-filter_complex", "[0:v][1:v]concat=n=2,select='not(eq(mod(n,5),3))'", "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "8", "vfr.mkv")

    def tune(self, *arguments, cache="cache", code=0):
        return super().tune(*arguments, "--preset", "ultrafast", "--score-scale", "none", "--cache-dir", cache, code=code, env={"XDG_CACHE_HOME": self.path("jobs")})

    def ladder(self, *more, **options):
        return self.tune("ladder", "-i", "sound.mkv", "--resolutions", "176x144,88x72", "--target-vmafs", "85,50", "--q-step", "3", *more, **options)

    def segments(self, playlist):
        """Sizes and lengths of a media playlist's segments."""
        lengths = [float(x) for x in re.findall(r"#EXTINF:([\d.]+)", open(playlist).read())]
        names = [line for line in open(playlist).read().splitlines() if line and not line.startswith("#")]
        return [(os.path.getsize(os.path.join(os.path.dirname(playlist), name)), length) for name, length in zip(names, lengths, strict=True)]

    def test_hls_has_sound_and_bandwidths_of_its_segments(self):
        os.makedirs(self.path("hls"))
        self.ladder("--run", "--segment-seconds", "1", "--format", "hls", "-o", "hls/master.m3u8")
        master = open(self.path("hls/master.m3u8")).read()
        self.assertIn('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound"', master)
        peak = lambda name: max(8 * size / seconds for size, seconds in self.segments(self.path("hls", name)))
        mean = lambda name: 8 * sum(s for s, _ in self.segments(self.path("hls", name))) / sum(t for _, t in self.segments(self.path("hls", name)))
        streams = re.findall(r'BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=(\d+),RESOLUTION=(\d+x\d+).*CODECS="(avc1\.[0-9A-F]+),mp4a\.40\.2",AUDIO="sound"\n(\S+)', master)
        self.assertEqual(len(streams), 2)
        for bandwidth, average, size, _, name in streams:
            self.assertEqual(len(self.segments(self.path("hls", name))), 2)  # key frames at full seconds
            self.assertAlmostEqual(int(bandwidth), peak(name) + peak("sound.m3u8"), delta=1)
            self.assertAlmostEqual(int(average), mean(name) + mean("sound.m3u8"), delta=1)
            self.assertIn(size, name)
        self.assertEqual(set(probe(self.path("hls/master.m3u8"), "stream=codec_name")), {"h264", "aac"})
        self.assertEqual(set(probe(self.path("hls", streams[0][4]), "stream=nb_read_packets", "-count_packets")), {"24"})

    def test_a_rung_costs_few_encodes(self):
        self.ffmpeg("-i", "street.y4m", "-vf", "scale=264:216", "-c:v", "ffv1", "large.mkv")
        run = self.tune("ladder", "-i", "large.mkv", "--resolutions", "264x216,176x144,88x72", "--target-vmafs", "90,75,60", "-o", "few.json")
        rungs = json.load(open(self.path("few.json")))["renditions"]
        self.assertEqual(len(rungs), 3)
        self.assertLessEqual(len(re.findall("^.* kbps(?!.*cached)", run.stderr, re.M)), 6 * len(rungs), run.stderr)
        for rung, target in zip(rungs, (60, 75, 90)): self.assertGreaterEqual(rung["vmaf"], target)

    def test_dash_has_sound(self):
        os.makedirs(self.path("dash"))
        self.ladder("--run", "--format", "dash", "-o", "dash/film.mpd")
        manifest = open(self.path("dash/film.mpd")).read()
        self.assertIn('<AdaptationSet contentType="audio"', manifest)
        for name in re.findall("<BaseURL>(.*?)</BaseURL>", manifest):
            self.assertTrue(os.path.exists(self.path("dash", name)), name)
        self.assertEqual(probe(self.path("dash/sound.mp4"), "stream=codec_name"), ["aac"])
        for bandwidth, name in re.findall(r'bandwidth="(\d+)" width.*?<BaseURL>(.*?)</BaseURL>', manifest):
            packets = sum(map(int, probe(self.path("dash", name), "packet=size")))
            self.assertGreaterEqual(int(bandwidth) * 2, packets * 8 * 0.999)  # two seconds
        self.check_fragments(manifest)
        os.makedirs(self.path("mute"))
        self.ladder("--run", "--video-only", "--format", "dash", "-o", "mute/film.mpd")
        self.assertNotIn("audio", open(self.path("mute/film.mpd")).read())

    def check_fragments(self, manifest):
        """Files are fragmented, and the manifest has the offsets of their headers and indexes."""
        found = re.findall(r'<BaseURL>(.*?\.mp4)</BaseURL><SegmentBase timescale="\d+" indexRange="(\d+)-(\d+)"><Initialization range="0-(\d+)"/>', manifest)
        self.assertEqual(len(found), 3)
        for name, first, last, head in found:
            data = open(self.path("dash", name), "rb").read()
            boxes, at = [], 0
            while at < len(data):
                size = int.from_bytes(data[at:at + 4], "big")
                boxes.append((data[at + 4:at + 8].decode(), at, at + size - 1))
                at += size
            self.assertEqual([b[0] for b in boxes[:4]], ["ftyp", "moov", "sidx", "moof"], name)
            self.assertEqual((boxes[1][2], *boxes[2][1:]), (int(head), int(first), int(last)), name)

    def test_every_language_and_subtitle_is_shipped(self):
        os.makedirs(self.path("many"))
        with open(self.path("words.srt"), "w") as file: file.write("1\n00:00:00,500 --> 00:00:01,500\nHello\n")
        self.ffmpeg("-i", "sound.mkv", "-f", "lavfi", "-i", "sine=f=880:d=2", "-i", "words.srt", "-map", "0:v", "-map", "0:a", "-map", "1", "-map", "2", "-c:v", "copy", "-c:a", "aac", "-c:s", "srt",
                    "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger", "-metadata:s:a:1", "title=Kommentar", "-metadata:s:s:0", "language=fre", "many.mkv")
        for form, name, output in (("hls", "many/film.m3u8", "many"), ("dash", "many2/film.mpd", "many2")):
            os.makedirs(self.path(output), exist_ok=True)
            self.tune("ladder", "-i", "many.mkv", "--resolutions", "88x72", "--target-vmafs", "50", "--q-step", "3", "--run", "--segment-seconds", "1", "--format", form, "-o", name)
        master, manifest = open(self.path("many/film.m3u8")).read(), open(self.path("many2/film.mpd")).read()
        self.assertIn('TYPE=AUDIO,GROUP-ID="sound",NAME="en",LANGUAGE="en",DEFAULT=YES', master)
        self.assertIn('TYPE=AUDIO,GROUP-ID="sound",NAME="Kommentar",LANGUAGE="de",DEFAULT=NO', master)
        self.assertIn('TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="fr",LANGUAGE="fr"', master)
        self.assertIn('AUDIO="sound",SUBTITLES="subtitles"', master)
        self.assertIn("Hello", open(self.path("many/subtitles.vtt")).read())
        self.assertIn("subtitles.vtt", open(self.path("many/subtitles.m3u8")).read())
        self.assertRegex(manifest, r'(?s)contentType="audio".*lang="en".*contentType="audio".*lang="de".*mimeType="text/vtt" lang="fr"')

    def test_shots_keep_every_time_stamp(self):
        times = lambda name: sorted(float(t.rstrip(",")) for t in probe(self.path(name), "packet=pts_time", "-select_streams", "v"))
        for wrong in ("0,18\n20,38\n", "0,18\n19,39\n"):
            with open(self.path("wrong.csv"), "w") as file: file.write(wrong)
            self.tune("per-shot", "-i", "vfr.mkv", "--shots", "wrong.csv", code=2)
        with open(self.path("shots.csv"), "w") as file: file.write("0,18\n19,37\n")  # one frame remains
        run = self.tune("per-shot", "-i", "vfr.mkv", "--target-vmaf", "80", "--shots", "shots.csv", "--run", "-o", "joined.mkv", "--plan-out", "plan.json")
        self.assertIn("the last one goes on to the end", run.stderr)
        source, joined = times("vfr.mkv"), times("joined.mkv")
        self.assertEqual(len(joined), len(source))
        for a, b in zip(source, joined): self.assertAlmostEqual(a - source[0], b - joined[0], delta=0.0011)
        plan = json.load(open(self.path("plan.json")))
        self.assertTrue(any(s["crf"] != int(s["crf"]) for s in plan["shots"]))  # as fine as in a search
        self.assertAlmostEqual(plan["totals"]["duration_s"], source[-1] - source[0] + 1 / plan["framerate"], delta=0.01)
        self.assertAlmostEqual(plan["totals"]["predicted_size_bytes"], sum(map(int, probe(self.path("joined.mkv"), "packet=size"))), delta=200)

    def test_an_encode_of_a_variable_rate_is_scored_in_any_container(self):
        self.tune("encode", "-i", "vfr.mkv", "--crf", "30", "-o", "vfr.mp4")
        score = json.loads(subprocess.check_output([TUNE, "score", "vfr.mkv", "vfr.mp4", "--score-scale", "none", "--format", "json", "-q"], cwd=self.folder))
        self.assertEqual(score["scored_frames"], len(probe(self.path("vfr.mkv"), "packet=pts_time", "-select_streams", "v")))

    def test_shots_cost_at_most_one_percent_more_than_one_search(self):
        subprocess.check_call([*FFMPEG, "-i", "street.y4m", "-vf", "loop=2:24,scale=264:216,crop=176:144:n:n/2", "-frames:v", "72", "-c:v", "ffv1", "pan.mkv"], cwd=self.folder)
        plan = json.loads(self.tune("per-shot", "-i", "pan.mkv", "--target-vmaf", "85", "--min-shot", "4", "--max-shot", "1s").stdout)
        whole = json.loads(self.tune("search", "-i", "pan.mkv", "--target-vmaf", "85", "--json").stdout.splitlines()[-1])
        self.assertLessEqual(plan["totals"]["bitrate_kbps"], 1.01 * whole["bitrate_kbps"])


if __name__ == "__main__":
    unittest.main(warnings="ignore")
