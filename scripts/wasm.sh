#!/usr/bin/env bash
# Builds for WebAssembly with Debian's emscripten: with SIMD128 in build-wasm and without vector code in build-wasm-scalar.
#   wasm.sh [both|simd|scalar] [TARGET...]      default: all targets (the npm module, vmaf for Node, tests)
# Fetches from Debian what this machine lacks: Highway 1.2 (Debian 12 has 1.0.3, without doubles in WebAssembly) and newlib's functions.
set -euo pipefail
cd "$(dirname "$0")/.."
which=${1:-both}
shift || true
command -v emcc >/dev/null || { echo "wasm.sh: emcc was not found; install Emscripten (Debian: emscripten)" >&2; exit 1; }
# Emscripten's scripts need Debian's acorn with any Node.
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
command -v ccache >/dev/null && export EM_COMPILER_WRAPPER=${EM_COMPILER_WRAPPER:-$(command -v ccache)} CCACHE_SLOPPINESS=pch_defines,time_macros

./scripts/header_subprojects.sh
build() { # folder, then meson options and targets, separated by --
  local folder=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  [ -f "$folder/build.ninja" ] || meson setup "$folder" --cross-file cross/wasm32.txt -Dwerror=true "${options[@]}" >"$folder.setup.log" 2>&1 ||
    { cat "$folder.setup.log"; return 1; }
  ninja -C "$folder" "$@"
}
if [ "$which" != scalar ]; then
  ./scripts/source_subprojects.py build-wasm-sources highway@trixie
  build build-wasm -- "$@"
fi
[ "$which" = simd ] || build build-wasm-scalar -Denable_asm=false -- "$@"
