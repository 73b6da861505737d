"""A build with SYCL: without its module, and with a module that fails on request (backends.md 3.2, 5)."""
import json
import os
import shutil
import unittest

from support import CommandTest

VIF = ("-n", "--feature", "vif", "--json", "-o", "-")
REFUSED = "vmaf: --backend sycl requested but init failed; refusing to silently fall back to CPU (ADR-0498)"
OTHERS = ("--no_cuda", "--no_hip", "--no_metal")


def environment(module=None, **variables):
    return {**os.environ, "VMAF_SYCL_MODULE": module or os.environ["SYCL_MODULE"], **variables}


class WithoutModule(CommandTest):
    def test_on_request_it_is_refused_with_a_descriptor(self):
        path = self.folder / "refused.json"
        run = self.score("--backend", "sycl", "-o", path, expect=100, env=environment("/no/such/module.so"))
        self.assertEqual(path.read_text(), '{"error": "vmaf_sycl_state_init failed", "backend_requested": "sycl", '
                                           '"errno": -19, "adr": "ADR-0498", "exit_code": 100}\n')
        self.assertEqual(run.stderr.splitlines()[-1], REFUSED)
        for words in ("libvmaf-sycl.so", "was not found", "docs/backends/sycl.md"):
            self.assertIn(words, run.stderr)

    def test_auto_warns_once_and_scores_on_the_cpu(self):
        run = self.score(*VIF, *OTHERS, env=environment("/no/such/module.so"))
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
        self.assertRegex(run.stderr, r"^vmaf: sycl not usable \(the module .*\); using cpu\n$")
        self.assertEqual(self.score(*VIF, *OTHERS, "--no_sycl", env=environment("/no/such/module.so")).stderr, "")

    def test_what_is_no_module_or_of_another_version(self):
        text = self.file("text.so", "no library")
        run = self.score(*VIF, "--backend", "sycl", expect=100, env=environment(text))
        self.assertIn("cannot be loaded", run.stderr)
        other = os.environ.get("OTHER_MODULE")
        if other:
            run = self.score(*VIF, "--backend", "sycl", expect=100, env=environment(other))
            self.assertIn("belongs to another version", run.stderr)

    def test_a_module_that_others_can_change_is_not_loaded(self):
        module = self.folder / "module.so"
        shutil.copy(os.environ["SYCL_MODULE"], module)
        module.chmod(0o777)
        run = self.score(*VIF, "--backend", "sycl", expect=100, env=environment(str(module)))
        self.assertIn("all users can write to", run.stderr)

    def test_capabilities_give_the_reason(self):
        details = json.loads(self.vmaf("--capabilities", *OTHERS, env=environment("/no/such/module.so")).stdout)
        sycl = details["details"]["sycl"]
        self.assertEqual((sycl["built"], sycl["usable"], sycl["errno"], sycl["devices"]), (True, False, -19, []))
        self.assertIn("was not found", sycl["reason"])
        self.assertIn("sycl", details["features"]["vif"])


class WithModule(CommandTest):
    def test_scores_are_those_of_the_cpu(self):
        run = self.score(*VIF, "--backend", "sycl", env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "sycl")
        cpu = self.score(*VIF, "--backend", "cpu")
        self.assertEqual(json.loads(cpu.stdout)["frames"], json.loads(run.stdout)["frames"])
        pinned = self.score("-n", "--feature", "vif_sycl", "--json", "-o", "-", "--backend", "sycl", env=environment())
        self.assertEqual(json.loads(pinned.stdout)["frames"], json.loads(run.stdout)["frames"])

    def test_a_missing_device(self):
        run = self.score(*VIF, "--backend", "sycl", "--sycl_device", "77", expect=100, env=environment())
        self.assertEqual(run.stderr.splitlines()[-1], REFUSED)
        self.assertIn("ONEAPI_DEVICE_SELECTOR", run.stderr)


@unittest.skipUnless("fake" in os.environ["SYCL_MODULE"], "the real module does not fail on demand")
class WithFailingModule(CommandTest):
    def test_no_device(self):
        path = self.folder / "refused.json"
        run = self.score("--backend", "sycl", "-o", path, expect=100, env=environment(FAKE_SYCL="no device"))
        self.assertEqual(json.loads(path.read_text())["errno"], -19)
        self.assertIn("there is no such device; check the driver", run.stderr)
        run = self.score(*VIF, *OTHERS, env=environment(FAKE_SYCL="no device"))
        self.assertEqual(run.stderr, "vmaf: sycl not usable (there is no such device); using cpu\n")

    def test_the_chosen_device_is_used(self):
        for number in ("0", "1"):
            run = self.score(*VIF, "--backend", "sycl", "--sycl_device", number, env=environment())
            self.assertEqual(json.loads(run.stdout)["backend_used"], "sycl")
        self.score(*VIF, "--backend", "sycl", "--sycl_device", "2", expect=100, env=environment())

    def test_auto_leaves_a_device_that_is_the_processor_alone(self):
        run = self.score(*VIF, *OTHERS, env=environment(FAKE_SYCL="no gpus"))
        self.assertEqual(json.loads(run.stdout)["backend_used"], "cpu")
        self.assertIn("sycl not usable", run.stderr)
        run = self.score(*VIF, "--backend", "sycl", env=environment(FAKE_SYCL="no gpus"))
        self.assertEqual(json.loads(run.stdout)["backend_used"], "sycl")
        run = self.score(*VIF, *OTHERS, env=environment())
        self.assertEqual(json.loads(run.stdout)["backend_used"], "sycl")

    def test_failures_end_the_run_without_a_report(self):
        for fault, code in (("memory", 255), ("launch", 234), ("finish", 234)):
            out = self.folder / "lost.json"
            run = self.score("-n", "--feature", "vif", "--json", "-o", out, "--backend", "sycl", expect=code,
                             env=environment(FAKE_SYCL=fault))
            self.assertIn("sycl: ", run.stderr)
            self.assertFalse(out.exists())

    def test_capabilities_list_the_gpus(self):
        details = json.loads(self.vmaf("--capabilities", *OTHERS, env=environment()).stdout)
        devices = details["details"]["sycl"]["devices"]
        self.assertEqual([d["index"] for d in devices], [0, 1])
        self.assertEqual((devices[0]["name"], devices[0]["arch"], devices[0]["driver"]), ("stand-in GPU", "0xfade", "1.0"))


if __name__ == "__main__":
    unittest.main()
