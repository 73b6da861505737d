#!/usr/bin/env bash
# Builds with warnings as errors and runs every test, then the unit and C API tests again under AddressSanitizer and
# UndefinedBehaviorSanitizer. The last line is the summary of both.
set -uo pipefail
cd "$(dirname "$0")/.."
./scripts/packages.sh test || exit 1
export VMAF_REQUIRE_FFMPEG_SOURCE=1 # tests/ffmpeg fails where it would be skipped

configure() { # folder, options...
  local folder=$1; shift
  [ -f "$folder/build.ninja" ] || meson setup "$folder" -Dwerror=true "$@" >"$folder.setup.log" 2>&1 ||
    { cat "$folder.setup.log"; return 1; }
}

status=0
configure build-test && ninja -C build-test || { echo "0 passed, 1 failed"; exit 1; }
meson test -C build-test --no-rebuild --print-errorlogs --timeout-multiplier 3 || status=1

# Without the vector sources: instrumented, they alone compile for half an hour. The equality harness above gives their
# inputs unreadable neighbours; .ci/full has the sanitizers on everything.
configure build-asan --buildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
  -Denable_bench=false -Denable_asm=false &&
  ninja -C build-asan tests/unit_tests tests/abi/capi_tests || { echo "0 passed, 1 failed"; exit 1; }
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# GCC 12's AddressSanitizer loses its way on the host device's fibers, and the sweep over all sizes takes too long here.
GTEST_FILTER='-*Device*:*Host*:*Fiber*:*Kernel*:*device*:*EverySize*' \
  meson test -C build-asan --no-rebuild --print-errorlogs --timeout-multiplier 5 unit 'c api' || status=1

python3 - build-test build-asan <<'P' || status=1
import sys, xml.etree.ElementTree as tree
passed = failed = skipped = 0
for folder in sys.argv[1:]:
    for case in tree.parse(f"{folder}/meson-logs/testlog.junit.xml").getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None: failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun": skipped += 1
        else: passed += 1
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
P
exit $status
