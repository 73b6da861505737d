"""The patch series: it applies cleanly, every step compiles, and the selectors work as ffmpeg-patches/README.md describes."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import builds
from clips import FRAMES, SIZE, FilterTest, parsed

BACKENDS = ("cuda", "sycl", "hip", "metal")
SWITCHES = [f"--enable-libvmaf-{backend}" for backend in BACKENDS]
CHANGED_FILES = {"configure", "doc/filters.texi", "libavfilter/vf_libvmaf.c"}
ENOSYS, ENODEV, EINVAL = 38, 19, 22


class Series(FilterTest):
    """The findings of build()."""

    found = None

    def test_only_the_named_files_change(self):
        self.assertEqual(set(self.found["changed"]), CHANGED_FILES)

    def test_the_committed_patches_are_what_the_description_gives(self):
        self.assertEqual(self.found["not as described"], "")

    def test_the_top_level_series_names_the_newest(self):
        def names(path):
            return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        folder = self.patches
        self.assertEqual(names(folder / "series.txt"), ["n8.1/" + name for name in names(folder / "n8.1/series.txt")])
        for series in folder.glob("n*/series.txt"):
            self.assertEqual(sorted(names(series)), sorted(path.name for path in series.parent.glob("*.patch")))

    def test_configure_leaves_out_what_the_library_lacks(self):
        expected = {backend: self.library.has(backend) for backend in BACKENDS}
        self.assertEqual(self.found["with the library"], expected)

    def test_configure_finds_what_the_library_has(self):
        self.assertEqual(self.found["with every header"], {backend: True for backend in BACKENDS})


class PatchedFilter(FilterTest):
    """The series with the library as built, configured with every --enable-libvmaf-X."""

    def test_options_are_listed_with_their_defaults(self):
        text = subprocess.run([self.patched, "-hide_banner", "-h", "filter=libvmaf"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "LD_LIBRARY_PATH": str(self.library.folder)}).stdout
        for option, default in {"cuda": "false", "sycl_device": "-1", "sycl_profile": "false", "hip_device": "-1",
                                "metal_device": "-2"}.items():
            self.assertRegex(text, rf"(?m)^ +{option} .*\(default {default}\)$")

    def test_without_the_new_options_nothing_changes(self):
        ref, dis = self.pair()
        options = {"feature": "name=psnr|name=float_ssim", "n_threads": 2, "pool": "min"}
        before, printed_before = self.filter_document(options, ref, dis, ffmpeg=self.stock)
        after, printed_after = self.filter_document(options, ref, dis, ffmpeg=self.patched)
        self.assertEqual(parsed(after), parsed(before))
        self.assertEqual(printed_after, printed_before)

    def test_selectors_that_are_off_change_nothing(self):
        off = {"cuda": 0, "sycl_device": -1, "sycl_profile": 0, "hip_device": -1, "metal_device": -2}
        self.assert_equal_scores(off, ffmpeg=self.patched)

    def test_deep_samples(self):
        for depth, form in ((10, "420"), (10, "422"), (10, "444")):
            with self.subTest(form):
                self.assert_equal_scores({"feature": "name=psnr"}, ["--feature", "psnr"], ffmpeg=self.patched,
                                         properties={"depth": depth, "form": form})

    def test_harmonic_mean(self):
        self.assert_equal_scores({"pool": "harmonic_mean"}, pool="harmonic_mean", ffmpeg=self.patched)
        ref, dis = self.pair()
        printed = [self.filter_document({"pool": pool}, ref, dis, ffmpeg=self.patched)[1] for pool in ("mean", "harmonic_mean")]
        self.assertNotEqual(*printed)

    def test_a_backend_that_is_not_built_is_not_implemented(self):
        options = {"cuda": "cuda=1", "sycl": "sycl_device=0", "hip": "hip_device=0", "metal": "metal_device=-1"}
        for backend, option in options.items():
            if self.library.has(backend):
                continue
            with self.subTest(backend):
                self.refused(option, ENOSYS, option.split("=")[0], f"--enable-libvmaf-{backend}")

    def test_cuda_without_a_device_fails(self):
        if not self.library.has("cuda"):
            self.skipTest("the library has no CUDA")
        self.refused("cuda=1", EINVAL, "vmaf_cuda_state_init", env={"CUDA_VISIBLE_DEVICES": ""})

    def test_cuda_scores_like_the_command(self):
        if not self.library.has("cuda") or not pathlib.Path("/dev/nvidiactl").exists():
            self.skipTest("needs a library with CUDA and a device")
        for depth in (8, 10):
            self.assert_equal_scores({"cuda": 1, "feature": "name=psnr"}, ["--feature", "psnr"], ffmpeg=self.patched,
                                     properties={"depth": depth})

    def test_two_selectors_are_one_too_many(self):
        self.refused("cuda=1:hip_device=0", EINVAL, "cuda", "hip_device", "both")

    def test_values_out_of_range_are_refused(self):
        for option in ("cuda=2", "sycl_device=-2", "hip_device=-2", "metal_device=-3"):
            run = self.run_filter(option, *self.pair(), expect=None, ffmpeg=self.patched)
            self.assertGreater(run.returncode, 0, run.stdout)


class RecordedCalls(FilterTest):
    """The series with a library that has every backend's header: which functions are called, and in which order."""

    def record(self, options, expect=0, refuse=None, **properties):
        log = self.folder / "calls.txt"
        log.unlink(missing_ok=True)
        env = {"LD_PRELOAD": str(self.recorder), "RECORDER": str(log), **({"RECORDER_REFUSE": str(refuse)} if refuse else {})}
        path = self.folder / "recorded.json"
        path.unlink(missing_ok=True)
        ref, dis = self.pair(**properties)
        run = self.run_filter({"log_path": str(path), "log_fmt": "json", **options}, ref, dis, expect=expect,
                              ffmpeg=self.selectors, env=env)
        return run, log.read_text().splitlines(), parsed(path.read_text()) if path.exists() else None

    def test_state_pool_and_pictures(self):
        for depth, form, number in ((8, "420", 1), (10, "444", 3)):
            with self.subTest(form):
                run, calls, document = self.record({"cuda": 1}, depth=depth, form=form)
                # -lavfi sets a filter graph up twice: to count its pads, and to run.
                rehearsal = ["init", "import", "model", "close", "free"]
                frames = [f"preallocate {SIZE} depth {depth} format {number} method 3"] + ["fetch"] * 2 * FRAMES
                self.assertEqual(calls, rehearsal + rehearsal[:3] + frames + rehearsal[3:])
                self.assertIn("libvmaf computes with CUDA", run.stdout)
                expected = self.command_document(*self.pair(depth=depth, form=form))
                self.assertEqual(document, parsed(expected))

    def test_nothing_is_called_without_the_option(self):
        _, calls, _ = self.record({})
        self.assertEqual(calls, ["model", "close", "model", "close"])

    def test_a_device_that_refuses_fails_the_filter(self):
        run, calls, document = self.record({"cuda": 1}, expect=None, refuse=-ENODEV)
        self.assertEqual(calls, ["init", "close"])
        self.assertEqual(run.returncode, 1 if self.base == "n5.1" else 256 - ENODEV, run.stdout)
        self.assertIn(os.strerror(ENODEV), run.stdout)
        self.assertIn("vmaf_cuda_state_init failed with -19", run.stdout)
        self.assertIsNone(document)

    def test_the_librarys_error_is_passed_on(self):
        for option, backend in (("sycl_device=0", "sycl"), ("hip_device=3", "hip"), ("metal_device=-1", "metal")):
            if not self.library.has(backend):
                self.refused(option, ENOSYS, f"vmaf_{backend}_state_init failed with -38", ffmpeg=self.selectors)


