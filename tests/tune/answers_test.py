#!/usr/bin/env python3
"""vmaf-tune's answers are true: metrics are measured at the stated size, and scores of different conditions are not mixed.

  answers_test.py VMAF_TUNE CLIPGEN SCHEMAS
"""
import json
import unittest

import tune_case

TUNE, CLIPGEN, SCHEMAS = tune_case.take_programs("tune", "clipgen", "schemas")
METRICS = "vmaf,psnr,ssim,ssimulacra2,xpsnr"


class Conditions(tune_case.TuneCase):
    """Scores and their conditions."""
    FOLDER = "vmaf-tune-answers-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clip = cls.make_clip("clip.y4m", frames=8)
        cls.ffmpeg("-i", "clip.y4m", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "32", "encode.mkv")

    def score(self, *more):
        return json.loads(self.tune("score", "clip.y4m", "encode.mkv", "--format", "json", *more).stdout)

    def corpus(self, name, *more):
        self.tune("corpus", "-i", "clip.y4m", "--preset", "ultrafast", "--crf", "24", "--crf", "34", "-o", name, "--overwrite", *more)
        return open(self.path(name)).read()

    def test_only_models_are_measured_at_their_viewing_size(self):
        together, plain = self.score("--metrics", METRICS), self.score("--metrics", METRICS, "--score-scale", "none")
        for metric in ("psnr", "ssim", "ssimulacra2", "xpsnr"):
            self.assertEqual(together["frames"][metric], plain["frames"][metric], metric)
            self.assertEqual(together["frames"][metric], self.score("--metrics", metric)["frames"][metric], metric)
        self.assertEqual(together["frames"]["vmaf"], self.score("--metrics", "vmaf")["frames"]["vmaf"])
        self.assertNotEqual(together["frames"]["vmaf"], plain["frames"]["vmaf"])
        sizes = {name: at["size"] for name, at in together["conditions"]["metrics"].items()}
        self.assertEqual(sizes, {"vmaf": "1320x1080", **dict.fromkeys(("psnr", "ssim", "ssimulacra2", "xpsnr"), "176x144")})
        asked = self.score("--metrics", "vmaf,psnr", "--score-scale", "352x288")
        self.assertEqual({at["size"] for at in asked["conditions"]["metrics"].values()}, {"352x288"})

    def test_answers_say_how_they_were_scored(self):
        line = r"scored: vmaf \(vmaf_v0\.6\.1\) at 1320x1080 scaled from 176x144 \(bicubic\); psnr at 176x144; 8-bit 4:2:0"
        self.assertRegex(self.tune("score", "clip.y4m", "encode.mkv", "--metrics", "vmaf,psnr").stdout, line)
        whole = line + r"; the whole source \(8 frames\)\n"
        common = ("-i", "clip.y4m", "--preset", "ultrafast", "--metrics", "vmaf,psnr")
        self.assertRegex(self.tune("sample", *common, "--crf", "30").stdout, whole)
        self.assertRegex(self.tune("search", *common, "--target-vmaf", "60", "--q-step", "3").stdout, whole)
        self.assertRegex(self.tune("encode", *common, "--crf", "30", "--verify-score", "-o", "out.mkv", "-y").stdout, whole)
        self.assertRegex(self.tune("corpus", *common, "--crf", "30", "-o", "said.jsonl", "-y").stderr, whole)
        row = self.rows("said.jsonl")[0]
        self.check(row, "row")
        self.assertEqual(row["conditions"]["metrics"]["psnr"], {"size": "176x144", "pix_fmt": "yuv420p"})

    def test_a_search_for_another_metric_computes_no_vmaf(self):
        self.tune("search", "-i", "clip.y4m", "--preset", "ultrafast", "--target", "psnr>=35", "--q-step", "3", "-o", "psnr.jsonl", "-y")
        for row in self.rows("psnr.jsonl"):
            self.assertEqual((list(row["scores"]), row["metric"]), (["psnr"], "psnr"))

    def best(self, method, *targets):
        """The quality value of a search in steps below 1, which may end near the target."""
        run = self.tune("search", "-i", "clip.y4m", "--preset", "ultrafast", "--min-q", "24", "--max-q", "36", "--q-step", "0.5", "--search", method, "--json",
                        *(word for target in targets for word in ("--target", target)))
        return json.loads(run.stdout.splitlines()[-1])["q"]

    def test_every_search_comes_equally_close_to_targets_of_any_scale(self):
        for targets in (["ssim>=0.9"], ["ssim>=0.9", "psnr>=10"]):
            exact = self.best("grid", *targets)
            self.assertTrue(24 < exact < 36, exact)
            for method in ("interp", "bisect", "abav1"):
                self.assertLessEqual(exact - self.best(method, *targets), 0.5, (method, targets))

    def test_targets_beyond_the_end_of_a_scale_are_refused(self):
        self.assertIn("ssim ends at 1", self.tune("search", "-i", "clip.y4m", "--target", "ssim>=95", code=2).stderr)
        self.assertIn("is not known; use vmaf, vmaf_neg", self.tune("search", "-i", "clip.y4m", "--target", "psnr_y>=35", code=2).stderr)
        for command in ("fast", "predict"):
            self.assertIn("in points or dB", self.tune(command, "-i", "clip.y4m", "--target", "ssim>=0.9", code=2).stderr)

    def test_a_missing_stream_is_named(self):
        self.assertIn("no video stream 1; --stream counts from 0 to 0", self.tune("sample", "-i", "encode.mkv", "--stream", "1", "--crf", "30", code=2).stderr)

    def test_rows_of_different_conditions_share_no_curve(self):
        plain = self.corpus("plain.jsonl", "--score-scale", "none")
        for number, more in enumerate((("--score-scale", "auto"), ("--score-scale", "none", "--subsample", "2"),
                                       ("--score-scale", "none", "--sample-clip-seconds", "0.2"), ("--score-scale", "none", "--film-grain", "keep"),
                                       ("--score-scale", "none", "--vmaf-model", "vmaf_float_v0.6.1"), ("--score-scale", "none", "--reference-vfilter", "hue=b=0.2"))):
            with open(self.path("mixed.jsonl"), "w") as file: file.write(plain + self.corpus("other.jsonl", *more))
            for command in (("search", "--from-corpus"), ("benchmark", "--from-corpus"), ("predict", "--from-corpus")):
                run = self.tune(*command, "mixed.jsonl", "--target-vmaf", "50", code=2)
                self.assertRegex(run.stderr, "different (conditions|models)", more)
            apart = self.tune("search", "--from-corpus", "mixed.jsonl", "--target-vmaf", "5", "--allow-mixed-models").stdout
            self.assertEqual(apart.count("[OK]"), 2, (more, apart))
            self.tune("report", "mixed.jsonl", "--csv", "rows.csv", "-y", "--svg", "rate-quality", f"curves{number}.svg")
            self.assertEqual(len(list(self.glob(f"curves{number}*.svg"))), 2, more)  # one chart each

    def glob(self, pattern):
        import pathlib
        return pathlib.Path(self.folder).glob(pattern)

    def test_rows_that_do_not_state_conditions_have_the_defaults(self):
        rows = [json.loads(line) for line in self.corpus("new.jsonl", "--score-scale", "none").splitlines()]
        for row in rows: del row["conditions"]
        with open(self.path("old.jsonl"), "w") as file: file.writelines(json.dumps(row) + "\n" for row in rows)
        run = self.tune("search", "--from-corpus", "old.jsonl", "--target-vmaf", "5")
        self.assertIn("2 rows without scoring conditions", run.stderr)
        with open(self.path("both.jsonl"), "w") as file: file.write(open(self.path("old.jsonl")).read() + open(self.path("new.jsonl")).read())
        self.tune("search", "--from-corpus", "both.jsonl", "--target-vmaf", "5")


