#!/usr/bin/env bash
# Builds the page in build-web/index.html. Needs npm once, for esbuild and mediabunny.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/wasm.sh simd packages/npm/vmaf-turbo.wasm
[ -d web/node_modules/esbuild ] || (cd web && npm install --silent --no-audit --no-fund --no-package-lock)
node web/build.mjs build-wasm/packages/npm/vmaf-turbo.wasm build-web/index.html