class ReachedBackends(FilterTest):
    """The series with a library that has SYCL and HIP: the selectors reach their module and driver."""

    def environment(self, *folders, **variables):
        library = pathlib.Path(os.environ["LIBRARY_OF_EVERY_BACKEND"])
        return {"LD_LIBRARY_PATH": ":".join(map(str, (library.parent, *folders))), "VMAF_SYCL_MODULE": os.environ["SYCL_MODULE"],
                **variables}

    def test_sycl_scores_like_the_cpu(self):
        env = self.environment()
        run = self.run_filter("sycl_device=0", *self.pair(), ffmpeg=self.selectors, env=env)
        self.assertIn("libvmaf computes with SYCL, device 0", run.stdout)
        for depth in (8, 10):
            with self.subTest(depth):
                self.assert_equal_scores({"sycl_device": 0, "feature": "name=psnr|name=float_ssim"}, ["--feature", "psnr", "--feature", "float_ssim"],
                                         ffmpeg=self.selectors, env=env, properties={"depth": depth})

    def test_sycl_that_cannot_be_used_fails_the_filter(self):
        said = "vmaf_sycl_state_init failed with -19"
        self.refused("sycl_device=77", ENODEV, said, "ONEAPI_DEVICE_SELECTOR", ffmpeg=self.selectors, env=self.environment())
        self.refused("sycl_device=0", ENODEV, said, "was not found", ffmpeg=self.selectors,
                     env=self.environment(VMAF_SYCL_MODULE="/no/such/module.so"))

    def test_hip_without_a_driver_says_what_to_check(self):
        none = self.folder / "no_driver"  # the machine may have a driver: files that are no libraries hide it
        none.mkdir(exist_ok=True)
        for end in (".7", ".6", ".5", ""):
            (none / f"libamdhip64.so{end}").touch()
        self.refused("hip_device=0", ENODEV, "vmaf_hip_state_init failed with -19", "ldconfig -p | grep libamdhip64",
                     ffmpeg=self.selectors, env=self.environment(none))

    def test_hip_reaches_the_driver(self):
        log = self.folder / "driver.txt"
        env = self.environment(pathlib.Path(os.environ["FAKE_HIP"]).parent, FAKE_HIP_LOG=str(log), FAKE_HIP_DEVICES="2")
        run = self.run_filter("hip_device=1", *self.pair(), ffmpeg=self.selectors, env=env)
        self.assertIn("libvmaf computes with HIP, device 1", run.stdout)
        calls = dict(line.split() for line in log.read_text().splitlines())
        self.assertGreater(int(calls["hipModuleLaunchKernel"]), FRAMES)
        self.refused("hip_device=2", ENODEV, "no device 2; the runtime shows 2", ffmpeg=self.selectors, env=env)

    def test_metal_is_not_there(self):
        self.refused("metal_device=-1", ENOSYS, "vmaf_metal_state_init failed with -38", ffmpeg=self.selectors, env=self.environment())


