#!/usr/bin/env python3
"""vmaf-tune's stages: how frames reach the scorer, which backend scores, what is cached, what is shown.

  stages_test.py VMAF_TUNE VMAF CLIPGEN
"""
import fcntl
import itertools
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import tune_case

TUNE, VMAF, CLIPGEN = tune_case.take_programs("tune", "vmaf", "clipgen")
FFMPEG = shutil.which("ffmpeg")
PLAIN = ("--score-scale", "none")


class Stages(tune_case.FreshCase):
    FOLDER = "vmaf-tune-stages-"
    TIMEOUT = 120

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clip, cls.encode = cls.make_clip("clip.y4m", "96x64"), cls.path("encode.mkv")
        cls.ffmpeg("-i", cls.clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", cls.encode)

    def tune(self, *arguments, **options):
        return super().tune(*arguments, errors="surrogateescape", **options)

    def score(self, *arguments, **options):
        return json.loads(self.tune("score", *arguments, *PLAIN, "--format", "json", **options).stdout)

    def search(self, *more, **options):
        run = self.tune("search", "-i", self.clip, "--preset", "ultrafast", "--q-step", "1", *PLAIN, "--json", *more, **options)
        return json.loads(run.stdout.splitlines()[-1]), run.stderr

    # How frames reach the scorer

    def test_every_transport_and_scorer_gives_the_same_number(self):
        decoded, raw = self.path("d.y4m"), [self.path("r.yuv"), self.path("d.yuv")]
        self.ffmpeg("-i", self.encode, decoded)
        for source, target in ((self.clip, raw[0]), (decoded, raw[1])): self.ffmpeg("-i", source, "-f", "rawvideo", target)
        size = ("--width", "96", "--height", "64", "--framerate", "24")
        results = {}
        for transport, scorer in itertools.product(("pipe", "file", "direct"), ("library", "binary")):
            common = ("--score-transport", transport, "--scorer", scorer, "--vmaf-bin", VMAF, "--metrics", "vmaf,psnr", "--align", "none")
            results[transport, scorer, "y4m"] = self.score(self.clip, decoded, *common)["frames"]
            results[transport, scorer, "raw"] = self.score(*raw, *size, *common)["frames"]
        first, *others = results.values()
        self.assertEqual(len(first["vmaf"]), 12)
        for other in others: self.assertEqual(other, first)
        self.assertEqual(self.score(self.clip, self.encode)["frames"]["vmaf"], first["vmaf"])
        # A piece of both: the same frames on every path.
        piece = [self.score(self.clip, decoded, "--start-offset", "f:3", "--num-frames", "5", "--score-transport", t)["frames"]["vmaf"] for t in ("pipe", "file", "direct")]
        self.assertEqual((piece[0], piece[1], len(piece[2])), (piece[2], piece[2], 5))
        self.assertEqual(os.listdir(self.folder).count(".vmaf-tune"), 0)

    def test_direct_is_refused_where_something_would_be_converted(self):
        small = self.path("small.y4m")
        self.ffmpeg("-i", self.clip, "-s", "48x32", small)
        for other, scale, words in ((self.encode, "none", "neither YUV4MPEG2 nor raw"), (small, "96x64", "converted or scaled")):
            run = self.tune("score", self.clip, other, "--score-scale", scale, "--score-transport", "direct", "--align", "none", code=4)
            self.assertIn(words, run.stderr)
        run = self.tune("sample", "-i", self.clip, "--crf", "30", "--score-transport", "direct", code=2)
        self.assertIn("an encode has to be decoded", run.stderr)

    def test_reference_is_decoded_once_where_it_fits(self):
        calls = self.path("calls")
        fake = self.program("ffmpeg", f'case "$*" in *rawvideo*clip.y4m*) ;; *clip.y4m*rawvideo*) echo x >> {calls};; esac\nexec {FFMPEG} "$@"')
        scores = []
        for size, decodes in (("2Gi", 1), ("0", 3), ("1K", 3)):
            if os.path.exists(calls): os.remove(calls)
            self.tune("corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "24", "--crf", "30", "--crf", "36", *PLAIN, "--ffmpeg-bin", fake, "--ref-cache", size, "--no-cache", "-o", "rows.jsonl", "-y")
            scores.append([json.loads(line)["score"] for line in open(self.path("rows.jsonl"))])
            self.assertEqual(open(calls).read().count("x"), decodes, size)
        self.assertEqual(scores[0], scores[1])
        self.assertEqual(scores[0], scores[2])
        os.remove(calls)
        self.tune("score", self.clip, self.encode, self.encode, self.encode, *PLAIN, "--align", "none", "--ffmpeg-bin", fake)
        self.assertEqual(open(calls).read().count("x"), 1)

    def test_decoder_that_hangs_is_ended_with_its_scorer(self):
        fake = self.program("ffmpeg", f'case "$*" in *encode-*"-f rawvideo"*) sleep 100;; esac\nexec {FFMPEG} "$@"')
        for transport in ("pipe", "file"):
            run = self.tune("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", *PLAIN, "--ffmpeg-bin", fake, "--timeout", "1s", "--score-transport", transport, code=4)
            self.assertRegex(run.stderr, "made no progress|decoding the encode")
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".vmaf-tune")], [])

    # Backends

    def fake_gpu_scorer(self, fails_from):
        """A scorer that has CUDA until its n-th score; scores come from the CPU."""
        return self.program("gpuvmaf", f"""
case "$*" in *--capabilities*) echo '{{"version": "3", "implementation": "fake", "backends": ["cuda", "cpu"], "details": {{"cuda": {{"usable": true}}}}}}'; exit 0;; esac
out=; prev=; for a in "$@"; do [ "$prev" = --output ] && out="$a"; prev="$a"; done
case "$*" in
*"--backend cuda"*)
  echo x >> {self.path("scores")}
  [ $(wc -l < {self.path("scores")}) -ge {fails_from} ] && {{ echo "CUDA_ERROR_LAUNCH_FAILED" >&2; exit 234; }}
  {VMAF} $(echo "$*" | sed 's/--backend cuda/--backend cpu/') && sed -i 's/"backend_used": "cpu"/"backend_used": "cuda"/' "$out";;
*) exec {VMAF} "$@";;
esac""")

    def test_lost_backend_is_replaced_and_a_search_is_not_mixed(self):
        scorer = ("--scorer", "binary", "--vmaf-bin", self.fake_gpu_scorer(3), "--target-vmaf", "80")
        result, errors = self.search(*scorer, "--output", "rows.jsonl")
        self.assertEqual(result["status"], "ok", errors)
        self.assertEqual(result["score_backend"], "cpu")
        self.assertIn("the scoring backend cuda failed", errors)
        rows = [json.loads(line) for line in open(self.path("rows.jsonl"))]
        # Rows are written immediately; those of the lost backend are measured again, so the result comes from one backend.
        by = {name: [r["crf"] for r in rows if r["score_backend"] == name] for name in ("cuda", "cpu")}
        self.assertEqual(len(by["cuda"]), 2)
        self.assertLessEqual(set(by["cuda"]), set(by["cpu"]))
        self.assertEqual([p["q"] for p in result["probes"]], by["cpu"])
        plain, _ = self.search("--target-vmaf", "80", "--no-cache", "--score-backend", "cpu")
        self.assertEqual((result["q"], result["score"]), (plain["q"], plain["score"]))

    def test_explicit_backend_is_kept_or_the_row_fails(self):
        """A scorer that always computes psnr on the CPU, and reports that in one of three ways."""
        def scorer(says):
            return self.program(f"scorer-{says}", f"""exec python3 - "$@" <<'END'
import json, subprocess, sys
arguments = sys.argv[1:]
if "--capabilities" in arguments:
    print(json.dumps({{"backends": ["cuda", "cpu"], "details": {{"cuda": {{"usable": True}}}}}}))
    sys.exit(0)
subprocess.check_call(["{VMAF}"] + ["cpu" if a == "cuda" else a for a in arguments], pass_fds=(10, 11))
path = arguments[arguments.index("--output") + 1]
document = json.load(open(path))
document["backend_used"] = "cpu" if "--no_prediction" in arguments else "cuda"
if "{says}" == "each":
    document["feature_backends"] = [{{"extractor": "vif_cuda", "backend": "cuda"}}] + ([{{"extractor": "psnr", "backend": "cpu"}}] if "psnr" in arguments else [])
if "{says}" == "nothing": del document["backend_used"]
json.dump(document, open(path, "w"))
END""")
        for says in ("one", "each", "nothing"):
            fake = scorer(says)
            common = ("--preset", "ultrafast", *PLAIN, "--score-backend", "cuda", "--scorer", "binary", "--vmaf-bin", fake, "--score-jobs", "1", "--no-cache", "--overwrite", "-o", "kept.jsonl")
            row = lambda: json.loads(open(self.path("kept.jsonl")).readline())
            with self.subTest(says):
                expected = "unknown" if says == "nothing" else "cuda"
                self.tune("corpus", "-i", self.clip, "--crf", "30", *common)
                self.assertEqual((row()["exit_status"], row()["score_backend"]), (0, expected))
                for metrics in (("--metric", "psnr"), ("--also", "psnr")):
                    run = self.tune("corpus", "-i", self.clip, "--crf", "30", *common, *metrics, code=0 if says == "nothing" else 7)
                    if says == "nothing":
                        self.assertEqual((row()["exit_status"], row()["score_backend"]), (0, "unknown"))
                        continue
                    self.assertEqual((row()["exit_status"], row()["score_backend"]), (503, "cpu"), run.stderr)
                    self.assertIn("--score-backend cuda was not kept", row()["error"]["message"])
        fake = scorer("one")
        for command in (("sample", "-i", self.clip, "--crf", "30"), ("search", "-i", self.clip, "--target", "psnr>=30"), ("compare", "-i", self.clip, "--encoders", "libx264", "--target", "psnr>=30"),
                        ("score", self.clip, self.encode)):
            run = self.tune(*command, *PLAIN, "--metric", "psnr", "--score-backend", "cuda", "--scorer", "binary", "--vmaf-bin", fake, "--no-cache", *(("--preset", "ultrafast") if command[0] != "score" else ()), code=7)
            self.assertIn("not kept", run.stdout + run.stderr)

    def test_several_models_at_once(self):
        models = {"vmaf": "version=vmaf_v0.6.1", "vmaf_neg": "version=vmaf_v0.6.1neg"}
        want = {}
        for name, model in models.items():
            alone = self.score(self.clip, self.encode, "--metric", name)
            want[name] = alone["global"][name]["average"]
            self.assertEqual(alone["models"], {name: model})
        self.assertGreater(want["vmaf"] - want["vmaf_neg"], 0.01)
        for how in (("--metrics", "vmaf,vmaf_neg"), ("--metrics", "vmaf_neg,vmaf"), ("--also", "vmaf_neg"), ("--metrics", "vmaf", "--also", "vmaf_neg", "--also", "psnr")):
            both = self.score(self.clip, self.encode, *how)
            self.assertEqual({n: both["global"][n]["average"] for n in models}, want, how)
            self.assertEqual(both["models"], models)
            self.assertEqual("psnr" in both["global"], "psnr" in how)
        result, _ = self.search("--target", "vmaf>=70", "--target", "vmaf_neg>=70", "-o", "two.jsonl")
        rows = {r["crf"]: r["scores"] for r in map(json.loads, open(self.path("two.jsonl")))}
        self.assertGreaterEqual(rows[result["q"]]["vmaf_neg"]["mean"], 70)
        for scores in rows.values(): self.assertNotEqual(scores["vmaf"]["mean"], scores["vmaf_neg"]["mean"])

    def test_lost_backend_that_was_asked_for_fails_the_row(self):
        fake = self.fake_gpu_scorer(2)
        run = self.tune("corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "24", "--crf", "30", *PLAIN, "--score-backend", "cuda", "--scorer", "binary", "--vmaf-bin", fake, "--score-jobs", "1", "-o", "rows.jsonl", code=5)
        rows = [json.loads(line) for line in open(self.path("rows.jsonl"))]
        self.assertEqual([(r["exit_status"], r["score_backend"]) for r in rows], [(0, "cuda"), (501, "cuda")], run.stderr)
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED", rows[1]["error"]["message"])

    @unittest.skipUnless("FAKE_CUDA" in os.environ, "needs a scorer with CUDA and a driver that fails")
    def test_driver_that_fails_in_the_middle(self):
        common = ("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", *PLAIN, "--no-cache", "--json")
        scorer = ("--scorer", "binary", "--vmaf-bin", os.environ["VMAF_WITH_CUDA"])
        env = {"LD_LIBRARY_PATH": os.path.dirname(os.environ["FAKE_CUDA"]), "FAKE_CUDA_FAIL": "cuLaunchKernel@5=719"}
        run = self.tune(*common, *scorer, env=env)
        row, plain = json.loads(run.stdout), json.loads(self.tune(*common).stdout)
        self.assertEqual((row["score_backend"], row["score"]), ("cpu", plain["score"]))
        self.assertRegex(run.stderr, r"the scoring backend cuda failed .*cuLaunchKernel failed.*; cpu takes over")
        self.assertIn("cuLaunchKernel failed", self.tune(*common, *scorer, "--score-backend", "cuda", env=env, code=4).stderr)

    def bytes(self, name):
        with open(self.path(name), "rb") as file: return file.read()

    def test_map_is_measured_where_the_scores_are(self):
        fake = self.fake_gpu_scorer(100)
        self.score(self.clip, self.encode, "--map", "cpu.npy", "--score-backend", "cpu")
        for wish, used in (("cuda", "cuda"), ("auto", "cuda"), ("cpu", "cpu")):
            result = self.score(self.clip, self.encode, "--map", wish + ".npy", "--scorer", "binary", "--vmaf-bin", fake, "--score-backend", wish)
            self.assertEqual(result["score_backend"], used)
            self.assertEqual(self.bytes(wish + ".npy"), self.bytes("cpu.npy"))

    @unittest.skipUnless("FAKE_CUDA" in os.environ, "needs a scorer with CUDA and a driver that fails")
    def test_map_of_a_driver_that_fails_in_the_middle(self):
        scorer = ("--scorer", "binary", "--vmaf-bin", os.environ["VMAF_WITH_CUDA"])
        env = {"LD_LIBRARY_PATH": os.path.dirname(os.environ["FAKE_CUDA"]), "FAKE_CUDA_FAIL": "cuLaunchKernel@5=719"}
        self.score(self.clip, self.encode, "--map", "cpu.npy", "--score-backend", "cpu")
        run = self.tune("score", self.clip, self.encode, *PLAIN, *scorer, "--map", "lost.npy", "--score-backend", "cuda", env=env, code=4)
        self.assertIn("cuLaunchKernel failed", run.stderr)
        self.assertFalse(os.path.exists(self.path("lost.npy")))
        run = self.tune("score", self.clip, self.encode, *PLAIN, *scorer, "--map", "kept.npy", env=env)
        self.assertRegex(run.stderr, "the scoring backend cuda failed .*; cpu takes over")
        self.assertEqual(self.bytes("kept.npy"), self.bytes("cpu.npy"))

    def test_plain_scorers_get_no_options_that_they_do_not_know(self):
        fake = self.program("plainvmaf", f'case "$*" in *--help*) echo "usage: --reference --distorted" >&2; exit 1;; *--capabilities*|*--backend*|*--precision*) exit 1;; esac\nexec {VMAF} "$@"')
        for wish in ("auto", "cpu"):
            plain = self.score(self.clip, self.encode, "--scorer", "binary", "--vmaf-bin", fake, "--score-backend", wish)
            self.assertAlmostEqual(plain["global"]["vmaf"]["average"], self.score(self.clip, self.encode)["global"]["vmaf"]["average"], places=5)

    PROBES = {"cuda": ("nvidia-smi", "echo 'GPU 0: x'"), "sycl": ("sycl-ls", "echo '[level_zero:gpu] x'"), "hip": ("rocm-smi", "echo 'GPU[0] : Card'"),
              "vulkan": ("vulkaninfo", "echo 'deviceName = x'; echo 'deviceType = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU'")}

    def machine(self, usable, backend_line=True):
        """A PATH with probe programs for these backends, and an old scorer that knows all of them."""
        tools = tempfile.mkdtemp(dir=self.folder)
        for name in usable: self.program(*self.PROBES[name], folder=tools)
        line = "echo '  --backend auto|cpu|cuda|sycl|hip|vulkan'" if backend_line else "echo usage"
        self.program("oldvmaf", f"case $1 in --help) {line} >&2; exit 1;; esac; exit 1", folder=tools)
        self.program("ffmpeg", f"echo ran >> {self.path('ran')}; exec {FFMPEG} \"$@\"", folder=tools)
        os.symlink(shutil.which("ffprobe"), os.path.join(tools, "ffprobe"))
        for name in ("sh", "env"): os.symlink(shutil.which(name), os.path.join(tools, name))
        return tools

    def test_auto_takes_the_first_backend_of_every_subset(self):
        order = ["cuda", "sycl", "hip", "vulkan"]
        for usable in ([], ["vulkan"], ["hip"], ["sycl", "vulkan"], ["hip", "vulkan"], order):
            with self.subTest(usable):
                run = self.tune("score", self.clip, self.clip, "--scorer", "binary", "--vmaf-bin", "oldvmaf", "-v", "--align", "none", env={"PATH": self.machine(usable)}, code=4)
                self.assertIn(f"scoring backend = {(usable + ['cpu'])[0]} (auto", run.stderr)
        run = self.tune("score", self.clip, self.clip, "--scorer", "binary", "--vmaf-bin", "oldvmaf", "-v", "--align", "none", env={"PATH": self.machine(order, backend_line=False)}, code=4)
        self.assertIn("scoring backend = cpu (auto; cuda: not built", run.stderr)

    def test_backend_that_is_not_usable_ends_every_command_before_any_encode(self):
        tools = self.machine(["vulkan"])
        common = ("--scorer", "binary", "--vmaf-bin", "oldvmaf", "--score-backend", "hip")
        source = ("-i", self.clip)
        for command in (("corpus", *source, "--crf", "30"), ("search", *source, "--target-vmaf", "90"), ("sample", *source, "--crf", "30"), ("encode", *source, "--crf", "30"),
                        ("score", self.clip, self.encode), ("compare", *source, "--target-vmaf", "90"), ("per-shot", *source, "--target-vmaf", "90"), ("ladder", *source)):
            with self.subTest(command[0]):
                run = self.tune(*command, *common, env={"PATH": tools}, code=7)
                self.assertIn("--score-backend hip is not usable: the scorer cannot use it here (rocm-smi is not installed)", run.stderr)
                self.assertIn("usable: vulkan, cpu", run.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_software_vulkan_counts_on_request_only(self):
        tools = self.machine([])
        self.program("vulkaninfo", "echo 'deviceName = llvmpipe'; echo 'deviceType = PHYSICAL_DEVICE_TYPE_CPU'", folder=tools)
        report = json.loads(self.tune("doctor", "--json", "--scorer", "binary", "--vmaf-bin", "oldvmaf", env={"PATH": tools}).stdout)
        self.assertEqual((report["auto"], report["backends"]["vulkan"]["usable"], report["backends"]["vulkan"]["only_on_request"]), ("cpu", True, True))

    def test_device_and_processors_reach_the_programs(self):
        log = self.path("arguments")
        fake = self.program("gpu", f"""case "$*" in *--capabilities*) echo '{{"backends": ["cuda", "hip", "cpu"], "details": {{"cuda": {{"usable": true}}, "hip": {{"usable": true}}}}}}'; exit 0;; esac
echo "$CUDA_VISIBLE_DEVICES $*" >> {log}; grep Cpus_allowed_list /proc/self/status >> {log}; exit 1""")
        common = ("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--scorer", "binary", "--vmaf-bin", fake, "--device", "1", "--cpus", "0")
        self.tune(*common, "--score-backend", "cuda", code=4)
        self.tune(*common, "--score-backend", "hip", code=4)
        text = open(log).read()
        self.assertRegex(text, r"(?m)^1 .*--backend cuda")
        self.assertIn("--backend hip --hip_device 1", text)
        self.assertEqual(re.findall(r"list:\s*(\S+)", text), ["0", "0"])

    def test_doctor_says_what_works(self):
        run = self.tune("doctor")
        for words in ("auto takes", "nvidia-smi -L", "libx264", "available", "filters: addroi", "film grain:", "cache:", " MB free"): self.assertIn(words, run.stdout)
        self.tune("doctor", "--ffmpeg-bin", "/nonexistent", code=4)
        self.tune("doctor", "--scorer", "binary", "--vmaf-bin", "/nonexistent", code=4)

    # score

    def test_variable_rate_is_paired_by_time(self):
        long = self.path("long.y4m")
        subprocess.check_call([CLIPGEN, "--size", "96x64", "--frames", "40", "--format", "420", "--depth", "8", "--scene", "street", long])
        x264 = ("-c:v", "libx264", "-preset", "ultrafast", "-qp", "0")
        self.ffmpeg("-i", long, "-vf", "select='not(eq(mod(n,5),2))'", "-fps_mode", "vfr", *x264, self.path("vfr.mkv"))
        self.ffmpeg("-i", long, "-vf", "select=not(mod(n\\,2))", "-fps_mode", "passthrough", *x264, self.path("half.mkv"))
        for name, frames in (("vfr.mkv", 32), ("half.mkv", 20)):
            result = self.score(long, name, "--pair", "time")
            self.assertEqual((result["pairing"], result["scored_frames"]), ("time", frames))
            self.assertGreater(result["global"]["vmaf"]["min"], 95)
        self.assertEqual(self.score(long, "vfr.mkv")["pairing"], "time")  # chosen by itself
        self.assertIn("or use --pair time", self.tune("score", long, "half.mkv", "--align", "none", code=4).stderr)
        self.assertIn("frame count mismatch", self.tune("score", long, "vfr.mkv", "--pair", "index", "--align", "none", "--score-fps", "24", code=4).stderr)

    def test_results_come_in_four_formats(self):
        whole = self.score(self.clip, self.encode, "--metrics", "vmaf,psnr")
        self.assertEqual(sorted(whole["global"]["psnr"]), ["average", "harmonic_mean", "max", "median", "min", "stdev"])
        text = {f: self.tune("score", self.clip, self.encode, *PLAIN, "--format", f).stdout for f in ("csv", "xml", "human")}
        self.assertEqual(len(text["csv"].splitlines()), 13)
        self.assertEqual(text["xml"].count("<frame "), 12)
        self.assertIn(f'average="{whole["global"]["vmaf"]["average"]}"', text["xml"])
        self.assertRegex(text["human"], r"encode.mkv: vmaf [0-9.]+ \(min ")

    # Caching

    def test_cache_is_listed_pruned_and_verified(self):
        common = ("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", *PLAIN, "--json")
        miss, hit = (json.loads(self.tune(*common).stdout) for _ in range(2))
        self.assertEqual((miss.pop("from_cache"), hit.pop("from_cache")), (False, True))
        for row in (miss, hit): del row["run_id"], row["timestamp"], row["argv"]
        self.assertEqual(hit, miss)
        self.assertIn("score    1", self.tune("cache", "stats").stdout)
        entries = [json.loads(line) for line in self.tune("cache", "list", "--json").stdout.splitlines()]
        self.assertIn(f"libx264 ultrafast 30 {self.clip}", [e["about"] for e in entries])
        self.assertIn("damaged and removed; database: sound", self.tune("cache", "verify").stdout)
        self.tune("cache", "prune", code=2)
        self.assertIn("forgot 0 entries", self.tune("cache", "prune", "--older", "1h").stdout)
        self.assertTrue(json.loads(self.tune(*common).stdout)["from_cache"])
        old = self.path(".vmaf-tune-abandoned")
        os.mkdir(old)
        os.utime(old, (0, 0))
        self.assertIn("old scratch folder: " + old, self.tune("cache", "prune", "--to", "0").stdout)
        self.assertFalse(json.loads(self.tune(*common).stdout)["from_cache"])
        self.tune("cache", "prune", "--scratch")
        self.assertFalse(os.path.exists(old))
        self.assertIn(": 0 entries", self.tune("cache", "clear").stdout)

    def test_failures_are_remembered_on_request(self):
        tries = self.path("tries")
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) echo x >> {tries}; exit 1;; esac\nexec {FFMPEG} "$@"')
        common = ("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--ffmpeg-bin", fake)
        for flags, count in (((), 1), ((), 2), (("--cache-failures",), 3), (("--cache-failures",), 3), ((), 4)):
            self.tune(*common, *flags, code=4)
            self.assertEqual(open(tries).read().count("x"), count)

    # Names, room, signals

    def test_any_name_works(self):
        for name in ("-dash.y4m", "a b 'q' \"d\".y4m", "per%cent%d.y4m", "co:lon,comma;[x].y4m", "ä€😀.y4m", os.fsdecode(b"\xff\xfe.y4m")):
            with self.subTest(name):
                shutil.copy(self.clip, self.path(name))
                run = self.tune("sample", "-i", "./" + name if name.startswith("-") else name, "--preset", "ultrafast", "--crf", "30", *PLAIN)
                self.assertIn("crf=30", run.stdout)
        self.score("./-dash.y4m", "co:lon,comma;[x].y4m", "--align", "none", "--frames", "frames.jsonl")
        common = ("-i", name, "--score-scale", "none", "--min-crf", "30", "--max-crf", "30", "--json")
        for command in (("search", "--preset", "ultrafast", "--target-vmaf", "1"), ("compare", "--encoders", "libx264:ultrafast", "--target-vmaf", "1")):
            self.assertIn("\ufffd", self.tune(*command, *common).stdout)

    def test_too_little_room_is_said_before_any_encode(self):
        disk = self.small_disk("70m")
        big = self.path("big.yuv")
        with open(big, "wb") as file: file.truncate(1920 * 1080 * 3 // 2 * 400)
        run = self.tune("sample", "-i", big, "--width", "1920", "--height", "1080", "--crf", "30", "--work-dir", disk, code=6)
        self.assertRegex(run.stderr, r"only \d+ MB are free in '.*', at least 98 MB are needed")
        self.assertEqual(os.listdir(disk), [])

    def interrupted(self, number, ignored=(), goes_on=True):
        """The exit code and rows of a run that gets a signal in its first encode, which continues if it `goes_on`, or else never ends."""
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) touch {self.path("started")}; while [ ! -e {self.path("go")} ]; do sleep 0.05; done;; esac\nexec {FFMPEG} "$@"')
        ignore = lambda: [signal.signal(n, signal.SIG_IGN) for n in ignored]
        process = subprocess.Popen([TUNE, "corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--crf", "31", *PLAIN, "--ffmpeg-bin", fake, "--no-cache", "-y", "-o", "rows.jsonl"], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment(), preexec_fn=ignore)
        while not os.path.exists(self.path("started")): time.sleep(0.01)
        process.send_signal(number)
        if goes_on: open(self.path("go"), "w").close()
        code = process.wait(timeout=600)
        for name in ("started", "go"):
            if os.path.exists(self.path(name)): os.remove(self.path(name))
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".vmaf-tune")], [])
        return code, len(open(self.path("rows.jsonl")).readlines())

    def test_hang_up_and_termination_end_at_once(self):
        for number in (signal.SIGHUP, signal.SIGTERM):
            self.assertEqual(self.interrupted(number, goes_on=False), (130, 0))

    def test_a_first_interrupt_finishes_what_runs(self):
        self.assertEqual(self.interrupted(signal.SIGINT), (130, 1))

    def test_an_interrupted_run_promises_no_probes_that_it_does_not_keep(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) kill -INT $PPID; sleep 1;; esac\nexec {FFMPEG} "$@"')
        run = ["corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", *PLAIN, "--ffmpeg-bin", fake, "-y", "-o", "rows.jsonl"]
        self.assertTrue(self.tune(*run, "--no-cache", code=130).stderr.endswith(": interrupted\n"))
        self.assertIn("finished probes are in the cache", self.tune(*run, code=130).stderr)

    def test_nohup(self):
        self.assertEqual(self.interrupted(signal.SIGHUP, ignored=[signal.SIGHUP]), (0, 2))

    # Output

    def on_terminal(self, *arguments, both=False, columns=80, **env):
        main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([TUNE, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=other if both else subprocess.DEVNULL, stderr=other, env=self.environment(env))
        os.close(other)
        text = b""
        while True:
            try: part = os.read(main, 65536)
            except OSError: break
            if not part: break
            text += part
        os.close(main)
        self.assertEqual(process.wait(), 0, text)
        return text.decode()

    @staticmethod
    def screen(text):
        """What a terminal shows after receiving this text."""
        lines, row, column = [""], 0, 0
        for piece in re.findall(r"\033\[[0-9;]*[A-Za-z]|\r|\n|[^\033\r\n]+", text):
            if piece == "\r": column = 0
            elif piece == "\n":
                row, column = row + 1, 0
                if row == len(lines): lines.append("")
            elif piece == "\033[A": row = max(0, row - 1)
            elif piece == "\033[K": lines[row] = lines[row][:column]
            elif not piece.startswith("\033"):
                lines[row] = lines[row][:column].ljust(column) + piece + lines[row][column + len(piece):]
                column += len(piece)
        return "\n".join(line.rstrip() for line in lines)

    def test_answers_stay_on_the_terminal(self):
        source = ("-i", self.clip, "--preset", "ultrafast", "--score-scale", "1280x720")
        for command, answer in ((("sample", *source, "--crf", "30"), r"(?m)^crf=30 vmaf=|VMAF"), (("encode", *source, "--crf", "30", "-o", "e.mkv", "--verify-score"), r"(?m)^e\.mkv"),
                                (("score", self.clip, self.encode, "--score-scale", "1280x720", "--align", "none"), r"(?m)encode\.mkv: vmaf \d")):
            with self.subTest(command[0]):
                seen = self.screen(self.on_terminal(*command, both=True))
                self.assertRegex(seen, answer)
                self.assertNotIn(" probes", seen)

    def test_terminals_see_bars_and_colours(self):
        common = ("search", "-i", self.clip, "--preset", "ultrafast", "--q-step", "1", "--target-vmaf", "80", "--score-scale", "1280x720")
        text = self.on_terminal(*common)
        self.assertRegex(text, r"libx264 crf \d+ (encode|score) \[[#-]{20}\]")
        self.assertRegex(text, r"score \[[#-]{20}\] +[1-9]\d*%")
        self.assertIn("/about 4 probes", text)
        self.assertRegex(text, "\033\\[32mlibx264 ")
        self.assertRegex(text, "\033\\[31mlibx264 .*misses the target")
        self.assertNotIn("\033[3", self.on_terminal(*common, NO_COLOR="1"))

    def test_narrow_terminals_see_percent_and_time_left(self):
        for columns in (44, 20):
            text = self.on_terminal("search", "-i", self.clip, "--preset", "ultrafast", "--q-step", "1", "--target-vmaf", "80", "--score-scale", "1280x720", "--no-cache", columns=columns)
            self.assertRegex(text, r"\d% ETA \d:\d\d" if columns == 20 else r"score .*\d%.* ETA \d:\d\d")
            self.assertRegex(text, r"/about \d, ETA" if columns == 20 else r"/about \d probes, ETA")
            for line in re.sub("\033[^A-Za-z]*[A-Za-z]", "\n", text).splitlines():
                if "%" in line: self.assertLess(len(line), columns, line)

    def test_terminals_are_not_controlled_by_names(self):
        name = "a\x1b[31mred.y4m"
        shutil.copy(self.clip, self.path(name))
        for command in (("score", name, name), ("per-shot", "-i", name, "--preset", "ultrafast", "--target-vmaf", "50", "--q-step", "8"), ("encode", "-i", name, "--preset", "ultrafast", "--crf", "40", "-o", name + ".mkv")):
            text = self.on_terminal(*command, "--score-scale", "none", both=True)
            self.assertNotIn("\x1b[31mred", text)
            self.assertIn("red", text)

    def test_events_and_logs_record_what_happens(self):
        result = self.tune("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--score-scale", "1280x720", "--progress", "json", "--log", "run.log", "--timeout", "60")
        events = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertIn("sample-done", [e["type"] for e in events])
        for event in events:
            if event["type"] == "progress": self.assertTrue(0 <= event["percent"] <= 100)
        log = open(self.path("run.log")).read()
        self.assertRegex(log, r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* \+ \S*/vmaf --quiet --json")
        run = self.tune("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "31", *PLAIN, "-vvv")
        self.assertIn("+ " + FFMPEG, run.stderr)
        self.assertIn("frame=", run.stderr)  # the encoder's output
        self.assertEqual(self.tune("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "32", *PLAIN, "-q").stderr, "")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
