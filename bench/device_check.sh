#!/usr/bin/env bash
# Shows the CUDA backend on a GPU: equality with the CPU, speed, sanitizers.
#
#   bench/device_check.sh pack FOLDER          builds for sm_90 and puts what is needed into FOLDER (ARCHS=sm_89,... to change)
#   bench/device_check.sh run FOLDER [STEP...] on the machine with the GPU
#
# Steps: check kernels frames sweep library files startup sanitize cycles (default: all but sweep and cycles).
# Each prints its figures; FOLDER/log keeps everything.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

pack() {
    local folder=$1 build=${BUILD:-$here/build-device-check}
    [ -d "$build" ] || meson setup "$build" "$here" -Denable_cuda=true -Dnvidia_archs="${ARCHS:-sm_90}" -Denable_fuzz=false >/dev/null
    ninja -C "$build" bench/device_bench bench/library_bench tools/vmaf/vmaf tools/clipgen/clipgen
    mkdir -p "$folder"
    cp "$build"/bench/device_bench "$build"/bench/library_bench "$build"/tools/vmaf/vmaf "$build"/tools/clipgen/clipgen "$folder"/
    cp -L "$build"/src/libvmaf.so.3 "$folder"/
    strip "$folder"/device_bench "$folder"/library_bench "$folder"/vmaf "$folder"/libvmaf.so.3
    ls -lh "$folder"
}

# A raw clip in the page cache, made of four distinct frames.
raw_clip() { # file width height frames distortion
    "$folder"/clipgen --size "$2x$3" --frames 4 --format 420 --depth 8 --scene street --distort "$5" "$tmp/part.yuv"
    : >"$1"
    for ((i = 0; i < $4; i += 4)); do cat "$tmp/part.yuv" >>"$1"; done
}
timed() { # words, then the command
    local TIMEFORMAT="$1: %R s wall, %U s user, %S s system"
    shift
    time "$@"
}

step_check() { "$folder"/device_bench check cuda large; }
step_kernels() { "$folder"/device_bench kernels cuda; }
step_frames() { "$folder"/device_bench frames cuda; }
step_sweep() { "$folder"/device_bench frames cuda sweep; }
step_library() {
    local kind
    for kind in pinned device host; do
        "$folder"/library_bench 576 324 8 20000 $kind
        "$folder"/library_bench 1920 1080 8 6000 $kind
        "$folder"/library_bench 1920 1080 10 4000 $kind
        "$folder"/library_bench 3840 2160 8 1500 $kind
    done
    "$folder"/library_bench 1920 1080 8 3000 pinned 8
}
step_files() {
    raw_clip "$tmp/ref.yuv" 1920 1080 1200 none
    raw_clip "$tmp/dis.yuv" 1920 1080 1200 dct:40
    local args=(-r "$tmp/ref.yuv" -d "$tmp/dis.yuv" -w 1920 -h 1080 -p 420 -b 8 --json -q)
    for threads in 1 8 16; do
        timed "vmaf --threads $threads, 1200 frames of 1920x1080" \
            "$folder"/vmaf "${args[@]}" --backend cuda --threads $threads -o "$tmp/cuda.json"
    done
    "$folder"/vmaf "${args[@]}" --frame_cnt 100 --backend cpu --threads 16 --precision max -o "$tmp/cpu.json"
    "$folder"/vmaf "${args[@]}" --frame_cnt 100 --backend cuda --precision max -o "$tmp/cuda.json"
    python3 - "$tmp/cpu.json" "$tmp/cuda.json" <<'PY'
import json, sys
a, b = (json.load(open(p)) for p in sys.argv[1:])
same = a["frames"] == b["frames"] and a["pooled_metrics"] == b["pooled_metrics"]
print("scores of the CPU and of CUDA:", "equal in every digit" if same else "DIFFERENT", "; backend_used", b.get("backend_used"))
PY
}
step_startup() {
    raw_clip "$tmp/two.yuv" 1920 1080 4 none
    for i in 1 2 3; do
        timed "vmaf on two frames of 1920x1080" "$folder"/vmaf -r "$tmp/two.yuv" -d "$tmp/two.yuv" -w 1920 -h 1080 \
            -p 420 -b 8 --frame_cnt 2 --backend cuda -q -o /dev/null
    done
    python3 - <<'PY'
import ctypes, time
start = time.time()
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
context = ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
print("driver initialisation and context creation alone: %.3f s" % (time.time() - start))
PY
}
step_sanitize() {
    for tool in memcheck racecheck synccheck; do
        timeout 150 compute-sanitizer --tool $tool --error-exitcode 9 "$folder"/device_bench check cuda brief | tail -4 || echo "compute-sanitizer $tool: exit $?"
    done
}
step_cycles() {
    local before after
    before=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader)
    for ((i = 0; i < 200; i++)); do "$folder"/library_bench 576 324 8 50 pinned >/dev/null || echo "run $i failed"; done
    for ((i = 0; i < 8; i++)); do "$folder"/library_bench 1920 1080 8 500 pinned & done
    wait
    after=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader)
    echo "GPU memory in use before $before, after $after"
}

run() {
    folder=$(cd "$1" && pwd)
    shift
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,memory.used --format=csv,noheader || true
    local steps=("$@")
    [ ${#steps[@]} -gt 0 ] || steps=(check kernels frames library files startup sanitize)
    for step in "${steps[@]}"; do
        echo "== $step"
        local begin=$SECONDS
        "step_$step" 2>&1 || echo "== $step FAILED ($?)"
        echo "== $step took $((SECONDS - begin)) s"
    done
}

case ${1:-} in
pack) pack "${2:?folder}" ;;
run) shift && run "$@" ;;
*) sed -n '2,9p' "$0" && exit 2 ;;
esac
