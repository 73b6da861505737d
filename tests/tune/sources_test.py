#!/usr/bin/env python3
"""vmaf-tune on real-world sources: rotated, cropped, with non-square samples, interlaced.

  sources_test.py VMAF_TUNE CLIPGEN
"""
import json
import os
import struct
import subprocess
import unittest

import tune_case

TUNE, CLIPGEN = tune_case.take_programs("tune", "clipgen")
FFMPEG = tune_case.FFMPEG
LOSSLESS = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0"]


def with_clean_aperture(mp4, width, height, x, y):
    """The same file with a clap box in the sample entry of its only track; moov is at the end."""
    clap = struct.pack(">I4s8I", 40, b"clap", width, 1, height, 1, x & 0xFFFFFFFF, 1, y & 0xFFFFFFFF, 1)

    def grown(data, path):
        out, at = b"", 0
        while at + 8 <= len(data):
            size, name = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + size]
            if path and name == path[0]:
                head = {b"stsd": 8, b"avc1": 78}.get(name, 0)
                body = body[:head] + (grown(body[head:], path[1:]) if path[1:] else body[head:] + clap)
            out += struct.pack(">I4s", 8 + len(body), name) + body
            at += size
        return out
    return grown(mp4, [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1"])


def with_pixel_crop(mkv, left, top, right, bottom):
    """The same Matroska stream with PixelCrop elements in its only track."""
    crop = b"".join(bytes.fromhex(i) + b"\x81" + bytes([v]) for i, v in (("54cc", left), ("54bb", top), ("54dd", right), ("54aa", bottom)))

    def number(data, at, keep):
        length = 9 - data[at].bit_length()
        value = int.from_bytes(data[at:at + length], "big")
        return (value if keep else value & ((1 << 7 * length) - 1)), at + length, length

    def grown(data, path):
        out, at = b"", 0
        while at < len(data):
            start = at
            identifier, at, _ = number(data, at, True)
            size, after, length = number(data, at, False)
            is_open = size == (1 << 7 * length) - 1
            body = data[after:] if is_open else data[after:after + size]
            if path and identifier == path[0]:
                body = grown(body, path[1:]) if path[1:] else body + crop
                out += data[start:at] + (b"\x01" + b"\xff" * 7 if is_open else (len(body) | 1 << 56).to_bytes(8, "big")) + body
                path = path if identifier == 0x18538067 else []
            else:
                out += data[start:after] + body
            at = after + (len(data) - after if is_open else size)
        return out
    return grown(mkv, [0x18538067, 0x1654AE6B, 0xAE, 0xE0])


class Sources(tune_case.TuneCase):
    FOLDER = "vmaf-tune-sources-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_clip("clip.y4m", "192x112", 18)

    def sample(self, source, *more, crf="30"):
        return json.loads(self.tune("sample", "-i", source, "--preset", "ultrafast", "--crf", crf, "--score-scale", "none", "--json", *more).stdout)

    def shape(self, name):
        stream = json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_streams", "-of", "json", self.path(name)]))["streams"][0]
        turned = [s["rotation"] for s in stream.get("side_data_list", []) if "rotation" in s]
        return stream["width"], stream["height"], stream.get("sample_aspect_ratio", "1:1"), turned

    def same_as(self, upright, source, *more):
        """A source scores like a file with the pictures that it shows."""
        want, got = self.sample(upright, *more), self.sample(source, *more)
        self.assertEqual((got["width"], got["height"], got["scored_frames"]), (want["width"], want["height"], want["scored_frames"]))
        self.assertAlmostEqual(got["score"], want["score"], places=6)
        self.assertEqual(got["encode_size_bytes"], want["encode_size_bytes"])
        return got

    # Encodes and scores what a player shows

    def test_turned_sources_are_tuned_as_they_are_shown(self):
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "upright.mkv")
        for turn, angle in (("transpose=cclock", 270), ("transpose=clock", 90), ("hflip,vflip", 180)):
            self.ffmpeg("-i", "clip.y4m", "-vf", turn, *LOSSLESS, "stored.mp4")
            try: self.ffmpeg("-display_rotation", str(angle), "-i", "stored.mp4", "-c", "copy", "phone.mp4")
            except subprocess.CalledProcessError:  # before FFmpeg 6
                self.ffmpeg("-i", "stored.mp4", "-c", "copy", "-metadata:s:v", f"rotate={angle}", "phone.mp4")
            self.same_as("upright.mkv", "phone.mp4")
        # Samples are copies without the tag; finished files do not need it.
        piece = ("--samples", "1", "--sample-duration", "0.25")
        self.assertAlmostEqual(self.sample("phone.mp4", *piece)["score"], self.sample("upright.mkv", *piece)["score"], places=6)
        self.tune("encode", "-i", "phone.mp4", "--preset", "ultrafast", "--crf", "30", "-o", "finished.mp4", "--verify-score")
        self.assertEqual(self.shape("finished.mp4")[:2], (192, 112))
        self.assertIn(self.shape("finished.mp4")[3], ([], [0]))
        result = json.loads(self.tune("score", "clip.y4m", "phone.mp4", "--score-scale", "none", "--format", "json").stdout)
        self.assertGreater(result["global"]["vmaf"]["min"], 95)

    def test_levels_stay_what_they_are(self):
        # Phones and cameras record full range; so do gray and RGB.
        for name, chain, encoder in (("phone", "scale=out_range=pc,format=yuvj420p", ("mjpeg", "-q:v", "2")), ("tagged", "scale=out_range=pc,format=yuv420p", ("ffv1", "-color_range", "pc")),
                                     ("gray", "format=gray", ("ffv1",)), ("rgb", "format=gbrp", ("ffv1",))):
            self.ffmpeg("-i", "clip.y4m", "-vf", chain, "-frames:v", "3", "-c:v", *encoder, name + ".mkv")
            for more in (("--score-scale", "none"), ("--score-scale", "288x168"), ("--score-scale", "none", "--out-pix-fmt", "yuv420p10le")):
                row = json.loads(self.tune("sample", "-i", name + ".mkv", "--metric", "psnr", "--preset", "ultrafast", "--crf", "8", "--json", *more).stdout)
                self.assertGreater(row["score"], 42, (name, more))  # levels off by a seventh give 25

    def test_pipes_and_devices_are_refused(self):
        os.mkfifo(self.path("pipe.y4m"))
        for name in ("pipe.y4m", "/dev/null", "/dev/zero"):
            for command in (("search", "--target-vmaf", "80", "-i", name), ("score", "clip.y4m", name)):
                self.assertIn("is a pipe or a device", self.tune(*command, code=2, timeout=300).stderr)

    def test_what_is_lost_is_said(self):
        self.ffmpeg("-i", "clip.y4m", "-vf", "format=yuva420p", "-frames:v", "2", "-c:v", "ffv1", "glass.mkv")
        self.assertIn("is transparent in places", self.tune("sample", "-i", "glass.mkv", "--preset", "ultrafast", "--crf", "30", "--metric", "psnr").stderr)

    def test_a_source_whose_times_leave_out_everything(self):
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "whole.mp4")
        self.ffmpeg("-i", "whole.mp4", "-c", "copy", "-bsf:v", "setts=ts=PTS-30000", "-avoid_negative_ts", "disabled", "before.mp4")
        self.assertIn("no picture of the source", self.tune("search", "-i", "before.mp4", "--preset", "ultrafast", "--target-vmaf", "80", code=4).stdout)

    def test_samples_that_are_not_square_become_square_once(self):
        self.ffmpeg("-i", "clip.y4m", "-vf", "scale=144:112,setsar=4/3", *LOSSLESS, "narrow.mkv")
        self.ffmpeg("-i", "narrow.mkv", "-vf", "scale=192:112:flags=bicubic+accurate_rnd+full_chroma_int,setsar=1", *LOSSLESS, "square.mkv")
        row = self.same_as("square.mkv", "narrow.mkv")
        self.assertEqual(row["sar"], "4:3")
        self.tune("encode", "-i", "narrow.mkv", "--preset", "ultrafast", "--crf", "30", "-o", "square.mp4")
        self.assertEqual(self.shape("square.mp4"), (192, 112, "1:1", []))
        with open(self.path("narrow.y4m"), "wb") as file: file.write(open(self.path("clip.y4m"), "rb").read().replace(b" A1:1", b" A3:2", 1))
        self.assertEqual(self.sample("narrow.y4m")["width"], 288)

    def test_cropping_of_the_container_is_done(self):
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "whole.mp4")
        mp4 = with_clean_aperture(open(self.path("whole.mp4"), "rb").read(), 160, 96, 8, -4)
        with open(self.path("aperture.mp4"), "wb") as file: file.write(mp4)
        self.ffmpeg("-i", "clip.y4m", "-vf", "crop=160:96:24:4", *LOSSLESS, "cut.mkv")
        self.same_as("cut.mkv", "aperture.mp4")
        stream = subprocess.check_output([*FFMPEG, "-i", "whole.mp4", "-c", "copy", "-f", "matroska", "-"], cwd=self.folder)
        with open(self.path("pixels.mkv"), "wb") as file: file.write(with_pixel_crop(stream, 24, 4, 8, 12))
        self.same_as("cut.mkv", "pixels.mkv")

    def test_interlacing_is_reported_and_removed_on_request(self):
        self.ffmpeg("-i", "clip.y4m", "-vf", "tinterlace=interleave_top,setfield=tff", "-flags", "+ilme+ildct", "-x264-params", "tff=1", *LOSSLESS, "fields.mkv")
        self.ffmpeg("-i", "fields.mkv", "-vf", "bwdif=mode=send_frame", *LOSSLESS, "pictures.mkv")
        run = self.tune("sample", "-i", "fields.mkv", "--preset", "ultrafast", "--crf", "30", "--score-scale", "none")
        self.assertIn("is interlaced", run.stderr)
        self.assertIn("--deinterlace", run.stderr)
        self.same_as("pictures.mkv", "fields.mkv", "--deinterlace")
        self.assertNotEqual(self.sample("fields.mkv")["score"], self.sample("fields.mkv", "--deinterlace")["score"])

    # Defects of a source, and properties that cannot be kept

    def test_length_that_no_header_states_is_counted(self):
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "stated.mkv")
        with open(self.path("live.mkv"), "wb") as file: subprocess.check_call([*FFMPEG, "-i", "stated.mkv", "-c", "copy", "-f", "matroska", "-"], cwd=self.folder, stdout=file)
        self.ffmpeg("-i", "stated.mkv", "-c", "copy", "bare.h264")
        stated = self.sample("stated.mkv")
        for name in ("live.mkv", "bare.h264"):
            row = self.sample(name)
            self.assertEqual(row["scored_frames"], stated["scored_frames"], name)
            self.assertGreater(row["bitrate_kbps"], 0, name)
        self.assertAlmostEqual(self.sample("live.mkv")["bitrate_kbps"], stated["bitrate_kbps"], delta=0.01 * stated["bitrate_kbps"])

    def test_sound_may_be_longer_than_the_video(self):
        self.ffmpeg("-i", "clip.y4m", "-f", "lavfi", "-i", "sine=duration=4", "-c:v", "ffv1", "-c:a", "flac", "long sound.mkv")
        answer = json.loads(self.tune("search", "-i", "long sound.mkv", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "4", "--target-vmaf", "80",
                                      "--json").stdout.splitlines()[-1])
        self.assertEqual(answer["status"], "ok", answer)

    def test_damaged_sources_are_refused_or_noted_in_the_answer(self):
        self.ffmpeg("-i", "clip.y4m", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "8", "-bf", "0", "good.mp4")
        data = bytearray(open(self.path("good.mp4"), "rb").read())
        for at in range(len(data) // 4, len(data) * 3 // 4, 5000): data[at:at + 24] = bytes((at * 7 + k * 31) % 256 for k in range(24))
        with open(self.path("bad.mp4"), "wb") as file: file.write(data)
        common = ("search", "-i", "bad.mp4", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "4", "--target-vmaf", "80", "--json")
        result = json.loads(self.tune(*common, code=4).stdout.splitlines()[-1])
        self.assertIn("the source is damaged; its decoder says", result["reason"])
        run = self.tune(*common, "--allow-damaged", "--best-effort")
        self.assertIn("the source is damaged", run.stderr)
        self.assertTrue(json.loads(run.stdout.splitlines()[-1])["damaged_source"])

    def test_container_that_cannot_hold_a_stream_is_refused_before_the_search(self):
        self.ffmpeg("-i", "clip.y4m", "-f", "lavfi", "-i", "sine=d=1", *LOSSLESS, "-c:a", "aac", "-shortest", "sound.mp4")
        run = self.tune("encode", "-i", "sound.mp4", "-e", "libsvtav1", "--preset", "ultrafast", "--target-vmaf", "80", "-o", "sound.webm", code=2, timeout=600)
        self.assertIn("'sound.webm' cannot hold the streams", run.stderr)
        self.assertIn("--audio-codec", run.stderr)
        self.assertNotIn("kbps", run.stderr)
        self.tune("encode", "-i", "sound.mp4", "-e", "libsvtav1", "--preset", "ultrafast", "--crf", "50", "--audio-codec", "libopus", "-o", "sound.webm")
        self.ffmpeg("-i", "clip.y4m", "-f", "lavfi", "-i", "sine=d=1", *LOSSLESS, "-c:a", "truehd", "-strict", "-2", "-shortest", "sound.mkv")
        self.assertRegex(self.tune("encode", "-i", "sound.mkv", "--preset", "ultrafast", "--crf", "50", "-o", "truehd.mp4", code=2).stderr, "cannot hold the streams .*truehd.* experimental")

    def test_covers_and_attachments_are_kept_or_reported(self):
        self.ffmpeg("-i", "clip.y4m", "-frames:v", "1", "-s", "64x64", "cover.png")
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "bare.mp4")
        self.ffmpeg("-i", "bare.mp4", "-i", "cover.png", "-map", "0:v", "-map", "1:v", "-c", "copy", "-disposition:v:1", "attached_pic", "covered.mp4")
        kinds = lambda name: [s["disposition"]["attached_pic"] for s in json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-show_streams", "-of", "json", self.path(name)]))["streams"]]
        common = ("--preset", "ultrafast", "--crf", "30", "-y")
        self.tune("encode", "-i", "covered.mp4", *common, "--vfilter", "hflip", "-o", "kept.mp4")
        self.assertEqual(kinds("kept.mp4"), [0, 1])
        self.assertIn("will not have the cover picture", self.tune("encode", "-i", "covered.mp4", *common, "-o", "kept.mkv").stderr)
        with open(self.path("font.ttf"), "wb") as file: file.write(bytes(200))
        self.ffmpeg("-i", "bare.mp4", "-c", "copy", "-attach", "font.ttf", "-metadata:s:t", "mimetype=application/x-truetype-font", "attached.mkv")
        self.assertIn("1 attached file (", self.tune("encode", "-i", "attached.mkv", *common, "-o", "attached.mp4").stderr)
        self.assertNotIn("will not have", self.tune("encode", "-i", "attached.mkv", *common, "-o", "again.mkv").stderr)
        self.ffmpeg("-i", "bare.mp4", "-i", "bare.mp4", "-map", "0:v", "-map", "1:v", "-c", "copy", "two.mkv")
        self.assertIn("will not have 1 other video stream", self.tune("encode", "-i", "two.mkv", *common, "-o", "one.mkv").stderr)

    def test_of_several_video_streams_the_default_or_largest_is_used(self):
        self.ffmpeg("-i", "clip.y4m", *LOSSLESS, "large.mp4")
        self.ffmpeg("-i", "clip.y4m", "-vf", "scale=64:64,setsar=1", *LOSSLESS, "little.mp4")
        width = lambda name: int(subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width", "-of", "csv=p=0", self.path(name)]))
        for default, expected in ((None, width("large.mp4")), (0, 64)):
            flags = [("-disposition:v:" + str(i), "default" if i == default else "0") for i in (0, 1)]
            self.ffmpeg("-i", "little.mp4", "-i", "large.mp4", "-map", "0:v", "-map", "1:v", "-c", "copy", *flags[0], *flags[1], "-y", "several.mkv")
            self.tune("encode", "-i", "several.mkv", "--preset", "ultrafast", "--crf", "30", "-y", "-o", "chosen.mkv")
            self.assertEqual(width("chosen.mkv"), expected, default)
        self.ffmpeg("-i", "little.mp4", "-frames:v", "5", *LOSSLESS, "short.mp4")
        self.ffmpeg("-i", "short.mp4", "-i", "large.mp4", "-map", "0:v", "-map", "1:v", "-c", "copy", "-y", "several.mkv")
        self.tune("score", "large.mp4", "several.mkv", "--score-scale", "none", "--no-cache")  # counts the frames of that stream

    def test_light_levels_in_the_stream_alone_are_kept(self):
        display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
        self.ffmpeg("-i", "clip.y4m", "-vf", "format=yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                    f"log-level=none:crf=10:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display={display}:max-cll=1000,400", "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "hdr.mkv")
        run = self.tune("encode", "-i", "hdr.mkv", "-e", "libx265", "--preset", "ultrafast", "--crf", "30", "-o", "light.mkv", "--dry-run")
        self.assertIn(f"master-display={display}", run.stdout)
        self.assertIn("max-cll=1000,400", run.stdout)
        self.assertIn("light levels", self.tune("sample", "-i", "hdr.mkv", "--preset", "ultrafast", "--crf", "40", "--score-scale", "none").stderr)

    def test_light_levels_reach_av1_in_its_own_units(self):
        display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
        self.ffmpeg("-i", "clip.y4m", "-frames:v", "8", "-vf", "format=yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                    f"log-level=none:crf=10:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display={display}:max-cll=1000,400", "hdr10.ts")
        self.tune("encode", "-i", "hdr10.ts", "-e", "libsvtav1", "--preset", "ultrafast", "--crf", "50", "-o", "av1.mkv")
        frames = json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-show_frames", "-read_intervals", "%+#1", "-of", "json", self.path("av1.mkv")]))["frames"]
        data = {d["side_data_type"]: d for d in frames[0]["side_data_list"]}
        mastering = {k: eval(v) for k, v in data["Mastering display metadata"].items() if "/" in str(v)}
        for key, value in {"red_x": 0.68, "green_y": 0.69, "blue_x": 0.15, "white_point_y": 0.329, "max_luminance": 1000, "min_luminance": 0.005}.items():
            self.assertAlmostEqual(mastering[key], value, delta=0.001 * max(1, value))
        self.assertEqual(data["Content light level metadata"]["max_content"], 1000)

    # Answers

    def test_answers_for_people(self):
        common = ("search", "-i", "clip.y4m", "-e", "x264", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "1")
        run = self.tune(*common, "--target", "80")
        sentence, scored, line, command = run.stdout.splitlines()
        self.assertRegex(sentence, r"^crf \d+ gives VMAF 8\d\.\d\d: [\d.]+ ?kB, [\d.]+ % of the source, \d+ kbps, about [\d.]+ s to encode\.$")
        self.assertRegex(scored, r"^scored: vmaf \(vmaf_v0.6.1\) at \d+x\d+; 8-bit 4:2:0; the whole source \(\d+ frames\)$")
        self.assertIn("encoder=libx264", line)
        self.assertTrue(command.startswith("vmaf-tune encode"))
        run = self.tune(*common, "--target", "vmaf>=80", "--target", "vmaf_neg>=80")
        self.assertRegex(run.stderr, r"\(misses (vmaf by \d+\.\d\d, )?vmaf_neg by \d+\.\d\d\)")
        self.assertRegex(run.stderr, r"crf \d+: vmaf [\d.]+, vmaf_neg [\d.]+, [\d.]+ kbps")
        self.assertRegex(run.stdout.splitlines()[0], r"^crf \d+ gives VMAF 8\d\.\d\d, vmaf_neg 8\d\.\d\d: ")
        row = json.loads(self.tune("sample", "-i", "clip.y4m", "--preset", "ultrafast", "--score-scale", "none", "--crf", "30", "--metrics", "vmaf_neg,vmaf,psnr", "--json").stdout)
        self.assertRegex(self.tune("sample", "-i", "clip.y4m", "--preset", "ultrafast", "--score-scale", "none", "--crf", "30", "--also", "vmaf_neg").stdout, r"vmaf=[\d.]+ vmaf_neg=[\d.]+ kbps=")
        self.assertEqual((row["metric"], sorted(row["scores"])), ("vmaf_neg", ["psnr", "vmaf", "vmaf_neg"]), row)
        self.ffmpeg("-i", "clip.y4m", "-c:v", "libx264", "-crf", "45", "tiny.mp4")
        self.assertIn("larger than the source", self.tune("search", "-i", "tiny.mp4", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "1", "--target", "97").stderr)

    def test_near_names_are_suggested(self):
        for words, hint in ((("-e", "h265"), "did you mean libx265?"), (("-e", "libx256"), "did you mean libx265?"), (("-e", "av1"), "did you mean libsvtav1?"),
                            (("--preset", "veryfst"), "did you mean veryfast?")):
            self.assertIn(hint, self.tune("search", "-i", "clip.y4m", "--target", "80", *words, code=2).stderr)

    def test_outputs_are_checked_and_reasons_are_the_encoders(self):
        for command in (("encode", "--target-vmaf", "80", "-o", "no/such/out.mkv"), ("search", "--target-vmaf", "80", "-o", "no/such/rows.jsonl"), ("corpus", "--crf", "30", "-o", "no/such/rows.jsonl"),
                        ("ladder", "-o", "no/such/x.json"), ("per-shot", "--target-vmaf", "80", "--plan-out", "no/such/plan.json"), ("compare", "-o", "no/such/x.md"), ("encode", "--target-vmaf", "80", "-y", "-o", ".")):
            run = self.tune(command[0], "-i", "clip.y4m", "--preset", "ultrafast", *command[1:], code=6)
            self.assertNotIn("kbps", run.stderr)
        run = self.tune("sample", "-i", "clip.y4m", "-e", "libsvtav1", "--preset", "ultrafast", "--crf", "40", "--enc", "svtav1-params=tune=9", code=4)
        self.assertRegex(run.stderr, r"(?i)tune")
        self.assertNotIn("Conversion failed", run.stderr)


if __name__ == "__main__":
    unittest.main()
