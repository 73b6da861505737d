"""A build with HIP on a machine without a runtime, and with one that fails on request (backends.md 3.2, 5, 14)."""
import json
import os
import subprocess
import unittest

from support import VMAF, CommandTest

FAKE = os.path.dirname(os.path.abspath(os.environ["FAKE_HIP"]))
VIF = ("-n", "--feature", "vif", "--json", "-o", "-")
REFUSED = "vmaf: --backend hip requested but init failed; refusing to silently fall back to CPU (ADR-0498)"


def environment(**variables):
    """The environment of a process that finds the fake runtime."""
    return {**os.environ, "LD_LIBRARY_PATH": FAKE, **variables}


class Hip(CommandTest):
    def calls(self, *arguments, expect=0, **variables):
        """How often each function of the runtime was called."""
        log = self.folder / "calls"
        log.unlink(missing_ok=True)
        run = self.score(*VIF, *arguments, expect=expect, env=environment(FAKE_HIP_LOG=str(log), **variables))
        self.last = run
        return {name: int(count) for name, count in map(str.split, log.read_text().splitlines())} if log.exists() else {}

    def refused(self, errno, *arguments, env, command=VMAF):
        """The lines before the refusal."""
        path = self.folder / "refused.json"
        run = subprocess.run([command, "-r", self.ref, "-d", self.dist, "--backend", "hip", "-o", str(path), *arguments], env=env,
                             capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, 100, run.stderr)
        self.assertEqual(path.read_text(), '{"error": "vmaf_hip_state_init failed", "backend_requested": "hip", "errno": %d, '
                                           '"adr": "ADR-0498", "exit_code": 100}\n' % errno)
        path.unlink()
        *text, last = run.stderr.splitlines()
        self.assertEqual(last, REFUSED)
        return "\n".join(text)


class WithoutRuntime(Hip):
    """The machine may have a runtime, so files that are no libraries hide it."""
    def setUp(self):
        self.none = self.folder / "none"
        self.none.mkdir(exist_ok=True)
        for end in (".7", ".6", ".5", ""):
            (self.none / f"libamdhip64.so{end}").touch()
        self.env = {**os.environ, "LD_LIBRARY_PATH": str(self.none)}

    def test_on_request_it_is_refused_with_what_to_check(self):
        text = self.refused(-19, env=self.env)
        for words in ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "run time", "file too short",
                      "ldconfig -p | grep libamdhip64", "HIP cannot be used", "Runtime requirements"):
            self.assertIn(words, text)

    def test_auto_warns_once_and_scores_on_the_cpu(self):
        run = self.score(*VIF, env=self.env)
        self.assertRegex(run.stderr, r"^vmaf: hip not usable \(.*libamdhip64\.so: .*\); using cpu\n$")
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_capabilities_give_the_reason(self):
        details = json.loads(self.vmaf("--capabilities", env=self.env).stdout)
        hip = details["details"]["hip"]
        self.assertEqual((hip["built"], hip["usable"], hip["errno"], hip["devices"]), (True, False, -19, []))
        self.assertEqual(details["features"]["vif"], ["cpu", "hip"])


