"""The commands of docs/usage/ffmpeg.md run as printed."""
import os
import re
import shutil
import subprocess

from clips import FilterTest


class Page(FilterTest):
    def commands(self):
        text = (self.models.parent / "docs/usage/ffmpeg.md").read_text()
        blocks = re.findall(r"(?s)```sh\n(.*?)```", text)
        return [line for block in blocks for line in block.splitlines() if line.startswith("ffmpeg ")]

    def test_commands_run(self):
        ref, dis = self.pair()
        deep, _ = self.pair(depth=10)
        folder = self.folder / "page"
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        for name, path in {"reference.y4m": ref, "distorted.y4m": dis, "reference10.y4m": deep,
                           "small.y4m": self.clip("small", size="120x90", distort="dct:40"),
                           "my_model.json": self.models / "vmaf_v0.6.1.json",
                           "bin/ffmpeg": self.ffmpeg, "bin/vmaf": self.vmaf}.items():
            shutil.copy(path, folder / name)
        env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(self.library.folder)}
        commands = self.commands()
        self.assertGreater(len(commands), 10)
        for command in commands:
            with self.subTest(command):
                run = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(run.returncode, 0, run.stdout)
                self.assertRegex(run.stdout, r"VMAF score: \d|vmaf.*\d\.\d")
                self.assertNotIn("libvmaf ERROR", run.stdout)
