"""The command's documentation: its examples run, and it names every option."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import CLIPGEN, CommandTest, VMAF

ROOT = pathlib.Path(__file__).resolve().parents[2]


def options_of_the_usage(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z_]+", text[text.index("\ncommon options:"):]))


class Pages(CommandTest):
    def run_examples(self, page):
        """The return code and stderr of the page's runnable blocks, run in sequence in a new folder."""
        blocks = re.findall(r"<!-- run -->\n((?:    .*\n)+)", page.read_text())
        tools, place = self.folder / "bin", self.folder / page.stem
        if not tools.exists():
            tools.mkdir()
            (tools / "vmaf").symlink_to(VMAF)
            (tools / "clipgen").symlink_to(CLIPGEN)
        place.mkdir()
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        script = "set -e -o pipefail\n" + "".join(blocks)
        run = subprocess.run(["bash", "-c", script], cwd=place, env=env, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return blocks, run.stderr

    def test_examples_run(self):
        blocks, stderr = self.run_examples(ROOT / "docs/usage/vmaf.md")
        self.assertGreater(len(blocks), 5)
        self.assertIn("vmaf_v0.6.1: ", stderr)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_examples_of_video_files_run(self):
        if not json.loads(self.vmaf("--capabilities").stdout)["video_files"]["usable"]:
            self.skipTest("there is no module for video files")
        blocks, stderr = self.run_examples(ROOT / "docs/usage/inputs.md")
        self.assertGreater(len(blocks), 3)
        self.assertIn("3 frames (0.125 s) late, which is corrected", stderr)

    def test_examples_of_models_and_metrics_run(self):
        for page in [ROOT / "docs/models.md", *sorted((ROOT / "docs/metrics").glob("*.md"))]:
            with self.subTest(page.name):
                self.run_examples(page)

    def test_manual_and_completion_know_every_option(self):
        usage = options_of_the_usage(self.vmaf("--help").stdout)
        manual = (ROOT / "docs/man/vmaf.1").read_text().replace("\\-", "-")
        completions = {shell: (ROOT / f"tools/command/completion.{shell}").read_text() for shell in ("bash", "zsh", "fish")}
        for option in usage:
            self.assertIn(option, manual)
            self.assertIn(option, completions["bash"])
            self.assertRegex(completions["zsh"], re.escape(option) + r"[^\w]")
            self.assertRegex(completions["fish"], re.escape("-l " + option.lstrip("-")) + " ")

    def test_manuals_know_every_variable_that_is_read(self):
        names = set()
        for path in [*ROOT.glob("src/**/*.[ch]pp"), *ROOT.glob("tools/**/*.[ch]pp")]:
            if not path.stem.endswith("_test"):
                names |= set(re.findall(r'(?:getenv|environment)\("([A-Z][A-Z_]+)"\)|"(VMAF_(?:\w+_)?(?:DISPATCH|MODULE))"', path.read_text()))
        names = {a or b for a, b in names}
        self.assertTrue({"VMAF_CUDA_DISPATCH", "VMAF_HIP_DISPATCH", "VMAF_MODEL_DIR", "VMAF_LIBAV_MODULE"} <= names, names)
        page = (ROOT / "docs/backends/environment.md").read_text()
        manuals = "".join((ROOT / name).read_text() for name in ("docs/man/vmaf.1", "scripts/tune_manual.py")).replace("\\-", "-")
        for name in names:
            self.assertIn(f"`{name}`", page)
            self.assertRegex(manuals, rf"\b{name}\b")

    def test_the_manual_can_be_formatted(self):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        run = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", ROOT / "docs/man/vmaf.1"], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def complete(self, *words):
        script = (f"source {ROOT}/tools/command/completion.bash; COMP_WORDS=({VMAF} {' '.join(words)}); "
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vmaf; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("--prec"), ["--precision"])
        self.assertEqual(self.complete("--backend", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("--backend", "m"), ["metal"])
        self.assertIn("psnr_hvs", self.complete("--feature", "psnr"))
        self.assertIn("version=vmaf_v0.6.1neg", self.complete("--model", "version=vmaf_v0"))


if __name__ == "__main__":
    unittest.main()