class WithFakeRuntime(Hip):
    def test_it_scores_and_is_named(self):
        run = self.score(*VIF, "--backend", "hip", env=environment())
        self.assertEqual((json.loads(run.stdout)["backend_used"], run.stderr), ("hip", ""))
        run = self.score("-n", "--feature", "integer_vif_hip", "--json", "-o", "-", env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "hip")
        self.score("-n", "--feature", "nosuch_hip", expect=255, env=environment())

    def test_nothing_of_amd_is_linked(self):
        needed = subprocess.run(["readelf", "-d", VMAF], capture_output=True, text=True, check=True).stdout
        self.assertIn("NEEDED", needed)
        self.assertNotIn("amdhip", needed)

    def test_no_devices(self):
        self.assertIn("hipGetDeviceCount", self.refused(-19, env=environment(FAKE_HIP_DEVICES="0")))
        text = self.refused(-19, env=environment(FAKE_HIP_FAIL="hipInit=100"))
        for words in ("hipInit(0) returned hipErrorNoDevice (100)", "/dev/kfd", "render", "HIP_VISIBLE_DEVICES"):
            self.assertIn(words, text)
        self.refused(-19, env=environment(HIP_VISIBLE_DEVICES=""))

    def test_a_device_by_its_number(self):
        two = environment(FAKE_HIP_DEVICES="2")
        self.score(*VIF, "--backend", "hip", "--hip_device", "1", env=two)
        self.assertIn("no device 2; the runtime shows 2", self.refused(-19, "--hip_device", "2", env=two))
        details = json.loads(self.vmaf("--capabilities", env=two).stdout)["details"]["hip"]["devices"]
        self.assertEqual(details, [{"index": i, "name": "Fake", "arch": "gfx1030", "memory_bytes": 1 << 30, "driver": "6.3"}
                                   for i in range(2)])

    def test_the_threads_device_is_put_back(self):
        calls = self.calls("--backend", "hip", "--hip_device", "1", FAKE_HIP_DEVICES="2")
        self.assertGreater(calls["hipSetDevice"], 10)
        self.assertEqual(calls["hipSetDevice"] % 2, 0)
        self.assertNotIn("hipSetDevice", self.calls("--backend", "hip"))

    def test_groups_of_64_lanes(self):
        self.score(*VIF, "--backend", "hip", env=environment(FAKE_HIP_ARCH="gfx906"))

    def test_a_device_with_little_local_memory(self):
        little = environment(FAKE_HIP_LOCAL_MEMORY="512")
        run = self.score(*VIF, "--backend", "hip", env=little)
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
        self.assertIn("a kernel needs 1024 bytes of local memory; the device has 512", run.stderr)
        self.score("-n", "--feature", "vif_hip", "--backend", "hip", expect=255, env=little)

    def test_a_device_that_no_code_was_compiled_for(self):
        text = self.refused(-19, env=environment(FAKE_HIP_ARCH="gfx1201"))
        for words in ("gfx1201", "gfx1030", "-Dhip_gfx_targets=gfx1201"):
            self.assertIn(words, text)

    def test_a_build_without_device_code(self):
        command = os.environ["VMAF_WITHOUT_CODE"]
        self.assertIn("-Denable_hipcc=true", self.refused(-38, env=environment(), command=command))
        self.refused(-19, env=environment(FAKE_HIP_DEVICES="0"), command=command)
        run = subprocess.run([command, "--capabilities"], env=environment(), capture_output=True, text=True, check=True)
        details = json.loads(run.stdout)
        self.assertEqual(details["backends"], ["hip", "cpu"])
        self.assertEqual((details["details"]["hip"]["usable"], details["details"]["hip"]["errno"]), (False, -38))
        self.assertFalse([name for name, places in details["features"].items() if "hip" in places])

    def test_a_runtime_that_lacks_a_function_is_too_old(self):
        old = self.folder / "old"
        old.mkdir()
        source = self.file("old.c", "int hipInit(unsigned flags) { return 0; }")
        subprocess.check_call([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", old / "libamdhip64.so.7", source])
        self.assertIn("the runtime is too old", self.refused(-19, env={**os.environ, "LD_LIBRARY_PATH": str(old)}))

    def test_every_function_may_fail(self):
        """Whichever call fails, the run ends with a documented code and the call's name, and releases what it took."""
        pairs = (("hipStreamCreateWithPriority", "hipStreamDestroy"), ("hipMalloc", "hipFree"), ("hipHostMalloc", "hipHostFree"),
                 ("hipEventCreateWithFlags", "hipEventDestroy"), ("hipModuleLoadData", "hipModuleUnload"))
        without_effect = {"hipFree", "hipHostFree", "hipStreamDestroy", "hipEventDestroy", "hipModuleUnload", "hipRuntimeGetVersion"}
        arguments = ("--backend", "hip", "--hip_device", "1")
        names = {name for name in self.calls(*arguments, FAKE_HIP_DEVICES="2") if name.startswith("hip")}
        self.assertGreater(len(names), 25)
        for name in sorted(names - without_effect):
            out = self.folder / "none.json"
            calls = self.calls(*arguments, "-o", out, expect=None, FAKE_HIP_DEVICES="2", FAKE_HIP_FAIL=f"{name}=719")
            self.assertIn(self.last.returncode, (100, 234, 255), name)
            self.assertIn("719", self.last.stderr, name)
            if name not in ("hipModuleGetFunction", "hipModuleGetGlobal"):  # these name the kernel
                self.assertIn(name, self.last.stderr)
            self.assertEqual(out.exists(), self.last.returncode == 100, name)  # the descriptor
            out.unlink(missing_ok=True)
            if name in ("hipSetDevice", "hipGetDevice"):  # the device is lost: nothing can be released
                continue
            for made, gone in pairs:
                self.assertEqual(0 if made == name else calls.get(made, 0), calls.get(gone, 0), (name, made))

    def test_short_of_memory(self):
        for name in ("hipMalloc", "hipHostMalloc"):
            for number in (1, 3, 8, 40):
                run = self.score(*VIF, "--backend", "hip", expect=None, env=environment(FAKE_HIP_FAIL=f"{name}@{number}=2"))
                self.assertIn(run.returncode, (0, 255, 234), run.stderr)
                if run.returncode:
                    self.assertRegex(run.stderr, name + r" failed: hipErrorOutOfMemory \(2\), at \w+\.cpp:\d+")
        run = self.score(*VIF, env=environment(FAKE_HIP_FAIL="hipMalloc=2"))
        self.assertIn("using cpu", run.stderr)
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")

    def test_a_device_lost_in_auto_is_no_reason_to_mix_results(self):
        self.score(*VIF, expect=234, env=environment(FAKE_HIP_FAIL="hipModuleLaunchKernel@2=719"))

    def test_the_runtime_is_not_loaded_unless_needed(self):
        for arguments in (("--no_hip",), ("--backend", "cpu"), ("--gpumask", "0xffffffff")):
            self.assertEqual(self.calls(*arguments), {})

    def test_dispatch_has_a_variable_of_its_own(self):
        run = self.score(*VIF, "--backend", "hip", env=environment(VMAF_HIP_DISPATCH="vif_hip=serial,graph", VMAF_CUDA_DISPATCH="bad"))
        self.assertEqual(run.stderr, "libvmaf WARNING VMAF_HIP_DISPATCH: 'graph' is ignored: the strategies are adaptive, batched and serial\n")
        alone = self.calls("--backend", "hip", VMAF_HIP_DISPATCH="batched")
        serial = self.calls("--backend", "hip", VMAF_HIP_DISPATCH="vif=serial")
        self.assertEqual(serial["hipStreamSynchronize"] - alone["hipStreamSynchronize"], self.frames)


if __name__ == "__main__":
    unittest.main()
