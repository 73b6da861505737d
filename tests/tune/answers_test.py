#!/usr/bin/env python3
"""What vmaf-tune answers is true: at which size metrics are measured, and that scores made in different ways are not mixed.

  answers_test.py VMAF_TUNE CLIPGEN SCHEMAS
"""
import json
import unittest

import tune_case

TUNE, CLIPGEN, SCHEMAS = tune_case.take_programs("tune", "clipgen", "schemas")
METRICS = "vmaf,psnr,ssim,ssimulacra2,xpsnr"


class Conditions(tune_case.TuneCase):
    """Scores and the conditions under which they were made."""
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
            self.assertEqual(len(list(self.glob(f"curves{number}*.svg"))), 2, more)  # a chart for each

    def glob(self, pattern):
        import pathlib
        return pathlib.Path(self.folder).glob(pattern)

    def test_rows_that_do_not_state_conditions_have_the_defaults(self):
        rows = [json.loads(line) for line in self.corpus("new.jsonl", "--score-scale", "none").splitlines()]
        for row in rows: del row["conditions"]
        with open(self.path("old.jsonl"), "w") as file: file.writelines(json.dumps(row) + "\n" for row in rows)
        run = self.tune("search", "--from-corpus", "old.jsonl", "--target-vmaf", "5")
        self.assertIn("2 rows do not state how they were scored", run.stderr)
        with open(self.path("both.jsonl"), "w") as file: file.write(open(self.path("old.jsonl")).read() + open(self.path("new.jsonl")).read())
        self.tune("search", "--from-corpus", "both.jsonl", "--target-vmaf", "5")


if __name__ == "__main__":
    unittest.main()
