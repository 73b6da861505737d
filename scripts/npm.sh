#!/usr/bin/env bash
# Packs both WebAssembly builds as an npm package and tests it with Node: build-npm/vmaf-turbo-VERSION.tgz.
#   npm.sh [--no-test]
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/wasm.sh simd packages/npm/vmaf-turbo.wasm tools/vmaf.js tools/clipgen.js
./scripts/wasm.sh scalar packages/npm/vmaf-turbo.wasm
package=build-npm/package
rm -rf build-npm && mkdir -p "$package/wasm" "$package/models"
cp -r packages/npm/{package.json,README.md,src,test} LICENSE "$package"
cp build-wasm/packages/npm/vmaf-turbo.wasm "$package/wasm/vmaf-turbo-simd.wasm"
cp build-wasm-scalar/packages/npm/vmaf-turbo.wasm "$package/wasm/vmaf-turbo-scalar.wasm"
cp models/*.json "$package/models"
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)
grep -q "\"version\": \"$version\"" "$package/package.json" || { echo "npm.sh: packages/npm/package.json does not have version $version of meson.build" >&2; exit 1; }
for kind in simd scalar; do
  echo "$kind: $(gzip -9c "$package/wasm/vmaf-turbo-$kind.wasm" "models/vmaf_v0.6.1.json" | wc -c) bytes of gzip with the default model"
done
export VMAF=${VMAF:-node --no-experimental-fetch $PWD/build-wasm/tools/vmaf.js} CLIPGEN=${CLIPGEN:-node --no-experimental-fetch $PWD/build-wasm/tools/clipgen.js}
if [ "${1:-}" != --no-test ]; then (cd "$package" && node --test test/scores.test.js); fi
(cd build-npm && npm pack --silent --offline ./package)
