"""A build with CUDA on a machine without a driver, and with a driver that fails on request (backends.md 3, 5, 14)."""
import json
import os
import shutil
import subprocess
import unittest

from support import VMAF, CommandTest

FAKE = os.path.dirname(os.path.abspath(os.environ["FAKE_CUDA"]))
OTHERS = ("--no_sycl", "--no_hip", "--no_metal")  # the build may include them
VIF = ("-n", "--feature", "vif", "--json", "-o", "-", *OTHERS)
REFUSED = "vmaf: --backend cuda requested but init failed; refusing to silently fall back to CPU (ADR-0498)"


def environment(fake=True, **variables):
    """The environment of a process that finds the fake driver, or none."""
    path = FAKE if fake else "/nonexistent"
    return {**os.environ, "LD_LIBRARY_PATH": path, **variables}


class Cuda(CommandTest):
    def calls(self, *arguments, expect=0, **variables):
        """How often each function of the driver was called."""
        log = self.folder / "calls"
        log.unlink(missing_ok=True)
        self.score(*VIF, *arguments, expect=expect, env=environment(FAKE_CUDA_LOG=str(log), **variables))
        if not log.exists():
            return {}
        return {name: int(count) for name, count in map(str.split, log.read_text().splitlines())}


@unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has a driver")
class WithoutDriver(Cuda):
    def test_auto_warns_once_and_scores_on_the_cpu(self):
        run = self.score(*VIF, env=environment(fake=False))
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertRegex(run.stderr, r"^vmaf: cuda not usable \(libcuda\.so\.1: .*\); using cpu$")
        cpu = self.score(*VIF, "--backend", "cpu", env=environment(fake=False))
        self.assertEqual(json.loads(cpu.stdout)["frames"], json.loads(run.stdout)["frames"])
        self.assertEqual(cpu.stderr, "")

    def test_on_request_it_is_refused_with_a_descriptor(self):
        path = self.folder / "refused.json"
        run = self.score("--backend", "cuda", "-o", path, expect=100, env=environment(fake=False))
        self.assertEqual(json.loads(path.read_text()), {"error": "vmaf_cuda_state_init failed", "backend_requested": "cuda",
                                                        "errno": -22, "adr": "ADR-0498", "exit_code": 100})
        self.assertEqual(run.stderr.splitlines()[-1], REFUSED)
        for words in ("libcuda.so.1", "run time", "cannot open shared object file", "ldconfig -p | grep -iE 'libcuda|libnvcuvid'",
                      "CUDA cannot be used", "Runtime requirements"):
            self.assertIn(words, run.stderr)
        self.assertNotIn("cuInit(0)", run.stderr)

    def test_switched_off_it_prints_nothing(self):
        self.assertEqual(self.score(*VIF, "--no_cuda", env=environment(fake=False)).stderr, "")

    def test_capabilities_give_the_reason(self):
        details = json.loads(self.vmaf("--capabilities", *OTHERS, env=environment(fake=False)).stdout)
        self.assertEqual((details["backends"][0], details["backends"][-1]), ("cuda", "cpu"))
        self.assertEqual(details["auto"], "cpu")
        cuda = details["details"]["cuda"]
        self.assertEqual((cuda["built"], cuda["usable"], cuda["errno"], cuda["devices"]), (True, False, -22, []))
        self.assertIn("libcuda.so.1", cuda["reason"])
        self.assertEqual(details["features"]["vif"][:2], ["cpu", "cuda"])
        self.assertEqual(details["features"]["xpsnr"][:2], ["cpu", "cuda"])


