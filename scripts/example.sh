#!/usr/bin/env bash
# Builds vmaf and scores a generated pair of clips: a moving scene, and the same scene after a lossy transform.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/packages.sh build
cuda=false
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); then
  cuda=true
  echo "nvcc found ($nvcc): building with CUDA; configure a folder yourself to leave it out (-Denable_cuda=false)"
else
  echo "nvcc not found: building without CUDA"
fi
[ -f build/build.ninja ] || meson setup build -Denable_tests=false -Denable_bench=false -Denable_cuda=$cuda
ninja -C build

work=build/example
mkdir -p "$work"
clip=(build/tools/clipgen --size 1280x720 --frames 24 --format 420 --depth 8 --scene street --seed 1)
[ -f "$work/reference.y4m" ] || "${clip[@]}" "$work/reference.y4m"
[ -f "$work/distorted.y4m" ] || "${clip[@]}" --distort dct:48 "$work/distorted.y4m"

report="$work/report.json"
command=(build/tools/vmaf --reference "$work/reference.y4m" --distorted "$work/distorted.y4m"
         --threads auto --feature psnr --feature float_ssim --json --output "$report")
echo
echo "\$ ${command[*]}"
"${command[@]}"
python3 - "$report" <<'P'
import json, sys
pooled = json.load(open(sys.argv[1]))["pooled_metrics"]
print(f"\n{'metric':<12}{'mean':>12}{'min':>12}{'max':>12}")
for name in ("vmaf", "psnr_y", "float_ssim"):
    p = pooled[name]
    print(f"{name:<12}{p['mean']:>12.6f}{p['min']:>12.6f}{p['max']:>12.6f}")
print(f"\nThe report with every frame is in {sys.argv[1]}")
P
