#!/usr/bin/env python3
"""vmaf-tune on various sources and out-of-step files, and the format of its output.

  formats_test.py VMAF_TUNE VMAF CLIPGEN SCHEMAS
"""
import json
import os
import shutil
import subprocess
import unittest

import tune_case

TUNE, VMAF, CLIPGEN, SCHEMAS = tune_case.take_programs("tune", "vmaf", "clipgen", "schemas")
QUIET = tune_case.FFMPEG


class Formats(tune_case.TuneCase):
    FOLDER = "vmaf-tune-formats-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clip = cls.make_clip("clip.y4m", frames=36)

    def sample(self, source, *more, **options):
        run = self.tune("sample", "-i", source, "--preset", "ultrafast", "--crf", "30", "--score-scale", "none", "--json", *more, **options)
        return json.loads(run.stdout), run.stderr

    # Files that are out of step

    def test_late_and_early_files_are_refused_or_corrected(self):
        self.ffmpeg("-i", self.clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "24", "whole.mkv")
        self.ffmpeg("-i", self.clip, "-vf", "trim=start_frame=3,setpts=PTS-STARTPTS", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "24", "early.mkv")
        good = json.loads(self.tune("score", self.clip, "whole.mkv", "--score-scale", "none", "--format", "json").stdout)
        self.assertEqual(good["alignment_frames"], 0)
        run = self.tune("score", self.clip, "early.mkv", "--score-scale", "none", code=4)
        self.assertIn("'early.mkv' is 3 frames (0.125 s) early against the reference; use --align auto", run.stderr)
        run = self.tune("score", self.clip, "early.mkv", "--score-scale", "none", "--align", "auto", "--format", "json")
        fixed = json.loads(run.stdout)
        self.assertEqual((fixed["alignment_frames"], fixed["scored_frames"]), (-3, 33))
        self.assertAlmostEqual(fixed["global"]["vmaf"]["average"], good["global"]["vmaf"]["average"], delta=3)
        # In reverse, the distorted file has three extra frames at its start.
        run = self.tune("score", "early.mkv", self.clip, "--score-scale", "none", "--align", "auto", "--format", "json")
        self.assertEqual(json.loads(run.stdout)["alignment_frames"], 3)
        run = self.tune("score", self.clip, "early.mkv", "--score-scale", "none", "--align", "none", "--allow-short", "--format", "json")
        self.assertLess(json.loads(run.stdout)["global"]["vmaf"]["average"], fixed["global"]["vmaf"]["average"] - 20)

    def test_missing_frames_are_found(self):
        source = self.make_clip("long.y4m", frames=220)
        self.ffmpeg("-i", source, "-vf", "select='not(between(n,100,104))',setpts=N/FR/TB", "-c:v", "libx264", "-preset", "ultrafast", "gap.mkv")
        run = self.tune("score", source, "gap.mkv", "--score-scale", "none", "--allow-short", code=4)
        self.assertIn("frames are missing", run.stderr)

    def test_different_rates_and_sizes(self):
        self.ffmpeg("-i", self.clip, "-r", "12", "-c:v", "libx264", "-preset", "ultrafast", "slow.mkv")
        self.assertIn("24 frames/s, 'slow.mkv' 12", self.tune("score", self.clip, "slow.mkv", code=4).stderr)
        self.ffmpeg("-i", self.clip, "-s", "88x72", "-c:v", "libx264", "-preset", "ultrafast", "small.mkv")
        run = self.tune("score", self.clip, "small.mkv", "--score-scale", "none", code=4)
        self.assertIn("the reference is 176x144, the distorted video 88x72", run.stderr)
        run = self.tune("score", self.clip, "small.mkv", "--score-scale", "176x144", "--format", "json")
        self.assertEqual(json.loads(run.stdout)["score_scale"], "176x144:bicubic")

    def test_ranges_that_differ_are_converted_and_reported(self):
        self.ffmpeg("-i", self.clip, "-vf", "scale=in_range=tv:out_range=pc", "-color_range", "pc", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "full.mkv")
        self.ffmpeg("-i", self.clip, "-color_range", "tv", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "limited.mkv")
        run = self.tune("score", "limited.mkv", "full.mkv", "--score-scale", "none", "--format", "json")
        self.assertIn("the distorted video is converted", run.stderr)
        self.assertGreater(json.loads(run.stdout)["global"]["vmaf"]["average"], 95)

    # Sources

    def test_depths_and_chroma_formats_score_as_the_vmaf_command_does(self):
        for chroma, depth, encoder in (("420", 10, "libx265"), ("422", 8, "libx264"), ("444", 10, "libx264"), ("420", 10, "libsvtav1")):
            with self.subTest(f"{chroma} {depth} {encoder}"):
                clip = self.make_clip("f.y4m", chroma=chroma, depth=depth)
                kept = self.path("kept")
                output = self.path("one.jsonl")
                self.tune("corpus", "-i", clip, "-e", encoder, "--preset", "ultrafast", "--crf", "30", "--score-scale", "none", "--keep", "--work-dir", kept, "-o", output, "--overwrite", "--no-cache")
                row = json.loads(open(output).readline())
                self.check(row, "row")
                sizes = subprocess.check_output(["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", os.path.join(self.folder, row["encode_path"])], text=True).replace(",", "").split()
                self.assertEqual((row["encode_size_bytes"], row["encoded_frames"]), (sum(map(int, sizes)), len(sizes)))
                fmt = row["pix_fmt"] if depth > 8 else f"yuv{chroma}p"
                self.assertEqual(row["produced_pix_fmt"], fmt)
                for path, raw in ((row["encode_path"], "d.yuv"), (clip, "r.yuv")): self.ffmpeg("-i", os.path.join(self.folder, path), "-pix_fmt", fmt, "-f", "rawvideo", raw)
                subprocess.check_call([VMAF, "-r", "r.yuv", "-d", "d.yuv", "-w", "176", "-h", "144", "-p", chroma, "-b", str(depth), "-q", "--json", "--precision", "max", "-o", "o.json"], cwd=self.folder)
                self.assertAlmostEqual(row["score"], json.load(open(self.path("o.json")))["pooled_metrics"]["vmaf"]["mean"], places=9)

    def test_variable_frame_rate_is_kept_frame_by_frame(self):
        self.ffmpeg("-i", self.clip, "-vf", "select='not(eq(mod(n,5),2))'", "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "vfr.mkv")
        row, errors = self.sample("vfr.mkv")
        self.assertTrue(row["vfr"])
        self.assertEqual((row["encoded_frames"], row["scored_frames"]), (29, 29))
        self.assertIn("variable frame rate", errors)

    def test_raw_files_odd_sizes_and_strange_names(self):
        self.ffmpeg("-i", self.clip, "-pix_fmt", "yuv420p", "-f", "rawvideo", "file:-- %d it's:raw.yuv")
        row, _ = self.sample("./-- %d it's:raw.yuv", "--width", "176", "--height", "144", "--framerate", "24")
        self.assertEqual(row["encoded_frames"], 36)
        run = self.tune("sample", "-i", "./-- %d it's:raw.yuv", "--width", "178", "--height", "144", "--crf", "30", code=2)
        self.assertIn("multiple", run.stderr)
        odd = self.make_clip("odd.y4m", size="175x143")
        self.assertIn("--odd crop", self.tune("sample", "-i", odd, "--crf", "30", code=2).stderr)
        row, _ = self.sample(odd, "--odd", "crop")
        self.assertEqual(row["scored_frames"], 12)
        run = self.tune("search", "-i", odd, "--preset", "ultrafast", "--score-scale", "none", "--target-vmaf", "20", "--min-q", "30", "--max-q", "30", "--odd", "crop", "--keyint", "6")
        self.assertTrue(run.stdout.splitlines()[-1].endswith("--crf 30 --keyint 6 --odd crop"), run.stdout)  # what the encode also needs

    def test_hdr_tags_reach_the_encode_and_the_row(self):
        clip = self.make_clip("h.y4m", depth=10)
        tags = ["-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_range", "tv"]
        self.ffmpeg("-i", clip, *tags, "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=none", "hdr.mkv")
        output = self.path("hdr.jsonl")
        self.tune("corpus", "-i", "hdr.mkv", "-e", "libx265", "--preset", "ultrafast", "--crf", "30", "--score-scale", "none", "--keep", "--work-dir", self.path("kept"), "-o", output)
        row = json.loads(open(output).readline())
        self.assertEqual((row["hdr_transfer"], row["hdr_primaries"], row["produced_pix_fmt"]), ("pq", "bt2020", "yuv420p10le"))
        told = json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-show_streams", "-of", "json", os.path.join(self.folder, row["encode_path"])]))["streams"][0]
        self.assertEqual((told["color_transfer"], told["color_primaries"]), ("smpte2084", "bt2020"))

    def test_hdr_that_the_user_states_is_in_the_encode(self):
        clip, output = self.make_clip("untagged.y4m", depth=10), self.path("stated.jsonl")
        self.tune("corpus", "-i", clip, "--preset", "ultrafast", "--crf", "30", "--hdr", "pq", "--score-scale", "none", "--keep", "--work-dir", self.path("stated"), "-o", output)
        row = json.loads(open(output).readline())
        told = json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-show_streams", "-of", "json", os.path.join(self.folder, row["encode_path"])]))["streams"][0]
        self.assertEqual((told["color_transfer"], told["color_primaries"], told["color_space"]), ("smpte2084", "bt2020", "bt2020nc"))

    def test_search_for_a_bitrate_finds_the_nearest(self):
        common = ("search", "-i", self.clip, "--preset", "ultrafast", "--q-step", "1", "--score-scale", "none", "--json")
        run = self.tune(*common, "--target-bitrate", "150")
        result = json.loads(run.stdout.splitlines()[-1])
        self.check(result, "search-result")
        near = {p["q"]: abs(p["bitrate_kbps"] - 150) for p in result["probes"]}
        self.assertEqual(near[result["q"]], min(near.values()))
        self.assertTrue(result["q"] + 1 in near or result["q"] - 1 in near)  # a neighbour was probed
        self.assertIn("exclude each other", self.tune(*common, "--target-bitrate", "150", "--target-vmaf", "90", code=2).stderr)

    def test_older_flags_are_understood(self):
        clip = self.make_clip("o.y4m", depth=10)
        run = self.tune("sample", "-i", clip, "-e", "libx265", "--crf", "30", "--force-hdr-pq", "--max-workers", "1", "--no-resolution-aware", "--dry-run")
        self.assertIn("-color_trc smpte2084", run.stdout)
        self.assertNotIn("smpte2084", self.tune("sample", "--src", clip, "-e", "libx265", "--crf", "30", "--force-sdr", "--no-parallel", "--dry-run").stdout)

    def test_film_grain_is_left_out_of_the_score_unless_kept(self):
        arguments = ("-e", "libsvtav1", "--enc", "svtav1-params=film-grain=50:film-grain-denoise=0")
        drop, keep = (self.sample(self.clip, *arguments, "--film-grain", how)[0]["score"] for how in ("drop", "keep"))
        self.assertGreater(drop, keep + 1)

    def test_formats_that_an_encoder_changes_are_reported(self):
        clip = self.make_clip("c444.y4m", chroma="444")
        row, errors = self.sample(clip, "-e", "libsvtav1", "--out-pix-fmt", "yuv420p10le")
        self.assertEqual(row["produced_pix_fmt"], "yuv420p10le")
        self.assertEqual(row["exit_status"], 0)

    # Output

    def test_outputs_follow_their_schemas(self):
        run = self.tune("search", "-i", self.clip, "--preset", "ultrafast", "--target-vmaf", "85", "--q-step", "1", "--score-scale", "none", "--json", "--progress", "json")
        *probes, result = map(json.loads, run.stdout.splitlines())
        self.check(result, "search-result")
        self.assertEqual([p["type"] for p in probes], ["probe"] * len(result["probes"]))
        events = [json.loads(line) for line in run.stderr.splitlines()]
        for event in events: self.check(event, "progress")
        self.assertEqual([events[0]["type"], events[-1]["type"], events[-1]["exit_code"]], ["start", "end", 0])
        self.assertEqual(sum(e["type"] == "probe" for e in events), len(probes))
        run = self.tune("search", "-i", "nosuch.mkv", "--target-vmaf", "85", "--progress", "json", code=2)
        self.assertEqual([json.loads(line)["type"] for line in run.stderr.splitlines() if line.startswith("{")][-2:], ["error", "end"])
        self.tune("corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--crf", "40", "--score-scale", "none", "-o", "rows.jsonl", "--frames", "frames.jsonl", "--jobs", "2")
        for line in open(self.path("rows.jsonl")): self.check(json.loads(line), "row")
        for line in open(self.path("frames.jsonl")): self.check(json.loads(line), "frames")
        common = ("-i", self.clip, "--preset", "ultrafast", "--score-scale", "none")
        self.check(json.loads(self.tune("compare", "-i", self.clip, "--score-scale", "none", "--encoders", "libx264:ultrafast", "--target-vmaf", "85", "--format", "json").stdout), "compare")
        self.check(json.loads(self.tune("ladder", *common, "--resolutions", "176x144", "--target-vmafs", "85").stdout), "ladder")
        self.check(json.loads(self.tune("per-shot", *common, "--target-vmaf", "85").stdout), "plan")
        self.check(json.loads(self.tune("doctor", "--json").stdout), "doctor")
        self.ffmpeg("-i", self.clip, "-c:v", "libx264", "-preset", "ultrafast", "s.mkv")
        self.check(json.loads(self.tune("score", self.clip, "s.mkv", "--score-scale", "none", "--metrics", "vmaf,psnr", "--format", "json").stdout), "score")

    def test_configuration_environment_and_log(self):
        with open(self.path("tune.conf"), "w") as file: file.write("# ours\nencoder = libx265\npreset = ultrafast\nscore-scale = none\njson = true\n")
        common = ("-i", self.clip, "--crf", "34", "--config", "tune.conf", "--log", "run.log")
        row = json.loads(self.tune("sample", *common).stdout)
        self.assertEqual((row["encoder"], row["preset"]), ("libx265", "ultrafast"))
        row = json.loads(self.tune("sample", *common, env={"VMAF_TUNE_ENCODER": "libx264"}).stdout)
        self.assertEqual(row["encoder"], "libx264")
        row = json.loads(self.tune("sample", *common, "-e", "libx264", "--preset", "superfast", env={"VMAF_TUNE_ENCODER": "libx265"}).stdout)
        self.assertEqual((row["encoder"], row["preset"]), ("libx264", "superfast"))
        log = open(self.path("run.log")).read()
        self.assertIn("+ " + shutil.which("ffmpeg"), log)
        self.assertIn("-crf 34", log)
        with open(self.path("bad.conf"), "w") as file: file.write("no-such-flag = 1\n")
        self.assertIn("no command has a flag --no-such-flag", self.tune("sample", "-i", self.clip, "--crf", "34", "--config", "bad.conf", code=2).stderr)

    def test_scenes_are_sampled(self):
        parts = []
        for i, scene in enumerate(("street", "gradient", "cut", "noise")):
            name = f"p{i}.y4m"
            if subprocess.call([CLIPGEN, "--size", "176x144", "--frames", "60", "--format", "420", "--depth", "8", "--scene", scene, self.path(name)], stderr=subprocess.DEVNULL) == 0: parts.append(name)
        with open(self.path("list.txt"), "w") as file: file.writelines(f"file '{p}'\n" for p in parts)
        self.ffmpeg("-f", "concat", "-i", "list.txt", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-g", "12", "film.mkv")
        row, _ = self.sample("film.mkv", "--sample-mode", "scenes", "--samples", "2", "--sample-duration", "1")
        self.assertEqual(row["clip_mode"], "scenes_2")
        self.assertEqual(len(row["samples"]), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
