"""A vmaf command for Windows with CUDA: without nvcuda.dll, and with a fake one that has no kernels and fails on request. Under wine.

  WINDOWS_BUILD=build-windows cuda_test.py
"""
import json
import shutil

import windows
from windows import BUILD, wine

FAKE = BUILD / "tests/fake_driver"


class Cuda(windows.WindowsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("without", "with"):
            (cls.folder / name).mkdir()
            shutil.copy2(FAKE / "with_cuda/vmaf_with_cuda.exe", cls.folder / name / "vmaf.exe")
        shutil.copy2(FAKE / "libcuda-1.dll", cls.folder / "with/nvcuda.dll")

    def vif(self, driver, *arguments, **options):
        return wine(self.folder / driver / "vmaf.exe", "-r", self.ref, "-d", self.dist, "-n", "--feature", "vif", "--json", "-o", "-",
                    *arguments, **options)

    def test_without_a_driver_the_cpu_scores_with_one_warning(self):
        run = self.vif("without")
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
        self.assertRegex(run.stderr, r"^vmaf: cuda not usable \(.*nvcuda\.dll.*\); using cpu\n$")

    def test_without_a_driver_a_request_is_refused(self):
        run = self.vif("without", "--backend", "cuda", expect=100)
        for words in ("nvcuda.dll", "where nvcuda.dll", "refusing to silently fall back to CPU"):
            self.assertIn(words, run.stderr)

    def test_the_driver_beside_the_program_is_called(self):
        log = self.folder / "calls"
        run = self.vif("with", env={"FAKE_CUDA_LOG": "calls"}, cwd=self.folder)
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cuda")
        calls = dict(line.split() for line in log.read_text().splitlines())
        for name in ("cuInit", "cuLaunchKernel", "cuMemAlloc_v2"):
            self.assertGreater(int(calls[name]), 0, name)

    def test_a_driver_that_fails_is_named(self):
        run = self.vif("with", "--backend", "cuda", expect=100, env={"FAKE_CUDA_FAIL": "cuInit=100"})
        self.assertIn("cuInit", run.stderr)


if __name__ == "__main__":
    windows.main()
