#!/usr/bin/env python3
"""All tests of a Windows build, under wine.

  run.py WINDOWS_BUILD [FOLDER_OF_FFMPEG [VMAF]]     FOLDER_OF_FFMPEG: of ffmpeg_build.py; without it vmaf-tune and the filter are skipped
                                                     VMAF: this system's, whose figures must be the same in every digit
"""
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
build = pathlib.Path(sys.argv[1]).resolve()
os.environ |= {"WINDOWS_BUILD": str(build), "PYTHONDONTWRITEBYTECODE": "1"}
import windows  # noqa: E402

# Excludes file owners and modes, POSIX signals and devices, and tests that start programs of this system.
COMMAND_TESTS = ["test_options", "test_list", "test_pages", "test_documents.Layout", "test_documents.ScoreLines", "test_inputs.Formats", "test_inputs.Depth",
                 "test_inputs.Lengths", "test_inputs.Threads", "test_inputs.Sources.test_standard_input_is_a_dash",
                 "test_inputs.Sources.test_one_pipe_cannot_be_both_clips", "test_inputs.Sources.test_pieces_of_a_pipe_make_no_difference"]
GOLDEN = [sys.executable, ROOT / "tests/golden/check.py", "--vmaf", build / "tools/vmaf.exe", "--clipgen", build / "tools/clipgen.exe",
          *(["--same-as", sys.argv[3]] if len(sys.argv) > 3 else [])]


def main():
    failed = []

    def run(name, *command, folder=ROOT, **environment):
        begin = time.monotonic()
        ended = subprocess.run([str(word) for word in command], cwd=folder, env={**windows.ENVIRONMENT, **environment})
        print(f"-- {name}: {'passed' if ended.returncode == 0 else 'FAILED'}, {time.monotonic() - begin:.0f} s", flush=True)
        if ended.returncode:
            failed.append(name)

    run("golden figures", *GOLDEN, MESON_EXE_WRAPPER="wine")
    for mask in ("32", "48", "255"):  # without VNNI, without AVX-512, without any
        run(f"golden figures, --cpumask {mask}", *GOLDEN, "--cpumask", mask, MESON_EXE_WRAPPER="wine")
    run("vector code", "wine", build / "tests/equality/equality.exe", "--quick")
    library = {"WINEPATH": windows.dos(build / "src")}  # for libvmaf-3.dll
    for name in ("unit_tests", "abi/capi_tests", "tune_tests"):
        run(name, "wine", build / "tests" / (name + ".exe"), "--gtest_brief=1", **library)
    for name in ("model", "options", "y4m", "capi", "cli", "tune_rows"):
        run(f"corpus {name}", "wine", build / "fuzz" / (name + "_replay.exe"), ROOT / "fuzz/corpus" / name, **library)
    run("files", sys.executable, HERE / "files_test.py")
    run("vmaf-parity", sys.executable, HERE / "parity_test.py")
    run("CUDA", sys.executable, HERE / "cuda_test.py")
    programs = {"VMAF": windows.wrapper("vmaf", build / "tools/vmaf.exe"), "CLIPGEN": windows.wrapper("clipgen", build / "tools/clipgen.exe")}
    for names in (COMMAND_TESTS[:1], COMMAND_TESTS[1:]):
        run(f"command: {names[0]}...", sys.executable, "-m", "unittest", "-q", *names, folder=ROOT / "tests/cli", **programs)
    if len(sys.argv) > 2:
        run("FFmpeg and vmaf-tune", sys.executable, HERE / "tune_test.py", WINDOWS_FFMPEG=str(pathlib.Path(sys.argv[2]).resolve()))
    print("failed: " + ", ".join(failed) if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    with windows.wine_stays():
        sys.exit(main())
