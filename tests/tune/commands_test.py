#!/usr/bin/env python3
"""The subcommands of vmaf-tune and their flags, with real encoders on small generated clips.

  commands_test.py VMAF_TUNE CLIPGEN SCHEMAS
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import tune_case

TUNE, CLIPGEN, SCHEMAS = tune_case.take_programs("tune", "clipgen", "schemas")
FFMPEG = tune_case.FFMPEG


class Commands(tune_case.TuneCase):
    FOLDER = "vmaf-tune-commands-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for scene in ("street", "gradient", "cut"):
            cls.make_clip(f"{scene}.y4m", frames=24, scene=scene)
        # Three shots with sound, whose first video frame is not at the start of the file.
        subprocess.check_call([*FFMPEG, *(a for s in ("street", "gradient", "cut") for a in ("-i", s + ".y4m")), "-f", "lavfi", "-i", "sine=d=3",
                               "-filter_complex", "[0:v][1:v][2:v]concat=n=3[v]", "-map", "[v]", "-map", "3:a", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "6", "-g", "12", "-c:a", "aac", "film.mkv"], cwd=cls.folder)

    def probing(self, command, source, *more, **options):
        return self.tune(command, "-i", source, "--preset", "ultrafast", "--score-scale", "none", *more, **options)

    def test_output_that_does_not_arrive_is_an_error_of_every_command(self):
        self.probing("corpus", "street.y4m", "--crf-range", "20:40:4", "-o", "arrives.jsonl")
        clip = ("-i", "street.y4m", "--preset", "ultrafast", "--score-scale", "none")
        target = ("--target-vmaf", "80", "--q-step", "8")
        works = {"corpus": (*clip, "--crf", "30", "-o", "-"), "search": (*clip, *target), "sample": (*clip, "--crf", "30"), "encode": (*clip, "--crf", "30", "--dry-run"),
                 "score": ("street.y4m", "cut.y4m", "--score-scale", "none"), "compare": (*clip, *target, "--dry-run"), "ladder": (*clip, "--dry-run"), "per-shot": (*clip, *target, "--dry-run"),
                 "fast": (*clip, "--target-vmaf", "80", "--dry-run"), "predict": ("--from-corpus", "arrives.jsonl", "--target-vmaf", "80"), "report": ("arrives.jsonl", "-o", "-"), "benchmark": ("arrives.jsonl", "--target-vmaf", "80"),
                 "cache": ("list",), "doctor": (), "status": None, "completions": ("bash",)}
        commands = [line.split()[0].rstrip(",") for line in self.tune("--help").stdout.split("ommands:")[1].split("Examples:")[0].splitlines() if line.startswith("  ") and line[2] != " "]
        self.assertEqual(sorted(commands), sorted(works))
        for command in commands:
            for words in (("--help",), works[command]):
                if words is None: continue
                with open("/dev/full", "w") as full:
                    run = subprocess.run([TUNE, command, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder, stdin=subprocess.DEVNULL, env=self.environment())
                self.assertEqual(run.returncode, 6, (command, words, run.stderr))
                self.assertRegex(run.stderr, "No space left on device|standard output")
        end, output = os.pipe()
        os.close(end)
        run = subprocess.run([TUNE, "cache", "list"], stdout=output, stderr=subprocess.PIPE, text=True, env=self.environment())
        os.close(output)
        self.assertEqual((run.returncode, run.stderr), (141, ""))

    def test_one_encoder_or_several(self):
        run = self.probing("compare", "street.y4m", "-e", "libx264", "-e", "libsvtav1", "--target-vmaf", "80", "--q-step", "4", "--json")
        self.assertEqual(sorted(r["codec"] for r in json.loads(run.stdout)["rows"]), ["libsvtav1", "libx264"])
        for command in (("sample", "--crf", "30"), ("encode", "--crf", "30"), ("ladder",), ("per-shot",), ("fast", "--target-vmaf", "80"), ("predict",)):
            self.assertIn("one encoder at a time, not libx264 and libx265", self.probing(command[0], "street.y4m", *command[1:], "-e", "libx264", "-e", "libx265", code=2).stderr)
            self.assertIn("one preset at a time", self.probing(command[0], "street.y4m", *command[1:], "--preset", "fast", code=2).stderr)

    def test_program_may_be_replaced_while_it_runs(self):
        program = os.path.join(os.path.dirname(os.path.abspath(TUNE)), f"replaced-tune-{os.getpid()}")  # next to its library
        self.addCleanup(lambda: os.path.exists(program) and os.remove(program))
        fake = self.path("slow-ffmpeg")
        for change in ('rm -f "$0"', 'rm -f "$0"; echo exit 99 > "$0"; chmod +x "$0"'):  # another version
            shutil.copy(TUNE, program)
            with self.subTest(change):
                with open(fake, "w") as file: file.write(f'#!/bin/sh\ncase "$*" in *"-crf 30"*) {change.replace("$0", program)};; esac\nexec {shutil.which("ffmpeg")} "$@"\n')
                os.chmod(fake, 0o755)
                run = subprocess.run([program, "sample", "-i", "street.y4m", "--crf", "30", "--preset", "ultrafast", "--score-scale", "none", "--no-cache", "--ffmpeg-bin", fake], capture_output=True, text=True, cwd=self.folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(os.path.exists(program), "exit" in change)

    def test_a_trial_that_a_signal_ends_is_no_verdict_on_the_encoder(self):
        started = self.path("trial-started")
        slow = self.program("slow-trial", f'case "$*" in *lavfi*) touch "{started}"; sleep 6000;; esac; exec {shutil.which("ffmpeg")} "$@"')
        run = subprocess.Popen([TUNE, "sample", "-i", "street.y4m", "--crf", "30", "--no-cache", "--ffmpeg-bin", slow], stderr=subprocess.PIPE, text=True, cwd=self.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=self.environment())
        deadline = time.monotonic() + 600
        while not os.path.exists(started) and time.monotonic() < deadline: time.sleep(0.01)
        run.terminate()
        self.assertIn("interrupted", run.communicate(timeout=600)[1])
        self.assertEqual(run.returncode, 130)

    def test_a_ladder_is_the_same_whatever_the_cache_knows(self):
        for clip in ("street.y4m", "cut.y4m"):
            def ladder(cache): return self.probing("ladder", clip, "--resolutions", "176x144,88x72", "--target-vmafs", "85,50", "--q-step", "3", "--cache-dir", cache + clip)
            cold = ladder("cold")
            self.probing("search", clip, "--target-vmaf", "70", "--q-step", "3", "--cache-dir", "warm" + clip)  # now knows other points
            for cache in ("warm", "cold"):
                self.assertEqual(json.loads(ladder(cache).stdout), json.loads(cold.stdout))
            probes = [line for line in cold.stderr.splitlines() if line.endswith(" kbps") or " kbps (misses" in line]
            self.assertLessEqual(len(probes), 17, cold.stderr)  # curves lead to the rungs
        self.assertIn("has to be a number", self.probing("ladder", "street.y4m", "--target-vmafs", "90,nan", code=2).stderr)
        self.assertIn("cannot be met", self.probing("ladder", "street.y4m", "--target-vmafs", "101", code=2).stderr)

    def test_meaningless_numbers_are_refused(self):
        for flag in ("--tolerance=nan", "--tolerance=-1", "--noise=nan", "--start-q=nan", "--max-bitrate=nan", "--max-bitrate=0", "--max-encoded-percent=-3", "--max-size=0", "--keyint=0",
                     "--keyint=nan", "--keyint=-4", "--dist-delay=nan", "--fallback-targets=nan", "--verify-margin=inf", "--target-vmaf=nan", "--min-q=nan"):
            self.assertIn(flag.split("=")[0], self.probing("search", "street.y4m", *(() if "target-vmaf" in flag else ("--target-vmaf", "60")), flag, code=2).stderr)
        self.assertIn("(larger than allowed)", self.probing("search", "street.y4m", "--target-vmaf", "60", "--q-step", "10", "--max-bitrate", "1", code=1).stdout)

    # Samples

    def test_samples_count_as_pooled_mean_or_worst_and_the_whole_confirms(self):
        common = ("--samples", "3", "--sample-duration", "0.7", "--q-step", "1", "--json")
        results = {}
        for how in ("pooled", "mean", "worst"):
            lines = [json.loads(line) for line in self.probing("search", "film.mkv", "--target-vmaf", "88", "--sample-aggregate", how, *common).stdout.splitlines()]
            for line in lines[:-1]: self.check(line, "probe")
            self.check(lines[-1], "search-result")
            results[how] = lines
        answer = results["worst"][-1]
        row = json.loads(self.probing("sample", "film.mkv", "--crf", str(answer["q"]), "--sample-aggregate", "worst", *common[:4], "--json").stdout)
        self.check(row, "sample")
        self.assertAlmostEqual(row["score"], min(s["score"] for s in row["samples"]), places=9)
        self.assertAlmostEqual(answer["score"], row["score"], places=9)
        self.assertGreaterEqual(row["score"], 88)
        worse = json.loads(self.probing("sample", "film.mkv", "--crf", str(answer["q"] + 1), "--sample-aggregate", "worst", *common[:4], "--json").stdout)
        self.assertLess(worse["score"], 88)
        self.assertEqual(results["worst"][0]["samples"], 3)
        self.assertEqual(results["worst"][-2]["samples"], 3)
        self.assertIn(1, [p["samples"] for p in results["worst"][:-1]])
        self.assertLessEqual(answer["q"], results["mean"][-1]["q"])
        sizes = sum(s["size_bytes"] for s in row["samples"])
        self.assertAlmostEqual(row["predicted_size_bytes"], sizes * row["duration_s"] / (row["encoded_frames"] / row["framerate"]), delta=sizes * 0.02)
        result = json.loads(self.probing("search", "film.mkv", "--target-vmaf", "88", "--verify-full", *common).stdout.splitlines()[-1])
        self.assertTrue(1 <= len(result["verified"]) <= 3)
        self.assertEqual(result["verified"][-1]["q"], result["q"])
        self.assertEqual(result["status"] == "ok", result["score"] >= 87.5)

    # Searches

    def test_two_pass_search_for_a_bitrate_is_one_probe(self):
        lines = [json.loads(line) for line in self.probing("search", "street.y4m", "--target-bitrate", "300", "--two-pass", "--json").stdout.splitlines()]
        self.check(lines[-1], "search-result")
        self.assertEqual((len(lines), lines[-1]["q"], lines[-1]["status"]), (2, None, "ok"))
        self.assertIn("--target-bitrate", self.probing("search", "street.y4m", "--target-vmaf", "90", "--two-pass", code=2).stderr)
        self.assertIn("exclude", self.tune("encode", "-i", "street.y4m", "--crf", "30", "--bitrate", "300", "--two-pass", code=2).stderr)

    def test_failures_and_limits_are_reported_in_json(self):
        last = json.loads(self.probing("search", "absent.mkv", "--target-vmaf", "90", "--json", code=2).stdout.splitlines()[-1])
        self.check(last, "error")
        last = json.loads(self.probing("search", "street.y4m", "--q-step", "1", "--target-vmaf", "95", "--max-bitrate", "60", "--json", code=1).stdout.splitlines()[-1])
        self.check(last, "search-result")
        self.assertEqual(last["status"], "no_solution")
        self.assertGreaterEqual(last["best_passing"]["score"], 95)
        self.assertGreater(last["best_passing"]["bitrate_kbps"], 60)

    def test_answers_from_rows(self):
        self.probing("corpus", "street.y4m", "--coarse-to-fine", "--target-vmaf", "90", "--coarse-step", "8", "--fine-step", "2", "-o", "coarse.jsonl")
        rows = self.rows("coarse.jsonl")
        qualities = [r["crf"] for r in rows]
        self.assertEqual(qualities, sorted(qualities))
        self.assertTrue({16, 24, 32, 40} <= set(qualities) and len(qualities) < 10, qualities)
        best = min((r for r in rows if r["score"] >= 90), key=lambda r: r["bitrate_kbps"])
        answer = json.loads(self.tune("search", "--from-corpus", "coarse.jsonl", "--target-vmaf", "90", "--json").stdout)
        self.assertIn("leave out --executor slurm", self.tune("search", "--from-corpus", "coarse.jsonl", "--target-vmaf", "90", "--executor", "slurm", code=2).stderr)
        self.check(answer, "search-result")
        self.assertEqual((answer["q"], answer["status"]), (best["crf"], "ok"))
        between = json.loads(self.tune("search", "--from-corpus", "coarse.jsonl", "--target-vmaf", "90", "--interpolate", "--json").stdout)
        self.assertTrue(between["interpolated"] and best["crf"] <= between["q"] < best["crf"] + 2, between)
        self.assertEqual(json.loads(self.tune("search", "--from-corpus", "coarse.jsonl", "--target-vmaf", "99.99", "--json", code=1).stdout)["status"], "unmet")
        self.tune("search", "--from-corpus", "coarse.jsonl", "--target-vmaf", "99.99", "--best-effort")
        near = json.loads(self.tune("search", "--from-corpus", "coarse.jsonl", "--target-bitrate", str(best["bitrate_kbps"]), "--json").stdout)
        self.assertEqual(near["q"], best["crf"])
        rows[0]["vmaf_model"] = "version=another"
        with open(self.path("mixed.jsonl"), "w") as file: file.writelines(json.dumps(r) + "\n" for r in rows)
        self.assertIn("--allow-mixed-models", self.tune("search", "--from-corpus", "mixed.jsonl", "--target-vmaf", "90", code=2).stderr)
        self.tune("search", "--from-corpus", "mixed.jsonl", "--target-vmaf", "90", "--allow-mixed-models")
        for filters in (("-e", "libx265"), ("-i", "other.mkv"), ("--min-q", "51")): self.tune("search", "--from-corpus", "coarse.jsonl", *filters, "--target-vmaf", "90", code=4)
        self.tune("search", "--from-corpus", "coarse.jsonl", "--max-size", "1M", "--target-vmaf", "90", code=2)

    def test_benchmark_compares_encoders_on_the_sources_that_they_share(self):
        rows = []
        for encoder, factor, sources in (("libx264", 1.0, "ab"), ("libx265", 0.5, "ab"), ("libvpx-vp9", 2.0, "a")):
            for src in sources:
                for q, score in ((20, 97.0), (30, 93.0), (40, 85.0)):
                    rows.append({"src": src, "encoder": encoder, "preset": "medium", "crf": q, "exit_status": 0, "vmaf_score": score, "vmaf_model": "m", "encode_fps": 10.0,
                                 "bitrate_kbps": factor * {"a": 100, "b": 8000}[src] * 2 ** (-q / 10)})
        with open(self.path("bench.jsonl"), "w") as file: file.writelines(json.dumps(r) + "\n" for r in rows)
        document = json.loads(self.tune("benchmark", "--from-corpus", "bench.jsonl", "--target-vmaf", "92", "--baseline-encoder", "libx264", "--per-source", "--json").stdout)
        self.check(document, "benchmark")
        entries = {e["encoder"]: e for e in document["encoders"]}
        self.assertAlmostEqual(entries["libx265"]["bitrate_delta_pct"], -50, places=3)
        self.assertAlmostEqual(entries["libvpx-vp9"]["bitrate_delta_pct"], 100, places=3)  # although it has rows of the easy source only
        for detail in entries["libx264"]["per_source"]:  # between the rows at 30 and 40, like a search
            self.assertTrue(30 < detail["crf"] < 32 and detail["interpolated"] and abs(detail["vmaf_score"] - 92) < 0.5, detail)
        self.tune("benchmark", "--from-corpus", "bench.jsonl", "--target-vmaf", "99", code=1)
        self.assertRegex(self.tune("benchmark", "--from-corpus", "bench.jsonl").stdout, r"\| libx265 \|[ |]* ok \|")
        self.assertIn("| ok |", self.tune("benchmark", "--from-corpus", "bench.jsonl").stdout)
        with open(self.path("bench.jsonl"), "a") as file: file.write("torn\n")
        self.assertIn(":16: not a row", self.tune("benchmark", "--from-corpus", "bench.jsonl").stderr)
        self.tune("benchmark", "--from-corpus", "bench.jsonl", "--strict", code=2)

    def test_benchmark_ranks_only_what_the_rows_can_tell(self):
        curves = {"libx264": (1.0, (20, 30, 40)), "libx265": (0.97, (20, 30, 40)), "libaom-av1": (0.5, (20, 30, 40)), "libvpx-vp9": (0.9, (20,)), "librav1e": (0.6, (40,))}
        with open(self.path("ranks.jsonl"), "w") as file:
            for encoder, (factor, values) in curves.items():
                for q in values:
                    file.write(json.dumps({"src": "a", "encoder": encoder, "preset": "medium", "crf": q, "exit_status": 0, "vmaf_score": 121 - q * 1.2, "vmaf_model": "m", "bitrate_kbps": factor * 1000 * 2 ** (-q / 10)}) + "\n")
        document = json.loads(self.tune("benchmark", "ranks.jsonl", "--target-vmaf", "95", "--json").stdout)
        self.check(document, "benchmark")
        entries = {e["encoder"]: e for e in document["encoders"]}
        # 3 % are less than the error between rows at twice the rate; VP9's only row is far above the target, so that it may need less.
        self.assertEqual([(e["encoder"], e["rank"]) for e in document["encoders"]], [("libaom-av1", 1), ("libx265", 2), ("libx264", 2), ("libvpx-vp9", 1), ("librav1e", None)])
        self.assertEqual((entries["libvpx-vp9"]["bitrate_low_kbps"], entries["librav1e"]["bitrate_delta_pct"], entries["librav1e"]["status"]), (0, None, "unmet"))
        for name in ("libx264", "libaom-av1"):
            e = entries[name]
            self.assertTrue(e["bitrate_low_kbps"] < e["bitrate_kbps"] < e["bitrate_high_kbps"], e)
            self.assertAlmostEqual(e["bitrate_kbps"], curves[name][0] * 1000 * 2 ** (-26 / 12), delta=e["bitrate_kbps"] * 0.001)
        found = json.loads(self.tune("search", "--from-corpus", "ranks.jsonl", "-e", "libx264", "--target-vmaf", "95", "--interpolate", "--json").stdout)
        self.assertTrue(found["bitrate_low_kbps"] < found["bitrate_kbps"] < found["bitrate_high_kbps"], found)

    def test_rows_of_different_configurations_are_never_joined(self):
        def rows():
            for options, size, factor in (([], (640, 360), 1.0), (["--enc", "tune=grain"], (640, 360), 1.7), ([], (320, 180), 0.8)):
                for q, score in ((20, 97.0), (25, 95.0), (30, 93.0), (35, 90.0), (40, 85.0)):
                    yield {"src": "a.mkv", "encoder": "libx264", "preset": "medium", "crf": q, "exit_status": 0, "score": score, "vmaf_score": score, "metric": "vmaf", "pool": "mean", "vmaf_model": "m",
                           "width": 640, "height": 360, "encode_width": size[0], "encode_height": size[1], "options": options, "out_pix_fmt": "yuv420p", "score_scale": "640x360:bicubic",
                           "bitrate_kbps": factor * 900 * 2 ** (-q / 6), "encode_fps": 10.0}
        with open(self.path("variants.jsonl"), "w") as file: file.writelines(json.dumps(r) + "\n" for r in rows())
        self.tune("report", "variants.jsonl", "-o", "variants.md", "--svg", "rate-quality", "variants.svg", "--csv", "variants.csv", "-y")
        table = list(csv.DictReader(open(self.path("variants.csv"))))
        self.assertEqual({r["options"].lstrip("'") for r in table}, {"640x360", "--enc tune=grain 640x360", "320x180"})
        curve = [float(r["score"]) for r in table if "grain" in r["options"]]
        self.assertEqual(curve, sorted(curve))
        self.assertIn("+70.0 %", open(self.path("variants.md")).read())
        answers = [json.loads(line) for line in self.tune("search", "--from-corpus", "variants.jsonl", "--target-vmaf", "93", "--json").stdout.splitlines()]
        self.assertEqual(sorted((a["options"], a["resolution"]) for a in answers), [([], ""), ([], "320x180"), (["--enc", "tune=grain"], "")])
        self.assertIn("options='--enc tune=grain'", self.tune("search", "--from-corpus", "variants.jsonl", "--target-vmaf", "93").stdout)
        entries = json.loads(self.tune("benchmark", "--from-corpus", "variants.jsonl", "--target-vmaf", "92", "--json").stdout)["encoders"]
        for entry, delta in zip(entries, (0, 25, 112.5)): self.assertAlmostEqual(entry["bitrate_delta_pct"], delta, places=3)
        # New rows state everything.
        self.probing("corpus", "street.y4m", "--crf", "34", "--enc", "tune=grain", "--keyint", "12", "-o", "own.jsonl", "-y")
        row = self.rows("own.jsonl")[0]
        self.assertEqual((row["options"], row["encode_width"], row["encode_height"]), (["--enc", "tune=grain", "--keyint", "12"], 176, 144))

    def test_every_command_keeps_encodes_on_request(self):
        for command in (("sample", "--crf", "30"), ("search", "--target-vmaf", "80", "--q-step", "8"), ("compare", "--encoders", "libx264:ultrafast", "--target-vmaf", "80", "--q-step", "8"),
                        ("ladder", "--resolutions", "176x144,88x72", "--target-vmafs", "60", "--q-step", "8")):
            for cached in range(2):
                shutil.rmtree(self.path("kept"), ignore_errors=True)
                run = self.tune(*command, "-i", "street.y4m", *(() if command[0] == "compare" else ("--preset", "ultrafast")), "--score-scale", "none", "--keep", "--work-dir", "kept", *(("--json",) if command[0] == "sample" else ()))
                names = os.listdir(self.path("kept"))
                encodes = [n for n in names if n.endswith(".mkv")]
                self.assertGreaterEqual(len(encodes), {"sample": 1, "ladder": 4}.get(command[0], 2), (command, names))
                for name in encodes: self.assertRegex(name, "^street__libx264__ultrafast__crf[0-9.]+__[0-9a-f]{8}[.]mkv$")
            if command[0] == "sample":
                row = json.loads(run.stdout)
                self.assertEqual((row["encode_file_bytes"], row["argv"][-1]), (os.path.getsize(self.path(row["encode_path"])), "file:" + row["encode_path"]))
        # A file of this name that another run left is no encode of this one.
        self.probing("corpus", "street.y4m", "--crf", "30", "--enc", "tune=grain", "-o", "kept.jsonl")
        self.probing("corpus", "street.y4m", "--crf", "30", "-o", "kept.jsonl", "-y", "--keep", "--work-dir", "kept")
        self.probing("corpus", "street.y4m", "--crf", "30", "--enc", "tune=grain", "-o", "kept.jsonl", "-y", "--keep", "--work-dir", "kept")
        row = self.rows("kept.jsonl")[0]
        self.assertEqual(os.path.getsize(self.path(row["encode_path"])), row["encode_file_bytes"])

    def test_every_search_steps_as_finely_as_the_encoder_allows(self):
        want = json.loads(self.probing("search", "street.y4m", "--target-vmaf", "90", "--thorough", "--json").stdout.splitlines()[-1])
        row = json.loads(self.probing("compare", "street.y4m", "--encoders", "libx264", "--target-vmaf", "90", "--thorough", "--format", "json").stdout)["rows"][0]
        self.assertEqual((row["best_crf"], row["bitrate_kbps"]), (want["q"], want["bitrate_kbps"]))

    # Rows

    def test_older_rows_tables_and_lists(self):
        with open(self.path("list.txt"), "w") as file: file.write("street.y4m\ngradient.y4m\tother.mkv\n")
        self.tune("corpus", "--source-list", "list.txt", "--preset", "ultrafast", "--crf", "34", "--score-scale", "none", "--shot-stats", "--schema", "3", "-o", "old.jsonl")
        rows = [json.loads(line, parse_constant=lambda name: name) for line in open(self.path("old.jsonl"))]
        self.assertEqual([(r["src"], r["schema_version"], len(r), r["shot_count"]) for r in rows], [("street.y4m", 3, 54, 1), ("gradient.y4m", 3, 54, 1)])
        self.tune("corpus", "--source-list", "list.txt", "--preset", "ultrafast", "--crf", "34", "--score-scale", "none", "--format", "csv", "--unordered", "-o", "table.csv")
        table = list(csv.DictReader(open(self.path("table.csv"))))
        self.assertEqual({r["src"] for r in table}, {"street.y4m", "gradient.y4m"})
        sizes = {r["src"]: int(r["encode_file_bytes"]) for r in table}
        self.assertEqual([r["encode_size_bytes"] for r in rows], [sizes["street.y4m"], sizes["gradient.y4m"]])  # of the file
        self.assertGreater(rows[0]["encode_size_bytes"], int(next(r for r in table if r["src"] == "street.y4m")["encode_size_bytes"]))

    # Finished files

    def test_encode_keeps_or_leaves_out_other_streams_and_checks_the_file(self):
        kinds = lambda path: subprocess.check_output(["ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", self.path(path)], text=True).split()
        run = self.probing("encode", "film.mkv", "--crf", "34", "--verify", "--verify-score", "--fail-fast", "--audio-codec", "flac", "-o", "a.mkv", "--json")
        result = json.loads(run.stdout)
        self.check(result, "encode")
        self.assertEqual((kinds("a.mkv"), result["encoded_frames"], result["verified"]), (["h264", "flac"], 72, True))
        self.assertIn("-xerror", result["argv"])
        self.assertIn("VMAF_TUNE_ARGS", subprocess.check_output(["ffprobe", "-v", "error", "-show_format", self.path("a.mkv")], text=True))
        self.tune("encode", "-i", "film.mkv", "--preset", "ultrafast", "--crf", "34", "--video-only", "-o", "v.mp4")
        self.assertEqual(kinds("v.mp4"), ["h264"])
        shutil.copy(self.path("film.mkv"), self.path("own.mkv"))
        self.assertIn("--overwrite-input", self.tune("encode", "-i", "own.mkv", "--preset", "ultrafast", "--crf", "34", "-o", "own.mkv", "-y", code=2).stderr)
        self.tune("encode", "-i", "own.mkv", "--preset", "ultrafast", "--crf", "34", "-o", "own.mkv", "--overwrite-input")
        self.assertEqual(kinds("own.mkv"), ["h264", "aac"])
        self.assertLess(os.path.getsize(self.path("own.mkv")), os.path.getsize(self.path("film.mkv")))
        self.assertFalse([n for n in os.listdir(self.folder) if ".part" in n])

    def test_nothing_runs_with_dry_run(self):
        before = sorted(os.listdir(self.folder))
        for command in (["search", "--target-vmaf", "90"], ["encode", "--target-vmaf", "90", "-o", "never.mkv"], ["sample", "--crf", "30"], ["corpus", "--crf", "30"], ["compare", "--encoders", "libx264"],
                        ["ladder", "--resolutions", "176x144"], ["per-shot", "--target-vmaf", "90"]):
            run = self.tune(command[0], "-i", "film.mkv", "--dry-run", *command[1:])
            self.assertIn("-c:v libx264", run.stdout, command)
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if n != "cache"), [n for n in before if n != "cache"])

    # Shots and ladders

    def test_shots_are_encoded_frame_by_frame_and_an_interrupted_job_goes_on(self):
        with open(self.path("three.csv"), "w") as file: file.write("0,23\n24,47\n48,71\n")
        common = ("per-shot", "film.mkv", "--target-vmaf", "85", "--shots", "three.csv", "--run", "--encode-jobs", "2", "-o", "joined.mkv", "--plan-out", "plan.json")
        process = subprocess.Popen([TUNE, "per-shot", "-i", "film.mkv", "--preset", "ultrafast", "--score-scale", "none", *common[2:]], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "TMPDIR": self.folder, "XDG_CACHE_HOME": self.path("jobs")})
        state = self.path("jobs/vmaf-tune/jobs")
        deadline = time.monotonic() + 600
        while process.poll() is None and not (os.path.isdir(state) and os.listdir(state)) and time.monotonic() < deadline: time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(), (0, 130))
        self.probing(*common, "-y", env={"XDG_CACHE_HOME": self.path("jobs")})
        self.assertEqual(os.listdir(state), [])  # the job is done
        plan = json.load(open(self.path("plan.json")))
        self.check(plan, "plan")
        self.assertGreaterEqual(len(plan["shots"]), 3)
        for shot in plan["shots"]: self.assertAlmostEqual(shot["predicted_vmaf"], shot["final_vmaf"], delta=3)  # exactly the frames that were searched
        self.assertGreater(plan["final_score"], 84)
        self.assertFalse(os.path.exists(self.path("joined.mkv.segments")))
        # Each output has segments of its own; --keep keeps them.
        films = [subprocess.Popen([TUNE, "per-shot", "-i", name, "--preset", "ultrafast", "--score-scale", "none", "--target-vmaf", "60", "--q-step", "8", "--run", "--keep", "--work-dir", "kept", "-o", name + ".mkv"], cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment()) for name in ("street.y4m", "gradient.y4m")]
        for film in films: self.assertEqual((film.communicate()[1].count("replaced"), film.returncode), (0, 0))
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if n.endswith(".segments")), ["gradient.y4m.mkv.segments", "street.y4m.mkv.segments"])
        times = [float(t.strip(",")) for t in subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", self.path("joined.mkv")], text=True).split()]
        self.assertEqual(len(times), 72)
        self.assertAlmostEqual(times[0], 0.022, delta=0.003)  # the same delay to the sound as in the source
        for a, b in zip(times, times[1:]): self.assertAlmostEqual(b - a, 1 / 24, delta=0.002)

    def test_zones_smoothing_and_cheap_probes(self):
        with open(self.path("zones.txt"), "w") as file: file.write("0 10 crf=20\n48 -1 target=70\n")
        with open(self.path("shots.csv"), "w") as file: file.write("0,23\n24,47\n48,71\n")
        self.probing("per-shot", "film.mkv", "--shots", "shots.csv", "--zones", "zones.txt", "--max-q-step", "2", "--probe-rate", "2", "--probe-preset", "superfast", "--target-vmaf", "85", "--plan-out", "zoned.json", "--script-out", "zoned.sh")
        plan = json.load(open(self.path("zoned.json")))
        self.check(plan, "plan")
        shots = plan["shots"]
        self.assertEqual([(s["start_frame"], s["end_frame"]) for s in shots], [(0, 10), (10, 24), (24, 48), (48, 72)])
        self.assertEqual(shots[0]["crf"], 20)
        for a, b in zip(shots[1:], shots[2:]): self.assertLessEqual(abs(a["crf"] - b["crf"]), 2)
        subprocess.run(["sh", "zoned.sh"], cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(subprocess.check_output(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets", "-of", "csv=p=0", self.path("per_shot_encode.mp4")], text=True).split()[0], "h264,72")

    def test_ladder_states_the_produced_streams(self):
        run = self.probing("ladder", "street.y4m", "--resolutions", "176x144,88x72", "--target-vmafs", "80,40", "--format", "json", "--points", "points.jsonl", "--min-bitrate", "30")
        document = json.loads(run.stdout)
        self.check(document, "ladder")
        rows = self.rows("points.jsonl")
        for row in rows: self.check(row, "row")
        rates = [r["bitrate_kbps"] for r in document["renditions"]]
        self.assertEqual(rates, sorted(rates))
        self.assertGreaterEqual(rates[0], 30)
        for r in document["renditions"]:
            self.assertRegex(r["codecs"], r"^avc1\.42C0[0-9A-F]{2}$")
            self.assertGreaterEqual(r["bandwidth_bps"], r["bitrate_kbps"] * 1000)
            self.assertIn((r["crf"], r["vmaf"]), [(p["crf"], p["score"]) for p in rows])

    # HDR

    def test_hdr_model_is_searched_and_doubtful_tags_are_reported(self):
        tags = lambda primaries: ["-vf", f"format=yuv420p10le,setparams=color_primaries={primaries}:color_trc=smpte2084:colorspace=bt2020nc", "-color_primaries", primaries, "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "10"]
        for primaries in ("bt2020", "bt709"): subprocess.check_call([*FFMPEG, "-i", "street.y4m", *tags(primaries), primaries + ".mkv"], cwd=self.folder)
        run = self.probing("sample", "bt2020.mkv", "--crf", "34", "--json")
        self.assertEqual(run.stderr.count("no VMAF model for HDR"), 1)
        self.assertEqual(json.loads(run.stdout)["hdr_transfer"], "pq")
        os.makedirs(self.path("models"), exist_ok=True)
        shutil.copy(os.path.join(os.path.dirname(SCHEMAS), "../../models/vmaf_v0.6.1.json"), self.path("models/vmaf_hdr_v9.json"))
        row = json.loads(self.probing("sample", "bt2020.mkv", "--crf", "34", "--json", env={"VMAF_MODEL_DIR": self.path("models")}).stdout)
        self.assertTrue(row["vmaf_model"].endswith("vmaf_hdr_v9.json"), row["vmaf_model"])
        run = self.probing("sample", "bt709.mkv", "--crf", "34", "--json")
        self.assertIn("treated as SDR", run.stderr)
        self.assertEqual(json.loads(run.stdout)["hdr_transfer"], "")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