class Encodes(tune_case.TuneCase):
    """An encoder does what was requested, or the difference is reported."""
    FOLDER = "vmaf-tune-encodes-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_clip("clip.y4m", frames=6)
        cls.make_clip("clip444.y4m", frames=6, chroma="444")
        cls.ffmpeg("-i", "clip444.y4m", "-pix_fmt", "gbrp", "-c:v", "ffv1", "rgb.mkv")
        cls.ffmpeg("-i", "clip.y4m", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "2", "full.mkv")
        cls.ffmpeg("-i", "clip444.y4m", "-pix_fmt", "yuva444p12le", "-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le", "prores.mov")
        cls.ffmpeg("-i", "clip.y4m", "-pix_fmt", "yuv411p", "-c:v", "ffv1", "quarter.mkv")
        cls.ffmpeg("-i", "clip.y4m", "-pix_fmt", "nv12", "-c:v", "rawvideo", "nv12.nut")

    def encode(self, *more, clip="clip.y4m", encoder="libx264", **options):
        return self.tune("encode", "-i", clip, "-e", encoder, "--preset", "ultrafast", "--crf", "30", "--video-only", "-o", "out.mkv", "-y", *more, **options)

    def test_options_that_nothing_used_are_errors(self):
        for encoder, option, name in (("libx264", "x264-params=foo=1", "foo"), ("libx264", "x264-params=merange=abc", "merange"), ("libx265", "x265-params=foo=1", "foo"),
                                      ("libsvtav1", "svtav1-params=film-grian=8", "film-grian"), ("libsvtav1", "tune=grain", "tune"), ("libx264", "row-mt=1", "row-mt")):
            run = self.encode("--enc", option, encoder=encoder, code=4)
            self.assertIn(f"the option '{name}' was not used", run.stderr)
            self.assertIn("--allow-unused-options", run.stderr)
        self.assertRegex(self.encode("--enc", "level=9.9", code=4).stderr, "level.*9[.]9")
        self.assertNotIn("specified for", self.encode("--enc", "tune=grain", encoder="libsvtav1", code=4).stderr)
        run = self.tune("search", "-i", "clip.y4m", "-e", "mpeg2video", "--encoder-generic", "--target-vmaf", "50", "--score-scale", "none", code=4)
        self.assertIn("mpeg2video has no -crf", run.stderr + run.stdout)  # every probe would be the same
        self.assertIn("knows no option 'no-such'", self.encode("--enc", "no-such=1", code=4).stderr)
        self.encode("--enc", "x264-params=foo=1", "--allow-unused-options")
        self.encode("--enc", "x264-params=merange=12")
        sample = ("sample", "-i", "clip.y4m", "--preset", "ultrafast", "--crf", "30", "--score-scale", "none", "--enc", "x264-params=foo=1")
        self.tune(*sample, "--allow-unused-options")
        self.assertIn("was not used", self.tune(*sample, code=4).stderr)  # also once it is cached

    def test_changes_of_the_format_are_reported(self):
        for clip, encoder, changes in (("clip444.y4m", "libsvtav1", ["chroma 4:4:4 becomes 4:2:0", "8 bits become 10"]), ("clip.y4m", "libsvtav1", ["8 bits become 10"]),
                                       ("rgb.mkv", "libx264", ["RGB becomes Y'CbCr 4:2:0"]), ("full.mkv", "libx264", ["full range becomes limited"]), ("clip444.y4m", "libx264", []),
                                       ("prores.mov", "libsvtav1", ["chroma 4:4:4 becomes 4:2:0", "12 bits become 10"]), ("quarter.mkv", "libx264", ["chroma 4:1:1 becomes 4:2:0"])):
            run = self.encode("--json", clip=clip, encoder=encoder)
            self.assertEqual(json.loads(run.stdout)["format_changes"], changes, (clip, encoder))
            for change in changes: self.assertEqual(run.stderr.count(change), 1, run.stderr)
            is_loss = changes not in ([], ["8 bits become 10"])
            self.assertEqual("--strict refuses" in self.encode("--strict", clip=clip, encoder=encoder, code=2 if is_loss else 0).stderr, is_loss)
        self.encode("--strict", "--out-pix-fmt", "yuv420p", clip="clip444.y4m")  # requested

    def test_how_samples_are_stored_does_not_matter(self):
        scores = {clip: json.loads(self.tune("sample", "-i", clip, "--preset", "ultrafast", "--crf", "30", "--json").stdout)["score"] for clip in ("clip.y4m", "nv12.nut")}
        self.assertEqual(scores["clip.y4m"], scores["nv12.nut"])

    def test_the_reference_is_what_the_encoder_got(self):
        """An AV1 source with film grain: the encoder sees it, and so does the reference."""
        self.ffmpeg("-i", "clip.y4m", "-c:v", "libsvtav1", "-preset", "10", "-crf", "40", "-svtav1-params", "film-grain=50:film-grain-denoise=1", "grain.mkv")
        run = self.tune("sample", "-i", "grain.mkv", "--preset", "ultrafast", "--crf", "4", "--metric", "psnr")
        self.assertGreater(float(run.stdout.split("psnr=")[1].split()[0]), 46)  # 38 against pictures without grain
        self.assertIn("with the source's film grain, without the encode's", run.stdout)

    def test_small_sentences(self):
        self.assertIn("no container has the extension '.xyz'", self.tune("encode", "-i", "clip.y4m", "--preset", "ultrafast", "--crf", "30", "-o", "out.xyz", code=2).stderr)
        run = self.tune("search", "-i", "clip.y4m", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "2", "--min-q", "40", "--target-vmaf", "97", "--fallback-targets", "20")
        self.assertIn("vmaf 97 is not reached; trying the fallback 20", run.stderr)
        self.assertNotIn("cached", self.tune("corpus", "-i", "clip.y4m", "--preset", "ultrafast", "--score-scale", "none", "--crf", "30", "-o", "r.jsonl", "-y", "--no-cache").stderr)


