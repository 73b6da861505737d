"""The parity gate (backends.md 11): scores of every feature with scalar code, with every instruction set of this machine, and of
the device kernels run by the CPU, on varied clips; and the gate itself: reports and exit codes."""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

PARITY, VMAF, CLIPGEN = (os.path.abspath(os.environ[name]) for name in ("PARITY", "VMAF", "CLIPGEN"))
CPU = "scalar,avx2,avx512,neon,cpu"
# Metrics whose pages explain why bits differ.
OTHER_BITS = {"ciede": "1.0e-08", "ssimulacra2": "1.0e-09"}
REFUSING = {"cambi", "float_ms_ssim", "speed_chroma", "psnr_hvs"}  # refuse small clips; the last one refuses 16 bits

# A wrapper of the command that makes scalar scores slightly wrong, or fails.
WRAPPER = """#!{python}
import os, re, subprocess, sys
arguments = sys.argv[1:]
code = subprocess.call([{vmaf!r}, *arguments])
if os.environ["WRONG"] == "exit": print("x" * 500, file=sys.stderr); sys.exit(255)
path = arguments[arguments.index("-o") + 1]
if "--cpumask" in arguments:
    text = open(path).read()
    if os.environ["WRONG"] == "digit": text = re.sub(r'("integer_vif_scale0": )0', r'\\g<1>1', text, count=1)
    if os.environ["WRONG"] == "name": text = text.replace("integer_vif_scale0", "another")
    open(path, "w").write(text)
sys.exit(code)
"""


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def clips(self, size="176x144", form="420", depth=8, scene="street", distort="dct:40", frames=3):
        paths = []
        for kind in ("none", distort):
            path = self.folder / f"{size}_{form}_{depth}_{scene}_{kind.replace(':', '')}.y4m"
            if not path.exists():
                subprocess.check_call([CLIPGEN, "--size", size, "--frames", str(frames), "--format", form, "--depth", str(depth),
                                       "--scene", scene, "--distort", kind, str(path)])
            paths.append(str(path))
        return paths

    def gate(self, clips, *arguments, expect=0, vmaf=VMAF, **variables):
        run = subprocess.run([PARITY, "--vmaf-binary", vmaf, "--reference", clips[0], "--distorted", clips[1],
                              "--workdir", str(self.folder), *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables})
        if expect is not None: self.assertEqual(run.returncode, expect, run.stdout + run.stderr)
        return run

    def wrapper(self):
        path = self.folder / "wrapper"
        path.write_text(WRAPPER.format(python=sys.executable, vmaf=VMAF))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)


class Backends(Gate):
    def features(self):
        features = json.loads(subprocess.check_output([VMAF, "--capabilities", "--no_cuda"]))["features"]
        return [f for f in features if f not in ("null", *REFUSING)]

    def test_every_instruction_set_gives_the_scores_of_scalar_code(self):
        small = ",".join(self.features())
        for clips in (self.clips(), self.clips("175x131"), self.clips(form="444", depth=10), self.clips(distort="none"),
                      self.clips(scene="flat")):
            self.gate(clips, "--features", small, "--backends", CPU)
        for clips in (self.clips("960x540", frames=2), self.clips("400x392", form="422", depth=12)):
            self.gate(clips, "--backends", "scalar,cpu")

    def test_device_kernels_run_by_the_cpu_have_its_bits(self):
        for clips in (self.clips(), self.clips("175x131"), self.clips(form="444", depth=10), self.clips(distort="none"),
                      self.clips(scene="flat"), self.clips(scene="noise", depth=16), self.clips("960x540", frames=2),
                      self.clips("1280x720", frames=2)):
            run = self.gate(clips, "--backends", "scalar cpu host", expect=None)
            for line in run.stdout.splitlines():
                refused = "  ERROR  " in line and line.split()[0] in REFUSING
                ceiling = OTHER_BITS.get(line.split()[0], "0.0e+00")
                self.assertTrue(refused or ("  OK  " in line and f"ceiling {ceiling}" in line), line)

    def test_cells_have_the_same_bits_everywhere(self):
        out = self.folder / "cells.json"
        features = "vif,adm,psnr,vif=vif_enhn_gain_limit=1,float_vif,float_adm,ssim,float_ssim,ciede"
        for clips, more in ((self.clips(), ""), (self.clips("175x131"), ""), (self.clips("222x118", form="444", depth=10), ",cambi")):
            self.gate(clips, "--features", features + more, "--cells", "32", "--backends", "scalar,cpu,host", "--json-out", str(out))
            for cell in json.loads(out.read_text())["cells"]:
                self.assertTrue(any(score.endswith(" cell 19") for score in cell["per_metric_max_abs_diff"]), cell)

    def test_raw_clips_need_their_geometry(self):
        paths = []
        for clip in self.clips():
            path = clip[:-4] + ".yuv"
            subprocess.check_call([CLIPGEN, "--size", "176x144", "--frames", "2", path])
            paths.append(path)
        self.gate(paths, "--width", "176", "--height", "144", "--features", "motion", "--backends", "cpu,host")


