"""Shared by the command's tests: running it, making clips, reading documents."""
import contextlib
import fcntl
import json
import os
import pathlib
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tune"))
import schema

SCHEMA = ROOT / "tools/command/document.schema.json"
VMAF = os.path.abspath(os.environ["VMAF"])
CLIPGEN = os.path.abspath(os.environ["CLIPGEN"])
SANITIZERS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:")


class CommandTest(unittest.TestCase):
    """A folder with a small pair of clips, ref.y4m and dist.y4m, for all tests of a class."""

    size, frames = "64x48", 4

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.ref = cls.clip("ref.y4m")
        cls.dist = cls.clip("dist.y4m", distort="dct:40")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def clip(cls, name, distort="none", size=None, frames=None, form="420", depth=8, scene="street"):
        path = cls.folder / name
        subprocess.check_call([CLIPGEN, "--size", size or cls.size, "--frames", str(frames or cls.frames), "--format", form,
                               "--depth", str(depth), "--scene", scene, "--distort", distort, str(path)])
        return str(path)

    @classmethod
    def file(cls, name, content):
        path = cls.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def vmaf(self, *arguments, expect=0, **popen):
        """Runs the command; its exit code must be `expect`, if given."""
        run = subprocess.run([VMAF, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             timeout=600, **popen)
        for name in SANITIZERS:
            self.assertNotIn(name, run.stderr)
        if expect is not None:
            self.assertEqual(run.returncode, expect, f"{arguments}: {run.stderr}")
        return run

    def score(self, *arguments, expect=0, **popen):
        """Runs the command on the pair of clips."""
        return self.vmaf("-r", self.ref, "-d", self.dist, *arguments, expect=expect, **popen)

    def document(self, *arguments):
        """The JSON document of a run on the pair of clips."""
        return json.loads(self.score("--json", "-o", "-", *arguments).stdout)

    def follows_schema(self, document):
        self.assertEqual(list(schema.problems(document, json.loads(SCHEMA.read_text()))), [])

    def refused(self, expect, *arguments, says=(), run=None):
        """The command exits with `expect`, prints one message that contains `says`, and leaves no files."""
        before = sorted(os.listdir(self.folder))
        out = self.folder / "refused.json"
        run = (run or self.score)("--json", "-o", out, *arguments, expect=expect)
        lines = [line for line in run.stderr.splitlines() if not line.startswith("libvmaf WARNING")]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertTrue(lines[0].startswith("vmaf: "), run.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, lines[0])
        self.assertEqual(run.stdout, "")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return lines[0]

    @staticmethod
    def until_ready(run):
        """Waits until the command has installed its signal handlers."""
        try:
            caught = lambda: int(re.search(r"SigCgt:\s*(\w+)", read(f"/proc/{run.pid}/status").decode())[1], 16)
            while run.poll() is None and not caught() >> (signal.SIGTERM - 1) & 1:
                time.sleep(0.01)
        except OSError:  # no /proc
            time.sleep(2)

    @staticmethod
    def open_files(run):
        """The process's open files; ignores those that it closes during the listing."""
        folder, files = f"/proc/{run.pid}/fd", set()
        for number in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                files.add(os.readlink(f"{folder}/{number}"))
        return files

    def while_read(self, reference, distorted, change):
        """Scores a file against a pipe, and calls `change` when the file is open and half of the pipe has been read."""
        content = read(distorted)
        with subprocess.Popen([VMAF, "-r", reference, "-d", "-", "-n", "--feature", "psnr", "-q", "-o", "/dev/null"], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdin.write(content[:len(content) // 2])
            run.stdin.flush()
            while os.path.realpath(reference) not in self.open_files(run):
                time.sleep(0.01)
            while struct.unpack("i", fcntl.ioctl(run.stdin, termios.FIONREAD, b"\0" * 4))[0] > 0:  # data left in the pipe
                time.sleep(0.01)
            change()
            _, said = run.communicate(content[len(content) // 2:], timeout=60)
            return run.returncode, said.decode()

    def check_changes_while_read(self, original, distorted):
        path = self.folder / ("changing" + pathlib.Path(original).suffix)
        shutil.copy(original, path)
        content = read(original)

        def rewrite():
            with open(path, "r+b") as file:
                file.write(content)

        def grow():
            with open(path, "ab") as file:
                file.write(b"x")

        def replace():
            shutil.copy(self.dist, str(path) + "2")
            os.rename(str(path) + "2", path)

        for change in (rewrite, grow):
            code, said = self.while_read(path, distorted, change)
            self.assertEqual(code, 234, said)
            self.assertIn("was changed while it was read", said)
            shutil.copy(original, path)
        for change in (lambda: os.chmod(path, 0o600), lambda: os.rename(path, str(path) + "2"), replace):
            self.assertEqual(self.while_read(path, distorted, change), (0, ""))
            shutil.copy(original, path)


def without_fps(text):
    return re.sub(r'("fps": |fps=")[^,"]*', r"\1F", text)


def read(path):
    return pathlib.Path(path).read_bytes()