class Plans(tune_case.TuneCase):
    FOLDER = "vmaf-tune-plans-"

    def test_a_plan_is_valid_input(self):
        self.make_clip("cut.y4m", frames=24, scene="cut")
        common = ("per-shot", "-i", "cut.y4m", "--preset", "ultrafast", "--score-scale", "none", "--target-vmaf", "60", "--q-step", "6")
        with open(self.path("shots.csv"), "w") as file: file.write("start_frame,end_frame\n0,11\n12,23\n")  # from a detector: last frames
        self.tune(*common, "--shots", "shots.csv", "--plan-out", "plan.json")
        ranges = lambda name: [(s["start_frame"], s["end_frame"]) for s in json.load(open(self.path(name)))["shots"]]
        self.assertEqual(ranges("plan.json"), [(0, 12), (12, 24)])
        self.tune(*common, "--shots", "plan.json", "--plan-out", "again.json")
        self.assertEqual(ranges("again.json"), ranges("plan.json"))
        for text in ('{"shots": [{"start_frame": "a", "end_frame": 23}]}', '[{"start_frame": null, "end_frame": 23}]', '[{"start_frame": 0.5, "end_frame": 23}]', "[" * 100000 + "]" * 100000):
            with open(self.path("wrong.json"), "w") as file: file.write(text)
            self.assertIn("'wrong.json' has no shots", self.tune(*common, "--shots", "wrong.json", code=2).stderr)
        with open(self.path("list.json"), "w") as file: json.dump([{"start_frame": 0, "end_frame": 12}, {"start_frame": 12, "end_frame": 24}], file)
        self.tune(*common, "--shots", "list.json", "--plan-out", "third.json")
        self.assertEqual(ranges("third.json"), ranges("plan.json"))


