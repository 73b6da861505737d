#!/usr/bin/env python3
"""vmaf-tune end to end, with real encoders on small generated clips.

  tune_test.py VMAF_TUNE VMAF CLIPGEN
"""
import json
import os
import signal
import subprocess
import time
import unittest

import tune_case

TUNE, VMAF, CLIPGEN = tune_case.take_programs("tune", "vmaf", "clipgen")


class Tune(tune_case.TuneCase):
    FOLDER = "vmaf tune "  # blanks are part of the test

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clip, cls.cache = cls.make_clip("it's a clip.y4m"), cls.path("cache")

    def run_tune(self, *arguments, **options):
        return self.tune(*arguments, code=None, **options)

    def search(self, *more):
        return self.run_tune("search", "-i", self.clip, "-e", "libx264", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "1",
                             "--cache-dir", self.cache, "--json", *more)

    def score_at(self, q):
        """VMAF of a manually made and decoded encode."""
        encode, ref, dis, out = (os.path.join(self.folder, n) for n in ("m.mkv", "r.yuv", "d.yuv", "o.json"))
        quiet = ["ffmpeg", "-y", "-nostdin", "-v", "error"]
        subprocess.check_call(quiet + ["-i", self.clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", str(q), "-pix_fmt", "yuv420p", encode])
        subprocess.check_call(quiet + ["-i", encode, "-f", "rawvideo", dis])
        subprocess.check_call(quiet + ["-i", self.clip, "-f", "rawvideo", ref])
        subprocess.check_call([VMAF, "-r", ref, "-d", dis, "-w", "176", "-h", "144", "-p", "420", "-b", "8", "-q", "--precision", "max", "--json", "-o", out])
        return json.load(open(out))["pooled_metrics"]["vmaf"]["mean"]

    def test_search_finds_the_best_quality_and_its_neighbour_misses(self):
        run = self.search("--target-vmaf", "90")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout.splitlines()[-1])
        self.assertEqual(result["status"], "ok")
        self.assertGreaterEqual(result["score"], 90)
        self.assertAlmostEqual(result["score"], self.score_at(int(result["q"])), places=9)
        self.assertLess(self.score_at(int(result["q"]) + 1), 90)

    def test_second_run_encodes_nothing(self):
        self.search("--target-vmaf", "85")
        run = self.search("--target-vmaf", "85")
        probes = [json.loads(line) for line in run.stdout.splitlines()[:-1]]
        self.assertTrue(probes and all(p["from_cache"] for p in probes))

    def test_unreachable_target_says_why(self):
        run = self.search("--target-vmaf", "99.99", "--min-q", "40", "--max-q", "45")
        self.assertEqual(run.returncode, 1)
        self.assertIn("below the target", json.loads(run.stdout.splitlines()[-1])["reason"])
        self.assertEqual(self.search("--target-vmaf", "99.99", "--min-q", "40", "--max-q", "45", "--best-effort").returncode, 0)
        run = self.search("--target-vmaf", "1", "--target", "vmaf:min>=99", "--min-q", "40", "--max-q", "45")  # reports which of several targets is missed
        self.assertRegex(json.loads(run.stdout.splitlines()[-1])["reason"], r"crf 40 reaches vmaf \(min\) \d+\.\d{4}, below the target of 99$")

    def test_library_and_binary_give_the_same_number(self):
        scores = []
        for scorer in (["--scorer", "library"], ["--scorer", "binary", "--vmaf-bin", VMAF]):
            run = self.run_tune("sample", "-i", self.clip, "--crf", "30", "--preset", "ultrafast", "--score-scale", "none", "--no-cache", "--json", *scorer)
            self.assertEqual(run.returncode, 0, run.stderr)
            scores.append(json.loads(run.stdout)["vmaf_score"])
        self.assertEqual(*scores)

    def test_explicit_backend_that_is_missing_ends_before_any_encode(self):
        for backend in ("sycl", "hip", "vulkan"):
            run = self.search("--target-vmaf", "90", "--score-backend", backend)
            self.assertEqual(run.returncode, 7, run.stderr)
            self.assertIn(backend, run.stderr)
            self.assertIn("usable: ", run.stderr)
            self.assertEqual([json.loads(line)["type"] for line in run.stdout.splitlines()], ["error"])

    def test_backend_of_old_binaries_comes_from_help_and_host_probes(self):
        tools = os.path.join(self.folder, "bin")
        os.makedirs(tools, exist_ok=True)
        scripts = {"oldvmaf": "case $1 in --help) echo '  --backend auto|cpu|cuda|hip'; exit 1;; *) exit 1;; esac",
                   "nvidia-smi": "exit 9", "rocm-smi": "echo 'GPU[0] : Card series'", "rocminfo": "exit 1"}
        for name, text in scripts.items():
            path = os.path.join(tools, name)
            open(path, "w").write("#!/bin/sh\n" + text + "\n")
            os.chmod(path, 0o755)
        run = self.run_tune("doctor", "--json", "--scorer", "binary", "--vmaf-bin", "oldvmaf", "--cache-dir", self.cache, env={"PATH": tools + ":" + os.environ["PATH"]})
        report = json.loads(run.stdout)
        self.assertFalse(report["backends"]["cuda"]["usable"])
        self.assertTrue(report["backends"]["hip"]["usable"])
        self.assertEqual(report["auto"], "hip")

    def test_corpus_resumes_after_a_kill(self):
        output = os.path.join(self.folder, "corpus.jsonl")
        command = ["corpus", "-i", self.clip, "--preset", "ultrafast", "--preset", "superfast", "--crf-range", "24:36:4", "--cache-dir", os.path.join(self.folder, "c2"), "--score-scale", "none", "-o", output]
        process = subprocess.Popen([TUNE, *command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.folder})
        for _ in range(600):
            if os.path.exists(output) and open(output).read().count("\n") >= 2: break
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open(output, "a") as file: file.write('{"torn": ')
        before = [json.loads(line)["run_id"] for line in open(output) if line.endswith("}\n")]
        run = self.run_tune(*command, "--resume")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [json.loads(line) for line in open(output)]
        self.assertEqual(len(rows), 8)
        self.assertEqual([r["run_id"] for r in rows[:len(before)]], before)
        self.assertEqual(len({(r["preset"], r["crf"]) for r in rows}), 8)
        self.assertEqual(self.run_tune(*command).returncode, 2)  # does not overwrite an existing output
        for row in rows:
            self.assertEqual(list(row), sorted(row))
            self.assertIsNotNone(row["adm2_mean"])

    def test_resumed_corpora_have_every_cell(self):
        output = os.path.join(self.folder, "resumed.jsonl")
        command = ["corpus", "-i", self.clip, "-e", "libsvtav1", "--crf", "50", "--score-scale", "none", "--cache-dir", self.cache, "-o", output, "--resume"]
        for presets, cut in ((["veryfast"], False), (["veryfast", "ultrafast"], False), (["veryfast", "ultrafast"], True)):  # two names of one SVT-AV1 preset
            if cut:  # by an editor: the last row without its line end
                with open(output, "r+") as file: file.truncate(os.path.getsize(output) - 1)
            run = self.run_tune(*command, *(word for preset in presets for word in ("--preset", preset)))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual([json.loads(line)["preset"] for line in open(output)], presets)

    def test_failed_cells_are_rows_and_others_go_on(self):
        output = os.path.join(self.folder, "mixed.jsonl")
        run = self.run_tune("corpus", "-i", self.clip, "-e", "libx264", "--preset", "ultrafast", "--crf", "30", "--enc", "x264-params=nonsense=1", "--enc", "no_such_option=1", "-o", output, "--no-cache")
        self.assertEqual(run.returncode, 4)
        row = json.loads(open(output).readline())
        self.assertNotEqual(row["exit_status"], 0)
        self.assertIsNone(row["score"])
        self.assertTrue(row["error"]["message"])

    def test_missing_things_are_said_before_work_starts(self):
        for arguments, text in ((["-i", "nosuch.mkv"], "does not exist"), (["-i", self.clip, "-e", "libnosuch"], "no adapter"),
                                (["-i", self.clip, "-e", "h264_nvenc"], "h264_nvenc"), (["-i", self.clip, "--preset", "warp9"], "preset"),
                                (["-i", self.clip, "--enc", "crf=3"], "--crf"), (["-i", self.clip, "--pool", "best"], "--pool"),
                                (["-i", self.clip, "--cache-size", "much"], "not a size"), (["-i", self.clip, "--target", "vmaf>=101"], "ends at 100"),
                                (["-i", self.clip, "--metric", "psnr"], '--target "psnr>='), (["-i", self.clip, "--ffmpeg-bin", "/nonexistent/ffmpeg"], "ffmpeg")):
            run = self.run_tune("search", "--target-vmaf", "90", *arguments)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(text, run.stderr)

        for arguments, code, text in ((["serch"], 2, "no command 'serch' (did you mean search?)"), (["sample", "-i", self.clip, "--crf", "99"], 2, "outside 0 to 51"),
                                      (["encode", "-i", self.clip, "--target-vmaf", "90", "-o", "absent/out.mkv"], 6, "no such folder"),
                                      (["compare", "-i", self.clip, "-o", self.clip], 2, "would overwrite the source")):
            run = self.run_tune(*arguments)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn(text, run.stderr)

    def test_no_files_remain(self):
        scratch = lambda: sorted(n for n in os.listdir(self.folder) if n.startswith(".vmaf-tune"))
        before = scratch()
        self.search("--target-vmaf", "88")
        self.assertEqual(scratch(), before)

    def test_encode_writes_the_whole_file_or_none(self):
        output = os.path.join(self.folder, "out.mkv")
        run = self.run_tune("encode", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "-o", output, "--verify-score", "--score-scale", "none", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["encoded_frames"], 12)
        self.assertGreater(result["score"], 10)
        again = self.run_tune("encode", "-i", self.clip, "--crf", "30", "-o", output)
        self.assertEqual(again.returncode, 6)

    def test_score_compares_existing_files(self):
        encode = os.path.join(self.folder, "s.mkv")
        subprocess.check_call(["ffmpeg", "-y", "-nostdin", "-v", "error", "-i", self.clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", encode])
        run = self.run_tune("score", self.clip, encode, "--score-scale", "none", "--metrics", "vmaf,psnr", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["frames"]["psnr"]), 12)
        short = os.path.join(self.folder, "short.mkv")
        subprocess.check_call(["ffmpeg", "-y", "-nostdin", "-v", "error", "-i", self.clip, "-frames:v", "6", "-c:v", "libx264", "-preset", "ultrafast", short])
        run = self.run_tune("score", self.clip, short)
        self.assertEqual(run.returncode, 4)
        self.assertIn("frame count mismatch", run.stderr)

    def test_compare_and_ladder_and_per_shot_give_plans(self):
        run = self.run_tune("compare", "-i", self.clip, "--encoders", "libx264:ultrafast,libsvtav1:ultrafast", "--target-vmaf", "80", "--score-scale", "none", "--format", "json", "--cache-dir", self.cache)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = json.loads(run.stdout)["rows"]
        self.assertEqual(len(rows), 2)
        self.assertTrue(all(row["ok"] for row in rows), rows)
        key = "bitrate_at_target_kbps" if all(row["bitrate_at_target_kbps"] for row in rows) else "bitrate_kbps"
        self.assertLessEqual(rows[0][key], rows[1][key])
        self.assertAlmostEqual(rows[0]["savings_pct"], 100 * (1 - rows[0][key] / rows[1][key]))
        self.assertEqual(rows[1]["savings_pct"], 0)
        for row in rows:  # at the target itself, which the answer exceeds
            self.assertLessEqual(row["bitrate_at_target_kbps"] or 0, row["bitrate_kbps"] * (1 + 1e-9))
            command = [word if word != "file:OUTPUT.mkv" else "file:" + os.path.join(self.folder, "command.mkv") for word in row["command"]]
            subprocess.check_call(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            packets = subprocess.check_output(["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", os.path.join(self.folder, "command.mkv")], text=True).split()
            row["bytes"] = sum(int(size.strip(",")) for size in packets)
        self.assertAlmostEqual(rows[0]["bytes"] / rows[1]["bytes"], rows[0]["bitrate_kbps"] / rows[1]["bitrate_kbps"], delta=0.02)
        run = self.run_tune("ladder", "-i", self.clip, "--preset", "ultrafast", "--resolutions", "176x144,88x72", "--target-vmafs", "80,50", "--score-scale", "none", "--format", "hls", "--cache-dir", self.cache)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.startswith("#EXTM3U"))
        self.assertIn('CODECS="avc1.', run.stdout)
        plan = os.path.join(self.folder, "plan.json")
        run = self.run_tune("per-shot", "-i", self.clip, "--preset", "ultrafast", "--target-vmaf", "80", "--score-scale", "none", "--plan-out", plan, "--cache-dir", self.cache)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.load(open(plan))["shots"][-1]["end_frame"], 12)


if __name__ == "__main__":
    unittest.main(verbosity=1, warnings="ignore")
