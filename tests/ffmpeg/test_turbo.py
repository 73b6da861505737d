"""The GPU from an unpatched FFmpeg: `turbo.backend` in models and features (docs/usage/ffmpeg.md)."""
import json
import os
import pathlib

from clips import FRAMES, FilterTest

ENOSYS, EINVAL = 38, 22
HIP = "version=vmaf_v0.6.1:turbo.backend=hip"


class Turbo(FilterTest):
    def environment(self, *folders, **variables):
        """The environment of a library with SYCL and HIP, and of folders with drivers."""
        library = pathlib.Path(os.environ["LIBRARY_OF_EVERY_BACKEND"])
        return {"LD_LIBRARY_PATH": ":".join(map(str, (library.parent, *folders))), "VMAF_SYCL_MODULE": os.environ["SYCL_MODULE"],
                **variables}

    def driver(self, **variables):
        """Both fake drivers are in one folder; CUDA's shows no device unless asked."""
        self.log = self.folder / "driver.txt"
        self.log.unlink(missing_ok=True)
        return self.environment(pathlib.Path(os.environ["FAKE_HIP"]).parent, **{"FAKE_HIP_LOG": str(self.log), "FAKE_CUDA_DEVICES": "0", **variables})

    def calls(self):
        return {name: int(count) for name, count in map(str.split, self.log.read_text().splitlines())}

    def refused_with(self, options, code, *words, env=None, with_frames=False):
        """If a frame fails, FFmpeg still prints a score, but exits with an error."""
        done = self.run_filter(options, *self.pair(), expect=None, env=env)
        self.assertEqual(done.returncode, 1 if self.base == "n5.1" else 256 - code, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertEqual("VMAF score" in done.stdout, with_frames, done.stdout)

    def test_a_model_moves_all_features(self):
        """The fake SYCL module computes: the scores equal the CPU's."""
        document = self.assert_equal_scores({"model": "version=vmaf_v0.6.1:turbo.backend=sycl", "feature": "name=psnr|name=float_ssim"},
                                            ["--feature", "psnr", "--feature", "float_ssim"], env=self.environment())
        self.assertEqual(json.loads(document)["backend_used"], "sycl")

    def test_so_does_a_feature(self):
        document = self.assert_equal_scores({"feature": "name=psnr:turbo.backend=sycl:turbo.device=0"}, ["--feature", "psnr"],
                                            env=self.environment())
        self.assertEqual(json.loads(document)["backend_used"], "sycl")

    def test_the_cpu_can_be_asked_for(self):
        document = self.assert_equal_scores({"model": "version=vmaf_v0.6.1:turbo.backend=cpu"})
        self.assertEqual(json.loads(document)["backend_used"], "cpu")

    def test_without_it_documents_are_libvmafs(self):
        self.assertNotIn("backend_used", self.filter_document({}, *self.pair())[0])

    def test_the_driver_starts_once_and_its_device_is_named(self):
        run = self.run_filter({"model": HIP}, *self.pair(), before=("-v", "verbose"), env=self.driver())
        self.assertEqual(run.stdout.count("computing on hip device 0: Fake"), 1, run.stdout)  # the graph is set up twice
        calls = self.calls()
        self.assertEqual(calls["hipInit"], 1)
        self.assertGreater(calls["hipModuleLaunchKernel"], FRAMES)

    def test_a_device_has_a_number(self):
        run = self.run_filter({"model": HIP + ":turbo.device=1"}, *self.pair(), env=self.driver(FAKE_HIP_DEVICES="2"))
        self.assertIn("computing on hip device 1", run.stdout)
        self.refused_with({"model": HIP + ":turbo.device=2"}, EINVAL, "no device 2; the runtime shows 2", env=self.driver(FAKE_HIP_DEVICES="2"),
                          with_frames=True)

    def test_a_backend_that_fails_fails_the_command(self):
        said = "turbo.backend=hip requested but init failed; refusing to silently fall back to CPU"
        self.refused_with({"model": HIP}, EINVAL, said, env=self.driver(FAKE_HIP_DEVICES="0"), with_frames=True)
        self.refused_with({"model": HIP}, EINVAL, "hipMalloc", env=self.driver(FAKE_HIP_FAIL="hipMalloc=2"), with_frames=True)
        self.refused_with({"feature": "name=psnr:turbo.backend=hip"}, EINVAL, said, env=self.driver(FAKE_HIP_FAIL="hipInit=100"), with_frames=True)

    def test_a_device_that_fails_at_the_end_leaves_no_document(self):
        """FFmpeg ignores the result of the flush, and exits with 0."""
        path = self.folder / "lost.json"
        path.unlink(missing_ok=True)
        run = self.run_filter({"model": HIP, "log_fmt": "json", "log_path": str(path)}, *self.pair(), expect=None,
                              env=self.driver(FAKE_HIP_FAIL="hipEventSynchronize=100,hipStreamSynchronize@4=100"))
        self.assertRegex(run.stdout, "libvmaf ERROR hip: hip(Event|Stream)Synchronize failed")
        self.assertFalse(path.exists())

    def test_cuda(self):
        """The fake driver runs no device code, so scores are meaningless: checks only calls and refusals."""
        if os.environ["CUDA_IS_BUILT"]:
            self.skipTest("the stand-in does not take this build's device code")
        cuda = "version=vmaf_v0.6.1:turbo.backend=cuda"
        path = self.folder / "cuda.json"
        for threads in (0, 4):
            env = self.driver(FAKE_CUDA_DEVICES="1")
            env["FAKE_CUDA_LOG"] = str(self.log)
            run = self.run_filter({"model": cuda, "n_threads": threads, "log_fmt": "json", "log_path": str(path)}, *self.pair(), env=env)
            self.assertEqual(run.stdout.count("computing on cuda device 0: Fake"), 1, run.stdout)
            self.assertEqual(json.loads(path.read_text())["backend_used"], "cuda")
            self.assertEqual(self.calls()["cuInit"], 1)
            self.log.unlink()
            said = "turbo.backend=cuda requested but init failed; refusing to silently fall back to CPU"
            for variables in ({"FAKE_CUDA_DEVICES": "0"}, {"FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_FAIL": "cuInit=100"}):
                self.refused_with({"model": cuda, "n_threads": threads}, EINVAL, said, env=self.driver(**variables), with_frames=True)
        self.refused_with({"model": cuda + "|" + HIP + ":name=other"}, EINVAL, "contradicts", env=self.driver(FAKE_CUDA_DEVICES="1"))

    def test_auto_falls_back(self):
        document = self.assert_equal_scores({"model": "version=vmaf_v0.6.1:turbo.backend=auto"}, env=self.driver(FAKE_HIP_DEVICES="0", VMAF_SYCL_MODULE="/no/such/module.so"))
        self.assertEqual(json.loads(document)["backend_used"], "cpu")

    def test_a_backend_that_is_not_built(self):
        said = "turbo.backend=metal requested but this libvmaf was built without metal support"
        for option in ({"model": "version=vmaf_v0.6.1:turbo.backend=metal"}, {"feature": "name=psnr:turbo.backend=metal"}):
            self.refused_with(option, ENOSYS if "model" in option else EINVAL, said, env=self.environment())

    def test_contradictions_and_mistakes(self):
        for options, words in (({"model": HIP + "|version=vmaf_4k_v0.6.1:name=uhd:turbo.backend=sycl"}, "contradicts"),
                               ({"model": HIP, "feature": "name=psnr:turbo.backend=cpu"}, "contradicts"),
                               ({"model": "version=vmaf_v0.6.1:turbo.backends=hip"}, "use turbo.backend or turbo.device"),
                               ({"feature": "name=psnr:turbo.bakend=hip"}, "use turbo.backend or turbo.device"),
                               ({"feature": "name=psnr:turbo.backend=hip|name=ciede:turbo.backend=sycl"}, "contradicts"),
                               ({"model": HIP + ":turbo.device=-1"}, "'-1' is not an index"),
                               ({"model": "version=vmaf_v0.6.1:turbo.backend=gpu"}, "auto, cpu, cuda, sycl, hip or metal"),
                               ({"model": "version=vmaf_v0.6.1:turbo.device=0"}, "needs a backend with devices")):
            with self.subTest(options):
                self.refused_with(options, EINVAL, words, env=self.driver())

    def test_threads_make_no_difference(self):
        for threads in (0, 1, 4):
            self.assert_equal_scores({"model": "version=vmaf_v0.6.1:turbo.backend=sycl", "n_threads": threads}, env=self.environment())
