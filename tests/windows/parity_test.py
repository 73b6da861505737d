"""vmaf-parity for Windows: it starts vmaf, in a folder with a non-ASCII name. Under wine.

  WINDOWS_BUILD=build-windows parity_test.py
"""
import json

import windows
from windows import BUILD, wine


class Parity(windows.WindowsTest):
    def gate(self, *arguments, vmaf=None, **options):
        return wine(BUILD / "tools/vmaf-parity.exe", "--vmaf-binary", vmaf or self.vmaf, "--reference", self.ref, "--distorted", self.dist,
                    "--workdir", self.folder, *arguments, **options)

    def test_every_instruction_set_and_device_kernels_have_the_scores_of_scalar_code(self):
        out = self.folder / "Bericht-報告.json"
        features = ["vif", "adm", "motion", "psnr", "float_vif", "float_adm", "float_ssim", "ciede", "psnr_hvs"]
        run = self.gate("--features", ",".join(features), "--backends", "scalar,avx2,avx512,cpu,host", "--json-out", out, "--allow-skip")
        self.assertNotIn("\r", run.stdout)
        self.assertIn(" ↔ ", run.stdout)
        cells = json.loads(out.read_text(encoding="utf-8"))["cells"]
        self.assertEqual({cell["feature"] for cell in cells}, set(features))
        self.assertEqual([cell for cell in cells if cell["status"] not in ("OK", "SKIP")], [])
        self.assertTrue(any(cell["status"] == "OK" for cell in cells))

    def test_wrong_usage_is_exit_2(self):
        for arguments in (("--nonsense",), ("--backends", "cpu,nosuch"), ("extra",)):
            self.assertEqual(len(self.gate(*arguments, expect=2).stderr.splitlines()), 1, arguments)
        self.gate(vmaf=self.folder / "kein-プログラム", expect=2)


if __name__ == "__main__":
    windows.main()
