"""Backends in a build without GPUs: what runs, what is refused, and the descriptor of a refusal (backends.md 4, 5, 14)."""
import json
import unittest

from support import CommandTest

PSNR = ("-n", "--feature", "psnr")
GPUS = ("cuda", "sycl", "hip", "metal")


class Backends(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls().vmaf("--capabilities")
        cls.built = json.loads(run.stdout)["backends"]
        cls.missing = [name for name in GPUS if name not in cls.built]

    def runTest(self):
        pass

    def test_auto_and_cpu_score_on_the_cpu(self):
        for arguments in ((), ("--backend", "auto", "--gpumask", "0xffffffff"), ("--backend=cpu",)):
            if len(self.built) > 1 and not arguments:
                continue
            run = self.score(*PSNR, "--json", "-o", "-", *arguments)
            self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
            self.assertEqual(run.stderr, "")

    def test_a_backend_that_is_not_built_is_refused(self):
        for name in self.missing:
            path = self.folder / "out.json"
            path.write_text("old content that is longer than the descriptor" * 10)
            run = self.score(*PSNR, "--backend", name, "-o", path, expect=100)
            self.assertEqual(run.stderr, f"vmaf: --backend {name} requested but this libvmaf was built without {name} support; "
                                         "refusing to silently fall back to CPU (ADR-0498)\n")
            self.assertEqual(path.read_text(), '{"error": "backend not compiled into this libvmaf", "backend_requested": "%s", '
                                               '"errno": 0, "adr": "ADR-0498", "exit_code": 100}\n' % name)
            path.unlink()

    def test_the_descriptor_is_for_json_only(self):
        name = self.missing[0]
        descriptor = lambda path: self.score(*PSNR, "--backend", name, *path, expect=100)
        for path, form, is_written in (("a.json", [], True), ("a.JSON", ["--xml"], True), ("a.txt", ["--json"], True),
                                       ("a.xml", [], False), ("a.csv", ["--csv"], False)):
            out = self.folder / path
            descriptor(["-o", out, *form])
            self.assertEqual(out.exists(), is_written, path)
            out.unlink(missing_ok=True)
        kept = self.folder / "kept.xml"
        kept.write_text("old")
        descriptor(["-o", kept])
        self.assertEqual(kept.read_text(), "old")

    def test_missing_clips_come_first(self):
        self.vmaf("-r", "/no/such", "-d", self.dist, "--backend", self.missing[0], expect=255)

    def test_cuda_is_short_for_its_backend(self):
        words = self.score(*PSNR, "--backend", "cuda", expect=None)
        short = self.score(*PSNR, "--cuda", expect=words.returncode)
        self.assertEqual(short.stderr, words.stderr)
        self.score(*PSNR, "--cuda", "--no_cuda", expect=1)
        self.score(*PSNR, "--cuda=1", expect=1)
        self.assertEqual(self.vmaf("--c", "0", expect=1).stderr.count("ambiguous"), 1)  # --cpumask and --csv still conflict

    def test_unknown_words_are_usage_errors(self):
        for word in ("vulkan", "CUDA", "", "gpu", "cud"):
            run = self.score(*PSNR, "--backend", word, expect=1)
            self.assertEqual(len(run.stderr.splitlines()), 1)
            self.assertIn("is not supported; use auto, cpu, cuda, sycl, hip or metal", run.stderr)

    def test_pinned_features_need_their_backend(self):
        for feature, name in (("vif_cuda", "cuda"), ("motion_hip", "hip"), ("nosuch_sycl", "sycl"), ("integer_adm_metal", "metal")):
            for arguments in ((), ("--backend", "cpu")):
                if not arguments and name in self.built:
                    continue
                path = self.folder / "pinned.json"
                run = self.score("-n", "--feature", feature, "-o", path, *arguments, expect=100)
                *tried, line = run.stderr.splitlines()
                self.assertEqual([text for text in tried if " not usable (" not in text], [])
                self.assertLess(len(tried), 1 if arguments else len(self.built))
                self.assertIn(f"pinned to {name} backend", line)
                self.assertIn(feature, line)
                self.assertEqual(path.read_text(), '{"error": "feature pinned to inactive backend", "backend_requested": "%s", '
                                                   '"errno": 0, "adr": "ADR-0498", "exit_code": 100}\n' % name)
                path.unlink()
        for feature in ("vif_vulkan", "_cuda", "cuda"):
            self.score("-n", "--feature", feature, expect=255)

    def test_switching_backends_off(self):
        for name in GPUS:
            for form in (f"--no_{name}", f"--no_{name}=true", f"--no_{name}=false"):
                self.score(*PSNR, form, "--backend", "cpu")
            self.refused(1, f"--no_{name}=maybe", says="true or false")
            self.refused(1, "--backend", name, f"--no_{name}", says="contradicts")
            self.refused(1, "--backend", name, "--gpumask", "0xffffffff", says="forbids every GPU")
            for mask in ("1", "2", "0xfffffffe"):
                self.refused(1, "--backend", name, "--gpumask", mask, says="keeps models on the CPU")
            self.refused(1, "--feature", f"psnr=turbo.backend={name}", "--gpumask", "1", says="contradicts")
        self.score(*PSNR, "--no_vulkan")
        self.refused(1, "--vulkan_device", "0", says="vulkan")

    def test_switching_on_again_is_no_contradiction(self):
        name = self.missing[0]
        self.score(*PSNR, "--backend", name, f"--no_{name}=false", expect=100)

    def test_devices_of_removed_backends_are_a_warning(self):
        for name in ("sycl", "hip", "metal"):
            run = self.score(*PSNR, f"--{name}_device", "0", "--backend", "cpu")
            self.assertEqual(len(run.stderr.splitlines()), 1)
            self.assertIn(f"--{name}_device", run.stderr)


if __name__ == "__main__":
    unittest.main()