class Reports(tune_case.TuneCase):
    FOLDER = "vmaf-tune-verdict-"

    def test_the_target_that_is_given_is_used(self):
        row = lambda encoder, q, kbps, score: {"src": "a.mkv", "encoder": encoder, "preset": "medium", "crf": q, "exit_status": 0, "score": score, "vmaf_score": score, "metric": "vmaf", "pool": "mean",
                                               "vmaf_model": "m", "bitrate_kbps": kbps}
        points = {"libx264": ((40, 100, 70), (30, 200, 84), (20, 400, 95)), "libx265": ((40, 90, 90), (30, 150, 94), (20, 300, 97)), "libsvtav1": ((50, 80, 75), (40, 120, 88), (30, 200, 96))}
        with open(self.path("rows.jsonl"), "w") as file:
            for encoder, list_ in points.items():
                for q, kbps, score in list_: file.write(json.dumps(row(encoder, q, kbps, score)) + "\n")
        verdict = lambda target: (self.tune("report", "rows.jsonl", "--target", target, "-o", "r.md", "-y"), open(self.path("r.md")).read().split("\n\n")[1])[1]
        self.assertRegex(verdict("85"), r"libsvtav1 medium needs .* less bitrate than libx264 medium at VMAF .*85\. Not compared: libx265 medium: its lowest point, 90.00, is above the target")
        self.assertRegex(verdict("72"), "Only libx264 medium can be judged at VMAF .*72")
        self.assertRegex(verdict("99"), "No configuration can be judged at VMAF .*99")


if __name__ == "__main__":
    unittest.main()