def apply(build, patches, is_base):
    """Applies the series and compiles after each patch; returns the files that changed."""
    changed = set()
    for name in (patches / "series.txt").read_text().split():
        output = builds.call(["patch", "-p1", "-F0", "--no-backup-if-mismatch", "-i", patches / name], build.tree)
        if is_base and re.search("offset|fuzz", output):
            raise RuntimeError(f"{name} does not apply where it says:\n{output}")
        changed |= set(re.findall(r"patching file '?([^'\n]+)", output))
        build.make("libavfilter/vf_libvmaf.o", keep_others=True)
    if list(build.tree.rglob("*.rej")):
        raise RuntimeError("rejected hunks are left")
    return sorted(changed)


def not_as_described(patches, base, tree):
    check = subprocess.run([sys.executable, str(patches / "generate.py"), base, str(tree), "--check"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return check.stdout or ("" if check.returncode == 0 else "generate.py failed")


def patched_binary(build, name):
    build.configure(*SWITCHES)
    (build.tree / "libavfilter/vf_libvmaf.c").touch()
    build.make(keep_others=True)
    build.keep_binary(name)
    return {backend: build.has(f"LIBVMAF_{backend.upper()}") for backend in BACKENDS}


def build(build, patches, base, is_base, say):
    """Applies the series to the tree of `build`, makes the two patched binaries, and returns the findings."""
    headers = build.library.headers
    found = {"not as described": not_as_described(patches, base, build.tree) if is_base else ""}
    found["changed"] = apply(build, patches / base, is_base)
    say("series applied, every step compiled")
    found["with the library"] = patched_binary(build, "ffmpeg-patched")
    say("built with the series")
    added = [shutil.copy2(path, headers) for path in sorted((patches.parent / "include/libvmaf").glob("libvmaf_*.h"))
             if not (headers / path.name).exists()]
    found["with every header"] = patched_binary(build, "ffmpeg-selectors")
    recorder = pathlib.Path(__file__).with_name("recorder.c")
    builds.call(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", "recorder.so", recorder, "-I", headers.parent, "-ldl"],
                build.folder.parent)
    for path in added:
        os.remove(path)
    say("built with every backend's header")
    return found