class Reports(Gate):
    def test_the_json_report_has_the_stated_form(self):
        out = self.folder / "report.json"
        self.gate(self.clips(), "--features", "vif", "--backends", "cpu,host", "--json-out", str(out))
        text = out.read_text()
        report = json.loads(text)
        self.assertEqual(text, json.dumps(report, indent=2, sort_keys=True) + "\n")
        scores = [f"integer_vif_scale{i}" for i in range(4)]
        self.assertEqual(report, {"schema_version": 1, "cells": [{
            "backend_a": "cpu", "backend_b": "host", "feature": "vif", "n_frames": 3, "note": "", "status": "OK",
            "per_metric_max_abs_diff": {s: 0.0 for s in scores}, "per_metric_mismatches": {s: 0 for s in scores},
            "tolerance_abs": 0.0, "tolerance_source": "default"}]})

    def test_a_wrong_score_fails_the_gate_and_is_shown(self):
        out, page = self.folder / "wrong.json", self.folder / "wrong.md"
        run = self.gate(self.clips(), "--features", "vif", "--backends", "scalar,cpu", "--json-out", str(out), "--md-out",
                        str(page), vmaf=self.wrapper(), WRONG="digit", expect=1)
        self.assertRegex(run.stdout, r"^vif  scalar ↔ cpu  FAIL  3 frames, largest difference 1\.000e\+00")
        cell = json.loads(out.read_text())["cells"][0]
        self.assertEqual(cell["status"], "FAIL")
        self.assertEqual(cell["per_metric_mismatches"]["integer_vif_scale0"], 1)
        self.assertEqual(cell["per_metric_max_abs_diff"]["integer_vif_scale0"], 1.0)
        self.assertIn("| vif | scalar ↔ cpu | 0.0e+00 | default | 3 | 1.000e+00 | FAIL |", page.read_text())
        self.assertIn("`integer_vif_scale0`: largest difference 1.000e+00, 1 frames above the ceiling", page.read_text())

    def test_a_calibrated_ceiling_replaces_the_default(self):
        table = self.folder / "table.json"
        table.write_text(json.dumps([
            {"gpu_id_pattern": "cuda:*", "label": "any", "status": "placeholder", "features": {"vif": 0.1}},
            {"gpu_id_pattern": "cuda:9.*", "label": "Hopper", "status": "calibrated", "features": {"vif": 2.0}}]))
        out = self.folder / "calibrated.json"
        for gpu, feature, source, code in (("cuda:9.0", "vif", "calibrated:cuda:9.*", 0), ("cuda:8.0", "vif", "placeholder:cuda:*", 1),
                                           ("cuda:9.0", "motion", "placeholder-default:cuda:9.*", 0),
                                           ("hip:gfx1030", "motion", "no-calibration:hip:gfx1030", 0)):
            self.gate(self.clips(), "--features", feature, "--backends", "scalar,cpu", "--calibration-table", str(table), "--gpu-id",
                      gpu, "--json-out", str(out), vmaf=self.wrapper(), WRONG="digit", expect=code)
            self.assertEqual(json.loads(out.read_text())["cells"][0]["tolerance_source"], source)

    def test_failing_runs_and_missing_scores_are_errors(self):
        for wrong, words in (("exit", "x" * 100), ("name", "only one backend has another")):
            out = self.folder / "error.json"
            self.gate(self.clips(), "--features", "vif", "--backends", "scalar,cpu", "--json-out", str(out), vmaf=self.wrapper(),
                      WRONG=wrong, expect=1)
            cell = json.loads(out.read_text())["cells"][0]
            self.assertEqual(cell["status"], "ERROR")
            self.assertIn(words, cell["note"])
            self.assertLessEqual(len(cell["note"]), 200)

    def test_a_backend_that_is_not_there_is_an_error_unless_skipping_is_allowed(self):
        arguments = ("--features", "vif", "--backends", "cpu,hip")
        self.assertIn("  ERROR  ", self.gate(self.clips(), *arguments, expect=1).stdout)
        self.assertIn("  SKIP  ", self.gate(self.clips(), *arguments, "--allow-skip").stdout)

    def test_wrong_usage_is_exit_2(self):
        clips = self.clips()
        self.gate(("/no/such/clip", clips[1]), expect=2)
        self.gate(clips, vmaf="/no/such/program", expect=2)
        for arguments in (("--nonsense",), ("--backends", "cpu"), ("--width", "176"), ("--contract", "loose"), ("extra",),
                          ("--backends", "cpu,nosuch"), ("--calibration-table", "/no/such/table", "--features", "vif"),
                          ("--bitdepth", "x")):
            self.assertEqual(len(self.gate(clips, *arguments, expect=2).stderr.splitlines()), 1, arguments)


if __name__ == "__main__":
    unittest.main()
