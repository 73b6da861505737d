"""Shared by the tests of vmaf-tune: programs from the command line, a test folder, and ways to call and check the program."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import schema

FFMPEG = ["ffmpeg", "-y", "-nostdin", "-v", "error"]
PROGRAMS = {}


def take_programs(*names):
    """Takes the first arguments from the command line: programs or folders by these names."""
    for name in names:
        PROGRAMS[name] = os.path.abspath(sys.argv.pop(1))
    return [PROGRAMS[name] for name in names]


class TuneCase(unittest.TestCase):
    """Tests in one folder (its name begins with FOLDER), which exists as long as the class."""
    FOLDER = "vmaf-tune-test-"
    TIMEOUT = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix=cls.FOLDER)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    @classmethod
    def make_clip(cls, name, size="176x144", frames=12, chroma="420", depth=8, scene="street", seed=None):
        subprocess.check_call([PROGRAMS["clipgen"], "--size", size, "--frames", str(frames), "--format", chroma, "--depth", str(depth), "--scene", scene,
                               *(("--seed", str(seed)) if seed else ()), cls.path(name)])
        return cls.path(name)

    @classmethod
    def ffmpeg(cls, *arguments):
        subprocess.check_call([*FFMPEG, *arguments], cwd=cls.folder)

    def environment(self, more=None):
        return {**os.environ, "TMPDIR": self.folder, "XDG_CACHE_HOME": self.path("cache"), **(more or {})}

    def tune(self, *arguments, code=0, env=None, **options):
        run = subprocess.run([PROGRAMS["tune"], *arguments], capture_output=True, text=True, cwd=self.folder, stdin=subprocess.DEVNULL,
                             env=self.environment(env), **{"timeout": self.TIMEOUT, **options})
        if code is not None: self.assertEqual(run.returncode, code, run.stderr + run.stdout)
        return run

    def program(self, name, text, folder=None):
        """A fake program that misbehaves on request and otherwise runs the real one."""
        path = os.path.join(folder or self.folder, name)
        with open(path, "w") as file: file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def small_disk(self, size):
        """A folder with limited space, until the test ends."""
        disk = self.path("disk")
        os.mkdir(disk)
        if os.geteuid() != 0 or not shutil.which("mount") or subprocess.call(
                ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], stderr=subprocess.DEVNULL):
            self.skipTest("needs the right to mount a small file system")
        self.addCleanup(subprocess.check_call, ["umount", disk])
        return disk

    def rows(self, name="rows.jsonl"):
        return [json.loads(line) for line in open(self.path(name))]

    def check(self, value, name):
        self.assertEqual(list(schema.problems(value, schema.load(f"{PROGRAMS['schemas']}/{name}.schema.json"))), [])


class FreshCase(TuneCase):
    """Each test runs in a new folder; `shared` has the common files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = cls.folder

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        type(self).folder = tempfile.mkdtemp(prefix="work-", dir=self.shared)
