#!/usr/bin/env python3
"""fast, predict, variants and xpsnr of vmaf-tune, with real encoders on small generated clips.

  predict_test.py VMAF_TUNE VMAF CLIPGEN SCHEMAS
"""
import json
import math
import re
import subprocess
import unittest

import tune_case

TUNE, VMAF, CLIPGEN, SCHEMAS = tune_case.take_programs("tune", "vmaf", "clipgen", "schemas")
FFMPEG = tune_case.FFMPEG


class Predict(tune_case.TuneCase):
    FOLDER = "vmaf-tune-predict-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for scene in ("street", "cut"):
            cls.make_clip(f"{scene}.y4m", frames=30, scene=scene)
        subprocess.check_call([*FFMPEG, "-i", "street.y4m", "-i", "cut.y4m", "-filter_complex", "[1:v]trim=end_frame=24[c];[0:v][c]concat=n=2", "-c:v", "ffv1", "film.mkv"], cwd=cls.folder)

    def quick(self, command, *more, code=0):
        return self.tune(command, "--preset", "ultrafast", "--score-scale", "none", *more, code=code)

    # fast

    def test_fast_answers_from_a_piece_and_verifies_with_the_whole(self):
        run = self.quick("fast", "-i", "film.mkv", "--target-vmaf", "85", "--sample-chunk-seconds", "1", "--proxy-tolerance", "50")
        answer = json.loads(run.stdout)
        self.check(answer, "fast")
        self.assertEqual((answer["encoder"], answer["smoke"], answer["verified_on"], answer["proxy_clip"]), ("libx264", False, "full", "sample_1s"))
        self.assertTrue(84.5 <= answer["verify_vmaf"] <= 86, answer)  # corrected where the piece was misleading
        self.assertGreaterEqual(answer["verifications"][0]["predicted_vmaf"], 85)
        self.assertIn((answer["recommended_crf"], answer["verify_vmaf"]), [(v["q"], v["verify_vmaf"]) for v in answer["verifications"]])
        self.assertLessEqual(answer["n_trials"], 5)
        self.assertGreater(answer["error_bar"], 0)
        self.assertAlmostEqual(answer["proxy_verify_gap"], abs(answer["verify_vmaf"] - answer["predicted_vmaf"]), places=9)
        whole = json.loads(self.quick("sample", "-i", "film.mkv", "--crf", str(answer["recommended_crf"]), "--json").stdout)
        self.assertEqual(answer["verify_vmaf"], whole["vmaf_score"])
        self.assertAlmostEqual(answer["verify_kbps"], whole["bitrate_kbps"], places=6)
        self.assertIn("should give vmaf", run.stderr)

    def test_fast_does_not_trust_a_piece_that_differs(self):
        arguments = ("-i", "film.mkv", "--target-vmaf", "85", "--sample-chunk-seconds", "1", "--proxy-tolerance", "0.0001")
        answer = json.loads(self.quick("fast", *arguments, code=3).stdout)
        self.assertIn("use `search`", answer["notes"])

    def test_fast_keeps_to_its_trials_and_its_window(self):
        answer = json.loads(self.quick("fast", "-i", "street.y4m", "--target-vmaf", "85", "--n-trials", "1", "--proxy-tolerance", "100").stdout)
        self.assertEqual(answer["n_trials"], 1)
        answer = json.loads(self.quick("fast", "-i", "street.y4m", "--target-vmaf", "99.9", "--crf-min", "40", "--crf-max", "45", "--proxy-tolerance", "100", code=1).stdout)
        self.assertEqual(answer["recommended_crf"], 40)
        self.assertIn("misses the target", answer["notes"])

    def test_smoke_needs_no_program(self):
        run = self.tune("fast", "--smoke", "--target-vmaf", "92", "--ffmpeg-bin", "/nowhere/ffmpeg")
        answer = json.loads(run.stdout)
        self.check(answer, "fast")
        n = (answer["recommended_crf"] - 10) / 41
        self.assertAlmostEqual(answer["predicted_vmaf"], 99 - 47 * n ** 1.2, places=6)
        self.assertLess(99 - 47 * ((answer["recommended_crf"] - 9) / 41) ** 1.2, 92)  # the next value misses
        self.assertAlmostEqual(answer["predicted_kbps"], 8000 * math.exp(-3.5 * n) + 80, places=6)
        self.assertIsNone(answer["proxy_verify_gap"])

    def test_wrong_wishes_are_refused(self):
        with open(self.path("odd.json"), "w") as file: file.write('{"method": 5, "residuals": [1]}')
        for arguments in (("fast", "-i", "street.y4m"), ("fast", "--target-vmaf", "90"), ("fast", "-i", "street.y4m", "--metric", "cambi", "--target", "cambi<=4"),
                          ("predict", "-i", "street.y4m", "--model", "x.onnx"), ("predict",), ("predict", "-i", "street.y4m", "--calibration-sidecar", "street.y4m"),
                          ("predict", "-i", "street.y4m", "--calibration-sidecar", "odd.json")):
            self.assertTrue(self.tune(*arguments, code=2).stderr)

    # predict

    def test_predict_answers_per_shot_and_measures_some(self):
        run = self.quick("predict", "-i", "film.mkv", "--target-vmaf", "85", "--with-uncertainty", "--validate-k", "1", "--residual-threshold", "60",
                         "--calibration-out", "calibration.json", "--report-out", "prediction.json")
        self.assertEqual(run.stdout, "")
        prediction = json.load(open(self.path("prediction.json")))
        self.check(prediction, "predict")
        self.assertEqual(prediction["verdict"], "reliable")
        self.assertEqual((prediction["k_validated"], len(prediction["residuals"])), (1, 1))
        self.assertEqual([(s["start"], s["end"]) for s in prediction["shots"]], [(0, 30), (30, 54)])
        self.assertTrue(2 <= prediction["n_probes"] <= 8)
        self.assertLess(abs(prediction["residuals"][0]["residual"]), 1.5)  # 12.9: more would be rejected
        residual = prediction["residuals"][0]
        self.assertAlmostEqual(residual["residual"], residual["measured_vmaf"] - residual["predicted_vmaf"], places=9)
        self.assertGreaterEqual(residual["interval"]["high"], residual["interval"]["low"])
        calibration = json.load(open(self.path("calibration.json")))
        self.assertEqual((calibration["method"], calibration["n"]), ("split-conformal", 1))

    def test_predictions_that_are_off_are_exit_code_3(self):
        run = self.quick("predict", "-i", "film.mkv", "--target-vmaf", "85", "--residual-threshold", "0.001", code=3)
        prediction = json.loads(run.stdout)
        self.assertIn(prediction["verdict"], ("fall_back",))
        self.assertEqual(prediction["k_validated"], 2)

    def test_intervals_follow_the_calibration(self):
        with open(self.path("residuals.json"), "w") as file:
            json.dump({"method": "split-conformal", "alpha": 0.2, "n": 9, "residuals": [1, -2, 3, -4, 5, -6, 7, -8, 9]}, file)
        run = self.quick("predict", "-i", "street.y4m", "--target-vmaf", "85", "--with-uncertainty", "--alpha", "0.2", "--calibration-sidecar", "residuals.json",
                         "--residual-threshold", "60")
        prediction = json.loads(run.stdout)
        self.assertEqual(prediction["uncertainty"]["calibrated"], True)
        self.assertAlmostEqual(prediction["uncertainty"]["half_width"], 1 + 8 * 8 / 9)  # type 7 at ceil(10 * 0.8) / 9

    def test_an_encoder_without_a_calibration_is_reported(self):
        run = self.quick("predict", "-i", "street.y4m", "--target-vmaf", "70", "--with-uncertainty", "--validate-k", "1", "--residual-threshold", "60", "-e", "librav1e")
        self.assertIs(json.loads(run.stdout)["uncertainty"]["calibrated"], False)
        self.assertIn("there is no calibration for librav1e", run.stderr)

    def test_curves_of_titles_answer_from_rows(self):
        rows = []
        for title, shift in (("a.mkv", 0), ("b.mkv", 4), ("c.mkv", -5)):
            for q in (18, 23, 28, 33, 38) if title != "c.mkv" else (28,):
                score = 101 - (3 + 0.4 * (q + shift - 18)) ** (1 / 0.6)
                rows.append({"src": title, "encoder": "libx264", "preset": "medium", "crf": q, "vmaf_score": score, "bitrate_kbps": 8000 * 2 ** (-(q - 18) / 6), "exit_status": 0})
        with open(self.path("rows.jsonl"), "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        prediction = json.loads(self.tune("predict", "--from-corpus", "rows.jsonl", "--target-vmaf", "90", "--with-uncertainty").stdout)
        self.check(prediction, "predict")
        self.assertEqual(prediction["verdict"], "reliable")
        at_90 = 18 + (11 ** 0.6 - 3) / 0.4
        for title, shift in (("a.mkv", 0), ("b.mkv", 4), ("c.mkv", -5)):  # the last from one row: uses the others' slope
            answer = next(t for t in prediction["titles"] if t["src"] == title)
            self.assertLess(abs(answer["crf"] - (at_90 - shift)), 0.2, title)
            self.assertGreaterEqual(answer["predicted_vmaf"], 90)
        self.assertTrue(all(abs(r["residual"]) < 0.5 for r in prediction["residuals"]))
        rows[2]["vmaf_score"] -= 30  # points off the curve are rejected
        with open(self.path("rough.jsonl"), "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        self.tune("predict", "--from-corpus", "rough.jsonl", "--target-vmaf", "90", code=3)

    # Variants

    def test_variants_are_a_dimension_of_a_corpus(self):
        self.quick("corpus", "-i", "street.y4m", "-i", "cut.y4m", "--crf-range", "20:44:8", "--variant", "plain=", "--variant", "psy=tune=animation,x264-params=aq-mode=0", "-o", "corpus.jsonl")
        rows = [json.loads(line) for line in open(self.path("corpus.jsonl"))]
        self.assertEqual(len(rows), 16)
        self.assertEqual([r["variant"] for r in rows[:8]], ["plain"] * 4 + ["psy"] * 4)
        self.assertEqual(rows[4]["options"], ["--enc", "tune=animation", "--enc", "x264-params=aq-mode=0"])
        self.check(rows[4], "row")
        run = self.tune("benchmark", "--from-corpus", "corpus.jsonl", "--target-vmaf", "80", "--baseline-encoder", "plain", "--json")
        document = json.loads(run.stdout)
        self.check(document, "benchmark")
        psy = next(e for e in document["encoders"] if e["variant"] == "psy")
        self.assertEqual(psy["bd_rate"]["sources"], 2)
        self.assertLessEqual(psy["bd_rate"]["min_pct"], psy["bd_rate"]["mean_pct"])
        self.assertEqual(document["baseline"], "plain")
        self.tune("report", "corpus.jsonl", "--svg", "rate-quality", "curves.svg")
        self.assertIn("libx264 ultrafast psy", open(self.path("curves.svg")).read())
        self.quick("corpus", "-i", "street.y4m", "--crf-range", "20:44:8", "--enc", "tune=grain", "-o", "unnamed.jsonl")
        self.tune("report", "unnamed.jsonl", "--variant", "grainy=tune=grain", "--svg", "rate-quality", "named.svg")
        self.assertIn("grainy", open(self.path("named.svg")).read())

    def test_variants_are_compared(self):
        run = self.quick("compare", "-i", "street.y4m", "--target-vmaf", "85", "--variant", "plain=", "--variant", "keys=keyint=4", "--baseline", "plain", "--q-step", "1", "--json")
        rows = {row["variant"]: row for row in json.loads(run.stdout)["rows"]}
        self.assertEqual(set(rows), {"plain", "keys"})
        self.assertEqual(rows["plain"]["bitrate_delta_pct"], 0)
        self.assertGreater(rows["keys"]["bitrate_delta_pct"], 0)
        for wrong in ("nameless", "=tune=grain", "a/b=tune=grain"):
            self.quick("compare", "-i", "street.y4m", "--target-vmaf", "85", "--variant", wrong, code=2)

    # XPSNR

    def figure(self, reference, distorted, *options):
        subprocess.check_call([VMAF, "-r", reference, "-d", distorted, "--no_prediction", "--feature", "xpsnr" + "".join(options), "--precision", "max", "--json", "-q", "-o", self.path("scores.json")])
        return json.load(open(self.path("scores.json")))["aggregate_metrics"]

    def test_xpsnr_is_the_figure_of_the_clip(self):
        row = json.loads(self.tune("sample", "-i", "street.y4m", "--crf", "35", "--preset", "ultrafast", "--metric", "xpsnr", "--keep", "--work-dir", "kept", "--json").stdout)
        self.assertEqual(row["score_scale"], "none")
        subprocess.check_call([*FFMPEG, "-i", "street.y4m", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "35", "-pix_fmt", "yuv420p", "own.mkv"], cwd=self.folder)
        subprocess.check_call([*FFMPEG, "-i", "own.mkv", "-pix_fmt", "yuv420p", "own.y4m"], cwd=self.folder)
        self.assertAlmostEqual(row["score"], self.figure(self.path("street.y4m"), self.path("own.y4m"))["axpsnr_min"], places=9)
        found = json.loads(self.tune("search", "-i", "street.y4m", "--preset", "ultrafast", "--metric", "xpsnr", "--target", "36", "--q-step", "1", "--json").stdout.splitlines()[-1])
        self.assertEqual(found["status"], "ok")
        self.assertGreaterEqual(found["score"], 36)

    def test_the_frame_rate_of_clips_decides_for_xpsnr(self):
        for name, distortion in (("slow", ()), ("bad", ("--distort", "dct:60"))):
            subprocess.check_call([CLIPGEN, "--size", "352x288", "--frames", "4", "--depth", "8", "--seed", "1", "--scene", "street", *distortion, self.path(name + ".y4m")])
        figures = {25: (32.43661122706166, 32.66408731946424, 32.60027505554874), 60: (34.701007116378726, 34.62576556792021, 34.55979852974159)}
        for rate, (y, cb, cr) in figures.items():  # recorded from FFmpeg's filter
            for name in ("slow", "bad"):
                data = open(self.path(name + ".y4m"), "rb").read()
                with open(self.path(f"{name}{rate}.y4m"), "wb") as file:
                    file.write(re.sub(rb" F\d+:\d+", b" F%d:1" % rate, data, count=1))
            found = self.figure(self.path(f"slow{rate}.y4m"), self.path(f"bad{rate}.y4m"))
            for key, value in (("axpsnr_y", y), ("axpsnr_cb", cb), ("axpsnr_cr", cr), ("axpsnr_min", min(y, cb, cr))):
                self.assertAlmostEqual(found[key], value, places=10)
        self.assertAlmostEqual(self.figure(self.path("slow60.y4m"), self.path("bad60.y4m"), "=fps=25")["axpsnr_y"], figures[25][0], places=10)

    # Help

    def test_help_shows_defaults(self):
        text = self.tune("search", "--help").stdout
        for flag, default in (("--pool", "mean"), ("--search", "interp"), ("--sample-duration", "20s"), ("--cache-size", "10G"), ("--noise", "0.3")):
            self.assertRegex(text, rf"{flag}[ ,][^\n]*(={re.escape(default)}|\[{re.escape(default)}\])\s")  # CLI11 2.1 and 2.4
        self.assertNotIn("=[]", text)
        self.assertNotIn("={}", text)

    def test_help_fits_a_terminal_and_shows_three_examples(self):
        commands = re.findall(r"^  ([a-z][a-z-]*)", self.tune("--help").stdout.split("Subcommands:")[1].split("Examples:")[0], re.M)
        self.assertGreaterEqual(len(commands), 16)
        for command in ((), *((name,) for name in commands)):
            text = self.tune(*command, "--help").stdout
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], command)
            self.assertGreaterEqual(len(re.findall(r"^  (?:vmaf-tune|eval) ", text.split("Examples:")[1], re.M)), 3, command)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
