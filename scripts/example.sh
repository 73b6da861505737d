#!/usr/bin/env bash
# Builds vmaf and scores a generated pair of clips: a moving scene, and the same scene after a lossy transform. Builds only what that needs,
# plus the module for video files; `ninja -C build` builds everything.
set -euo pipefail
cd "$(dirname "$0")/.."

begin=$SECONDS
echo "1/3  Installing missing Debian packages"
./scripts/packages.sh build
echo "     $((SECONDS - begin)) s"

# CUDA only if a GPU responds, and for that GPU alone: images for every architecture take minutes to compile.
options=(-Denable_tests=false -Denable_bench=false)
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ' || true)
if [ -n "$nvcc" ] && [[ "$capability" =~ ^[0-9]+$ ]]; then
  options+=(-Denable_cuda=true "-Dnvidia_archs=sm_$capability")
  echo "     GPU found: building with CUDA for this GPU only (sm_$capability); do not install this build elsewhere"
elif [ -n "$nvcc" ]; then
  echo "     nvcc found, but no GPU: building for the CPU (configure with -Denable_cuda=true for a CUDA build)"
fi

begin=$SECONDS
echo "2/3  Building vmaf in build/ (about two minutes on two cores)"
[ -f build/build.ninja ] || meson setup build "${options[@]}" >build.setup.log 2>&1 || { cat build.setup.log; exit 1; }
programs=(tools/vmaf tools/clipgen)
! grep -q '^build tools/libvmaf-libav\.so:' build/build.ninja || programs+=(tools/libvmaf-libav.so)
ninja -C build "${programs[@]}"
echo "     $((SECONDS - begin)) s"

echo "3/3  Scoring a generated pair of clips"
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
print(f"\nScores of every frame: {sys.argv[1]}")
P
echo "Next, score your own files: build/tools/vmaf -r master.mov -d encode.mkv"
