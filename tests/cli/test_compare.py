"""bench/compare.py, with our program in both roles."""
import json, os, pathlib, stat, subprocess, sys, tempfile, unittest

SCRIPT = pathlib.Path(__file__).parent.parent.parent / "bench" / "compare.py"
VMAF, CLIPGEN = os.environ["VMAF"], os.environ["CLIPGEN"]


def compare(*arguments):
    return subprocess.run([sys.executable, SCRIPT, "--ours", VMAF, "--clipgen", CLIPGEN, *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Compare(unittest.TestCase):
    def test_prints_a_table_and_writes_plot_and_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run = compare("--other", VMAF, "--size", "640x360", "--frames", 8, "--rounds", 1, "--metrics", "ciede,vmaf_v0.6.1,no_such_metric",
                          "--svg", folder / "plot.svg", "--json", folder / "figures.json")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, r"\| `ciede` \| [\d.]+ \| [\d.]+ \| \d+\.\d\d \| \d+\.\d\d to \d+\.\d\d \| 0 \|")
            self.assertRegex(run.stdout, r"Weakest ratio: \d+\.\d\d \(`\w[\w.]*`\)\. Best: ")
            self.assertIn("Skipped: `no_such_metric` (other: ", run.stdout)
            self.assertIn("</svg>", (folder / "plot.svg").read_text())
            figures = json.loads((folder / "figures.json").read_text())
            # On a busy machine three frames of the model may be too fast to measure: then it is skipped with that reason.
            known = {row["case"] for row in figures["rows"]} | {case for case, why in figures["left_out"] if why.startswith("too quick")}
            self.assertEqual(known, {"ciede", "vmaf_v0.6.1"})

    def test_errors_are_reported(self):
        self.assertEqual(compare("--other", "/no/such/program").returncode, 2)
        nothing = compare("--other", VMAF, "--size", "64x64", "--frames", 2, "--metrics", "no_such_metric")
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("no metric that both programs support", nothing.stderr)

    def test_a_failing_program_is_skipped_with_its_error(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "vmaf"
            other.write_text("#!/bin/sh\necho 'out of order' >&2\nexit 3\n")
            other.chmod(other.stat().st_mode | stat.S_IXUSR)
            run = compare("--other", other, "--size", "64x64", "--frames", 2, "--metrics", "psnr")
            self.assertEqual(run.returncode, 2)
            self.assertIn("psnr: other: out of order", run.stderr)


if __name__ == "__main__":
    unittest.main()