class AskedForByAModel(Cuda):
    MODEL = ("--model", "version=vmaf_v0.6.1:turbo.backend=cuda", *OTHERS)

    def test_it_is_like_the_option(self):
        run = self.score(*self.MODEL, "--json", "-o", "-", env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cuda")
        self.assertEqual(run.stderr, "")
        path = self.folder / "refused.json"
        run = self.score(*self.MODEL, "-o", path, expect=100, env=environment(FAKE_CUDA_FAIL="cuInit=999"))
        self.assertEqual(run.stderr.splitlines()[-1], REFUSED)
        self.assertEqual(json.loads(path.read_text())["backend_requested"], "cuda")

    def test_contradictions_are_usage_errors(self):
        for more in (("--backend", "cpu"), ("--no_cuda",), ("--feature", "psnr=turbo.backend=cpu")):
            run = self.score(*self.MODEL, *more, expect=1, env=environment())
            self.assertIn("contradicts", run.stderr)

    def test_a_device_is_chosen_by_its_index(self):
        self.score(*VIF, "--backend", "cuda", "--feature", "psnr=turbo.device=1", env=environment(FAKE_CUDA_DEVICES="2"))
        run = self.score(*VIF, "--feature", "psnr=turbo.backend=cuda:turbo.device=2", expect=100, env=environment(FAKE_CUDA_DEVICES="2"))
        self.assertIn("there is no device 2; the driver shows 2, counted from 0", run.stderr)


class WithFailingDriver(Cuda):
    def test_a_driver_that_does_not_start(self):
        for code in ("100", "999"):
            run = self.score(*VIF, "--backend", "cuda", expect=100, env=environment(FAKE_CUDA_FAIL=f"cuInit={code}"))
            first, last = run.stderr.splitlines()
            self.assertIn("cuInit(0)", first)
            self.assertIn(code, first)
            self.assertNotIn("libcuda.so.1", run.stderr)
            self.assertEqual(last, REFUSED)
            run = self.score(*VIF, env=environment(FAKE_CUDA_FAIL=f"cuInit={code}"))
            self.assertIn(f"({code})); using cpu", run.stderr)
            self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_a_driver_without_devices(self):
        run = self.score(*VIF, "--backend", "cuda", expect=100, env=environment(FAKE_CUDA_DEVICES="0"))
        self.assertIn("cuDeviceGetCount", run.stderr)

    def test_hidden_devices_look_like_a_failing_driver(self):
        run = self.score(*VIF, "--backend", "cuda", expect=100, env=environment(CUDA_VISIBLE_DEVICES=""))
        self.assertIn("cuInit(0) returned CUDA_ERROR_NO_DEVICE (100)", run.stderr)
        run = self.score(*VIF, env=environment(CUDA_VISIBLE_DEVICES=""))
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_a_driver_that_lacks_a_function_is_too_old(self):
        old = self.folder / "old"
        old.mkdir()
        source = self.file("old.c", "int cuInit(unsigned flags) { return 0; }")
        subprocess.check_call([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", old / "libcuda.so.1", source])
        run = self.score(*VIF, "--backend", "cuda", expect=100, env={**os.environ, "LD_LIBRARY_PATH": str(old)})
        self.assertIn("libcuda.so.1", run.stderr)
        self.assertIn("the driver is too old", run.stderr)
        self.assertNotIn("cuInit(0)", run.stderr)

    def test_running_out_of_memory_anywhere_ends_the_run(self):
        """Out of memory at any allocation: fewer frames in flight, or a documented failure; never a hang or a document."""
        seen = set()
        for name in ("cuMemAlloc_v2", "cuMemHostAlloc"):
            for number in (1, 2, 3, 4, 5, 6, 8, 11, 20, 40):
                out = self.folder / "short.json"
                out.unlink(missing_ok=True)
                run = subprocess.run([VMAF, "-r", self.ref, "-d", self.dist, "--json", "-o", str(out), "-q", "--backend", "cuda"],
                                     env=environment(FAKE_CUDA_FAIL=f"{name}@{number}=2"), stderr=subprocess.PIPE, text=True, timeout=600)
                seen.add(run.returncode)
                self.assertIn(run.returncode, (0, 255, 234), run.stderr)
                self.assertEqual(out.exists(), run.returncode == 0)
                if run.returncode:
                    self.assertIn("CUDA_ERROR_OUT_OF_MEMORY (2)", run.stderr)
        self.assertIn(255, seen)
        self.assertIn(0, seen)

    def test_a_lost_device_ends_the_run_without_a_report(self):
        ref, dist = (self.clip(f"long_{kind}.y4m", distort=distort, frames=40)
                     for kind, distort in (("ref", "none"), ("dist", "dct:40")))
        before = sorted(os.listdir(self.folder))
        for fault in ("cuLaunchKernel@30=719", "cuLaunchKernel@90=719", "cuEventSynchronize@4=719", "cuEventRecord@9=700",
                      "cuMemcpyHtoDAsync_v2@17=719", "cuMemcpyDtoHAsync_v2@3=719", "cuStreamWaitEvent@2=719",
                      "cuMemsetD32Async@14=719", "cuCtxPushCurrent_v2@90=709"):
            for threads in ("1", "4"):
                run = self.vmaf("-r", ref, "-d", dist, "--json", "-o", self.folder / "lost.json", "-q", "--backend", "cuda",
                                "--threads", threads, expect=234, env=environment(FAKE_CUDA_FAIL=fault, VMAF_CUDA_DISPATCH="batched"))
                self.assertIn(f"({fault.split('=')[1]})", run.stderr, fault)
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_device_lost_in_auto_is_no_reason_to_mix_results(self):
        self.score(*VIF, expect=234, env=environment(FAKE_CUDA_FAIL="cuLaunchKernel@2=719"))

    def test_all_resources_are_released(self):
        for fault in ("", "cuStreamCreateWithPriority=2", "cuMemAlloc_v2@2=2", "cuModuleLoadData=209", "cuLaunchKernel@5=719",
                      "cuEventSynchronize@2=719", "cuMemcpyHtoDAsync_v2@3=700"):
            code = 0 if not fault else 234 if fault.endswith(("719", "700")) else 255
            calls = self.calls("--backend", "cuda", expect=code, FAKE_CUDA_FAIL=fault, VMAF_CUDA_DISPATCH="batched")
            count = lambda name: calls.get(name, 0)
            self.assertEqual(count("cuDevicePrimaryCtxRetain"), count("cuDevicePrimaryCtxRelease_v2"), fault)
            self.assertEqual(count("cuCtxPushCurrent_v2"), count("cuCtxPopCurrent_v2"), fault)
            for made, gone in (("cuStreamCreateWithPriority", "cuStreamDestroy_v2"), ("cuMemAlloc_v2", "cuMemFree_v2"),
                               ("cuMemHostAlloc", "cuMemFreeHost"), ("cuEventCreate", "cuEventDestroy_v2"),
                               ("cuModuleLoadData", "cuModuleUnload")):
                refused = 0 if not fault.startswith(made) else count(made) - int(fault.split("=")[0].partition("@")[2] or 1) + 1
                self.assertEqual(count(made) - refused, count(gone), (fault, made))

    def test_errors_name_call_and_code(self):
        run = self.score(*VIF, "--backend", "cuda", expect=255, env=environment(FAKE_CUDA_FAIL="cuMemAlloc_v2=2"))
        self.assertRegex(run.stderr, r"cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY \(2\), at \w+\.cpp:\d+; device memory is full")
        run = self.score(*VIF, "--backend", "cuda", expect=234, env=environment(FAKE_CUDA_FAIL="cuLaunchKernel@2=719"))
        self.assertIn("(719)", run.stderr)

    def test_short_of_memory_auto_continues_on_the_cpu(self):
        run = self.score(*VIF, env=environment(FAKE_CUDA_FAIL="cuMemAlloc_v2=2"))
        self.assertIn("using cpu", run.stderr)
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_the_driver_is_not_loaded_unless_needed(self):
        for arguments in (("--no_cuda",), ("--backend", "cpu"), ("--gpumask", "0xffffffff")):
            self.assertEqual(self.calls(*arguments), {})

    def test_a_gpumask_keeps_models_on_the_cpu(self):
        run = self.score("--json", "-o", "-", "--gpumask", "1", env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_pinned_features_run_where_they_say(self):
        run = self.score("-n", "--feature", "integer_vif_cuda", "--feature", "adm", "--json", "-o", "-", env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cuda")
        self.score("-n", "--feature", "nosuch_cuda", expect=255, env=environment())
        self.score("-n", "--feature", "null_cuda", expect=255, env=environment())

    def test_metrics_without_device_code_are_named(self):
        run = self.score("-n", "--feature", "null", "--feature", "vif", "--backend", "cuda", "--json", "-o", "-", env=environment())
        self.assertIn("null", run.stderr)
        self.assertIn("no cuda kernel", run.stderr)
        self.assertEqual(json.loads(run.stdout)["feature_backends"],
                         [{"extractor": "null", "backend": "cpu"}, {"extractor": "vif_cuda", "backend": "cuda"}])
        self.assertNotIn("feature_backends", self.score(*VIF, env=environment()).stdout)

    def test_dispatch_is_read_from_the_environment_and_never_an_error(self):
        for good in ("", "adaptive", "batched", " serial ,, integer_vif_cuda = batched"):
            self.assertEqual(self.score(*VIF, "--backend", "cuda", env=environment(VMAF_CUDA_DISPATCH=good)).stderr, "", good)
        run = self.score(*VIF, "--backend", "cuda", env=environment(VMAF_CUDA_DISPATCH="batchedx,vif=graph,nosuch=serial,serial"))
        for item, line in zip(("batchedx", "vif=graph", "nosuch=serial"), run.stderr.splitlines(), strict=True):
            self.assertIn(f"libvmaf WARNING VMAF_CUDA_DISPATCH: '{item}' is ignored", line)

    def test_dispatch_decides_how_often_the_host_waits(self):
        """Kernels of vif: four per frame. Only `serial` waits for them one feature at a time."""
        alone = self.calls("--backend", "cuda", VMAF_CUDA_DISPATCH="batched")
        self.assertEqual(alone["cuLaunchKernel"], 4 * self.frames)
        shared = self.calls("--backend", "cuda")
        self.assertLessEqual(shared["cuLaunchKernel"], alone["cuLaunchKernel"])
        serial = self.calls("--backend", "cuda", VMAF_CUDA_DISPATCH="vif=serial")
        self.assertEqual(serial["cuStreamSynchronize"] - alone["cuStreamSynchronize"], self.frames)

    def test_capabilities_list_devices(self):
        details = json.loads(self.vmaf("--capabilities", env=environment()).stdout)
        self.assertEqual(details["auto"], "cuda")
        self.assertEqual(details["details"]["cuda"]["devices"],
                         [{"index": 0, "name": "Fake", "arch": "sm_90", "memory_bytes": 1 << 30, "driver": "13.0"}])


@unittest.skipUnless(shutil.which("ffmpeg") and os.environ.get("VMAF_LIBAV_MODULE"), "there is no ffmpeg")
class Video(Cuda):
    """Video files with the fake driver: decoded by processors into the driver's memory."""
    size, frames = "64x48", 40

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.raw = cls.ref
        for name in ("ref", "dist"):
            out = str(cls.folder / f"{name}.mp4")
            subprocess.check_call(["ffmpeg", "-nostdin", "-v", "error", "-i", getattr(cls, name), "-c:v", "libx264", "-g", "10", out])
            setattr(cls, name, out)

    def test_planes_that_are_read_go_up_and_no_others(self):
        luma = 2 * self.frames * 64 * 48
        vif = self.calls("--backend", "cuda")
        all_planes = self.calls("--backend", "cuda", "--feature", "ciede")
        self.assertGreaterEqual(vif["bytes_up"], luma)
        self.assertLess(vif["bytes_up"], 1.3 * luma)
        self.assertGreaterEqual(all_planes["bytes_up"], 1.5 * luma)
        self.assertLess(all_planes["bytes_up"], 2.1 * luma)  # including tables
        self.assertGreater(vif["cuMemHostAlloc"], 8)  # frames of two decoders
        self.assertLess(vif["cuMemHostAlloc"], 2 * self.frames)  # they are reused

    def test_a_clip_that_must_be_made_on_the_host_is_uploaded_too(self):
        wide = str(self.folder / "wide.mp4")
        subprocess.check_call(["ffmpeg", "-nostdin", "-v", "error", "-i", self.ref, "-vf", "scale=80:60", "-c:v", "libx264", wide])
        for ref, dist in ((self.ref, wide), (self.ref, self.raw), (self.raw, self.dist)):
            self.vmaf("-r", ref, "-d", dist, *VIF, "--backend", "cuda", "-q", env=environment())

    def test_all_resources_are_released(self):
        for fault, code in (("", 0), ("cuMemHostAlloc@12=2", None), ("cuMemAlloc_v2@9=2", None), ("cuMemcpy2DAsync_v2@20=719", 234)):
            calls = self.calls("--backend", "cuda", expect=code, FAKE_CUDA_FAIL=fault)
            refused = {name: max(calls[name] - int(number) + 1, 0) for name, _, number in [fault.split("=")[0].partition("@")] if number}
            for made, gone in (("cuMemAlloc_v2", "cuMemFree_v2"), ("cuMemHostAlloc", "cuMemFreeHost"), ("cuEventCreate", "cuEventDestroy_v2"),
                               ("cuStreamCreateWithPriority", "cuStreamDestroy_v2"), ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2")):
                self.assertEqual(calls.get(made, 0) - refused.get(made, 0), calls.get(gone, 0), (fault, made))

    def test_short_of_page_locked_memory_others_will_do(self):
        codes = [self.score(*VIF, "--backend", "cuda", expect=None, env=environment(FAKE_CUDA_FAIL=f"cuMemHostAlloc@{n}=2")).returncode
                 for n in (1, 10, 13, 16, 19)]  # a few are for results
        self.assertLessEqual(set(codes), {0, 234, 255})
        self.assertIn(0, codes)

    def test_short_memory_is_reported_when_decoding_starts(self):
        run = self.score(*VIF, "--backend", "cpu", "--hwaccel", "cuda", expect=None, env=environment(FAKE_CUDA_FAIL="cuDevicePrimaryCtxRetain=2"))
        if "it does not decode h264 here" in run.stderr:
            self.skipTest("this FFmpeg decodes nothing on CUDA devices")
        self.assertIn("cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY (2); device memory is full", run.stderr)
        self.assertEqual(run.returncode, 255)


if __name__ == "__main__":
    unittest.main()
