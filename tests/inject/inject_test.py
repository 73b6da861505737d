"""Allocations, threads and files that fail: calls return -ENOMEM, commands print one message and exit with a documented code.

   inject_test.py LIBINJECT API_SWEEP VMAF CLIPGEN [VMAF_TUNE]
Every allocation is tried with VMAF_SWEEP=full (.ci/full); otherwise a sample, which differs per test."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FULL = os.environ.get("VMAF_SWEEP") == "full"
LIBRARY, API_SWEEP, VMAF, CLIPGEN = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])
TUNE = str(pathlib.Path(sys.argv[5]).resolve()) if len(sys.argv) > 5 else None
sys.argv[1:] = []
COMMAND_CODES = {0, 1, 100, 234, 255}
TUNE_CODES = {0, 1, 2, 3, 4, 5, 6, 7, 70}


def run(command, rules=None, report=None, path=None, timeout=600):
    env = dict(os.environ, LD_PRELOAD=LIBRARY)
    for name, value in (("INJECT", rules), ("INJECT_REPORT", report), ("INJECT_PATH", path)):
        if value: env[name] = str(value)
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout)


def calls_of(command, kind, folder, path=None):
    """How often a command makes calls of a kind when nothing fails."""
    report = pathlib.Path(folder) / "calls"
    result = run(command, "alloc@0", report, path)
    assert result.returncode == 0, result.stderr
    return dict(line.split() for line in report.read_text().splitlines()), int(dict(line.split() for line in report.read_text().splitlines())[kind])


def sample(total, count):
    """All numbers up to `total`, or about `count` of them: many of the first, then fewer."""
    if FULL or total <= count: return range(1, total + 1)
    dense = count // 3
    return sorted(set(range(1, dense + 1)) | set(range(dense + 1, total + 1, max(1, (total - dense) // (count - dense)))))


class Api(unittest.TestCase):
    def test_calls_answer_enomem(self):
        for scenario, stride in (("models", 31), ("collection", 1709), ("alone", 97), ("threads", 101)):
            with self.subTest(scenario):
                result = run([API_SWEEP, scenario, "1" if FULL and scenario != "collection" else "13" if FULL else str(stride)], timeout=1800)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for name, distortion in (("ref", "none"), ("dis", "dct:24")):
            subprocess.run([CLIPGEN, "--size", "64x48", "--frames", "2", "--format", "420", "--depth", "8", "--scene", "street", "--seed", "1",
                            "--distort", distortion, cls.folder / f"{name}.y4m"], check=True)
        cls.out = cls.folder / "out.json"
        cls.command = [VMAF, "-r", cls.folder / "ref.y4m", "-d", cls.folder / "dis.y4m", "-o", cls.out, "--json", "-q", "--threads", "2"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check(self, result, what):
        self.assertIn(result.returncode, COMMAND_CODES, f"{what}: {result.returncode} {result.stderr}")
        leftovers = {p.name for p in self.folder.iterdir()} - {"ref.y4m", "dis.y4m", "out.json", "calls"}
        self.assertEqual(leftovers, set(), what)
        if result.returncode == 0:
            json.loads(self.out.read_text())
            self.out.unlink()
        else:
            self.assertFalse(self.out.exists(), what)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, f"{what}: {result.stderr!r}")

    def test_allocations(self):
        _, total = calls_of(self.command, "alloc", self.folder)
        self.out.unlink()
        for n in sample(total, 60):
            self.check(run(self.command, f"alloc@{n}"), f"allocation {n}")
        for n in sample(total, 15):
            self.check(run(self.command, f"alloc@{n}+"), f"allocations from {n}")

    def test_threads(self):
        _, total = calls_of(self.command, "thread", self.folder)
        self.out.unlink()
        self.assertGreaterEqual(total, 2)
        for n in range(1, total + 1):
            result = run(self.command, f"thread@{n}")
            self.check(result, f"thread {n}")
            self.assertNotEqual(result.returncode, 0)
            self.assertRegex(result.stderr, "thread")

    def test_output(self):
        counts, _ = calls_of(self.command, "write", self.folder, "out.json")
        self.out.unlink()
        for kind in ("open", "write", "sync", "rename", "close"):
            for n in range(1, int(counts[kind]) + 1):
                for error in ("EIO", "ENOSPC", "EINTR") + (("short",) if kind == "write" else ()):
                    what = f"{kind}={error}@{n}"
                    self.check(run(self.command, what, path="out.json"), what)

    def test_input(self):
        counts, _ = calls_of(self.command, "read", self.folder, ".y4m")
        self.out.unlink()
        expected = None
        for n in ["*"] + list(range(1, int(counts["read"]) + 1)):
            for error in ("short", "EINTR", "EIO"):
                if (n, error) == ("*", "EINTR"): continue  # endless
                what = f"read={error}@{n}"
                result = run(self.command, what, path=".y4m")
                self.assertIn(result.returncode, {0, 234, 255}, f"{what}: {result.stderr}")
                if error != "EIO": self.assertEqual(result.returncode, 0, f"{what}: {result.stderr}")
                if result.returncode == 0:
                    scores = json.loads(self.out.read_text())["frames"]
                    expected = expected or scores
                    self.assertEqual(scores, expected, what)
                    self.out.unlink()


@unittest.skipUnless(TUNE, "no vmaf-tune in this build")
class Tune(unittest.TestCase):
    def test_allocations(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["--version"], ["--help"]):
                command = [TUNE] + arguments
                _, total = calls_of(command, "alloc", folder)
                numbers = range(1, total + 1, total // 150 + 1) if FULL else sample(total, 12)  # of about 100 000
                for n in numbers:
                    for rules in (f"alloc@{n}", f"alloc@{n}+"):
                        result = run(command, rules)
                        self.assertIn(result.returncode, TUNE_CODES, f"{arguments} {rules}: {result.returncode} {result.stderr}")
                        if result.returncode: self.assertEqual(len(result.stderr.strip().splitlines()), 1, f"{arguments} {rules}: {result.stderr!r}")


if __name__ == "__main__":
    unittest.main()
