#!/usr/bin/env bash
# Builds with warnings as errors, checks the style and runs every test (except the suite "slow", which .ci/full runs). If all pass (or
# GATE_ALL is set), clang builds the core with AddressSanitizer, UndefinedBehaviorSanitizer and libFuzzer, repeats the tests of external
# interfaces and fuzzes briefly; then arm64, Windows and WebAssembly follow. The last line is the summary.
set -uo pipefail
# Tests send signals that nohup and background jobs ignore.
[ -n "${GATE_SIGNALS:-}" ] || GATE_SIGNALS=default exec env --default-signal bash "$0" "$@"
cd "$(dirname "$0")/.."
./scripts/packages.sh test || exit 1
export VMAF_REQUIRE_FFMPEG_SOURCE=1 # tests/ffmpeg fails if it would be skipped

configure() { # folder, options...
  local folder=$1; shift
  [ -f "$folder/build.ninja" ] || meson setup "$folder" -Dwerror=true "$@" >"$folder.setup.log" 2>&1 ||
    { cat "$folder.setup.log"; return 1; }
}

cross() { # name: its cross file, with ccache if installed
  echo --cross-file "cross/$1.txt"
  ! command -v ccache >/dev/null || echo --cross-file "cross/$1-ccache.txt"
}

summary() { # files of results; prints failures and the last line
  python3 - "$@" <<'P'
import sys, xml.etree.ElementTree as tree
passed = failed = skipped = 0
for file in sys.argv[1:]:
    for case in tree.parse(file).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
            print("failed:", file, case.get("classname") or "", case.get("name"))
        elif case.find("skipped") is not None or case.get("status") == "notrun": skipped += 1
        else: passed += 1
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
P
}

begin=$SECONDS
took() { # stage: prints its duration
  echo "== $1: $((SECONDS - begin)) s"
  begin=$SECONDS
}

export CCACHE_SLOPPINESS=pch_defines,time_macros # lets ccache handle precompiled headers
status=0
configure build-test && ninja -C build-test || { echo "0 passed, 1 failed"; exit 1; }
took "build"
TIDY_MOST=${TIDY_MOST:-12} ./scripts/style.sh --tidy "${STYLE_BASE:-}" || status=1
took "style"
meson test -C build-test --no-rebuild --print-errorlogs --timeout-multiplier 10 --no-suite slow || status=1
took "tests"
[ $status -eq 0 ] || [ -n "${GATE_ALL:-}" ] || { # otherwise nothing below is worth its minutes
  summary build-test/meson-logs/testlog.junit.xml
  exit 1
}

# To save time, only what takes data or calls from outside: files, models, documents, sessions, the C API. The equality harness above
# already guards the memory of vector code, and .ci/full instruments everything.
suites=(room_tests abi/capi_tests)
fuzzers=(fuzz/model_fuzz fuzz/options_fuzz fuzz/y4m_fuzz fuzz/capi_fuzz fuzz/cli_fuzz fuzz/container_fuzz) # .ci/full also runs tune_rows and serve
CC=clang CXX=clang++ configure build-asan -Doptimization=1 -Db_ndebug=false -Dcpp_args=-gline-tables-only -Db_sanitize=address,undefined -Db_lundef=false \
  -Denable_bench=false -Denable_asm=false -Denable_fuzz=true &&
  ninja -C build-asan "${suites[@]/#/tests/}" "${fuzzers[@]}" || { echo "0 passed, 1 failed"; exit 1; }
took "build with sanitizers"
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
sanitized() { # which of the suites
  # .ci/full runs the sweep over every size, which takes minutes without vector code.
  GTEST_FILTER='-*EverySizeIsScored*:*VectorCode*' build-asan/tests/${suites[$1]} --gtest_brief=1 --gtest_output=xml:build-asan/suite$1.xml
}
sanitized 0 >build-asan/suite0.log 2>&1 & first=$!
sanitized 1 || status=1
wait $first || { tail -n 100 build-asan/suite0.log; status=1; }
took "tests with sanitizers"
./scripts/fuzz.sh build-asan 12 || status=1
took "fuzzing"

# NEON: fast against scalar functions, and golden figures. Optimises little, which halves the time to compile; .ci/full runs everything.
configure build-neon $(cross aarch64-linux-gnu) -Doptimization=1 -Denable_bench=false -Denable_libav=disabled &&
  ninja -C build-neon tests/equality/equality tools/vmaf tools/clipgen || { echo "0 passed, 1 failed"; exit 1; }
took "build for arm64"
meson test -C build-neon --no-rebuild --print-errorlogs --timeout-multiplier 10 --suite emulated || status=1
took "tests for arm64"

# Windows: the same figures under wine, without vector code, which would take too long here.
export WINEPREFIX=$PWD/build-windows-gate/wine
./scripts/header_subprojects.sh && configure build-windows-gate --wrap-mode=nodownload $(cross x86_64-w64-mingw32) -Doptimization=1 -Denable_asm=false \
  -Denable_bench=false -Denable_libav=disabled && ninja -C build-windows-gate src/libvmaf-3.dll tools/vmaf.exe tools/clipgen.exe ||
  { echo "0 passed, 1 failed"; exit 1; }
took "build for Windows"
meson test -C build-windows-gate --no-rebuild --print-errorlogs --timeout-multiplier 10 golden_emulated || status=1
took "tests for Windows"

# WebAssembly under Node with SIMD128, where Emscripten is installed: it takes 0.8 GB, so that packages.sh does not install it.
# .ci/full wasm has everything, the build without vector code included.
wasm_results=
if command -v emcc >/dev/null && command -v node >/dev/null; then
  ./scripts/wasm.sh simd packages/npm/vmaf-turbo.wasm tools/vmaf.js tools/clipgen.js tests/equality/equality.js || { echo "0 passed, 1 failed"; exit 1; }
  meson test -C build-wasm --no-rebuild --print-errorlogs --timeout-multiplier 10 --suite emulated || status=1
  wasm_results=build-wasm/meson-logs/testlog.junit.xml
  took "WebAssembly"
else
  echo "== WebAssembly: skipped, emcc or node is not installed"
fi

summary build-{test,neon,windows-gate}/meson-logs/testlog.junit.xml build-asan/suite{0,1}.xml $wasm_results || status=1
exit $status
