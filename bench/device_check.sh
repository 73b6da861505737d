#!/usr/bin/env bash
# Tests the CUDA backend on a GPU: equality with the CPU, speed, sanitizers.
#
#   bench/device_check.sh pack FOLDER          builds for sm_90 and puts everything needed into FOLDER (ARCHS=sm_89,... to change)
#   bench/device_check.sh run FOLDER [STEP...] on the machine with the GPU
#
# Steps: devices features maps check profile parity golden mixes memory kernels frames sweep library pageable files y4m nvdec formats uploads
# tune_direct tune_gpu ffmpeg list startup contexts runs samples faults sanitize hip sycl
# (default: all except sweep, tune_gpu and sycl). Each prints its figures, and FAILED if something is wrong. `SLOW` names the features that
# profile examines, `TUNE_GPU` arguments of bench/tune_gpu.py.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/nvdec_check.sh"
. "$here/bench/ffmpeg_check.sh"

pack() {
    mkdir -p "$1"
    local folder build=${BUILD:-$here/build-device-check}
    folder=$(cd "$1" && pwd)
    [ -d "$build" ] || meson setup "$build" "$here" -Denable_cuda=true -Dnvidia_archs="${ARCHS:-sm_90}" -Denable_fuzz=false >/dev/null
    local programs=(bench/device_bench bench/library_bench bench/library_stress tools/vmaf tools/vmaf-parity
        tools/clipgen tests/unit_tests bench/hip_on_cuda/device_bench_hip tests/fake_driver/with_hip/vmaf_with_hip)
    ninja -C "$build" "${programs[@]}"
    mkdir -p "$folder"
    (cd "$build" && cp "${programs[@]}" "$folder"/)
    cp -L "$build"/src/libvmaf.so.3 "$folder"/
    ninja -C "$build" bench/hip_on_cuda/libamdhip64.so.6 && mkdir -p "$folder"/hip_on_cuda && cp -L "$build"/bench/hip_on_cuda/libamdhip64.so.6 "$folder"/hip_on_cuda/
    (cd "$folder" && strip "${programs[@]##*/}" libvmaf.so.3)
    pack_video "$folder" "$build"
    pack_ffmpeg "$folder"
    ls -lh "$folder"
}

# A raw clip in the page cache, from four distinct frames.
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
# Queues, events, memory and kernel operations, on every available device.
step_devices() { "$folder"/unit_tests --gtest_brief=1 --gtest_filter='*EveryDevice*'; }
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
    for i in 1 2 3; do "$folder"/library_bench 1920 1080 8 3000 pinned; done # shows the variation
    "$folder"/library_bench 1920 1080 8 3000 pinned 8
}
# Every feature and the larger models separately, 1920x1080 8 bit 4:2:0 in page-locked memory.
step_features() {
    local name
    for name in $("$folder"/device_bench names); do
        "$folder"/library_bench 1920 1080 8 3000 pinned "feature=$name"
    done
    "$folder"/library_bench 1920 1080 8 3000 pinned feature=cambi scene=bands
    for name in vmaf_v0.6.1 vmaf_float_v0.6.1 vmaf_v1.0.16_3d0h vmaf_v1.0.16_hfr_3d0h; do
        "$folder"/library_bench 1920 1080 8 3000 pinned "model=$name" || echo "$name FAILED"
    done
    raw_clip "$tmp/ctc_ref.yuv" 1920 1080 400 none
    raw_clip "$tmp/ctc_dis.yuv" 1920 1080 400 dct:40
    timed "vmaf --aom_ctc v6.0, 400 frames of 1920x1080" "$folder"/vmaf -r "$tmp/ctc_ref.yuv" -d "$tmp/ctc_dis.yuv" -w 1920 -h 1080 \
        -p 420 -b 8 --aom_ctc v6.0 --backend cuda --threads 16 --json -q -o "$tmp/ctc.json"
    rm -f "$tmp"/ctc_*.yuv
}
# What a map of 64-pixel cells costs, runs taking turns; cells of every feature that has them against the CPU's. Below 20 s.
step_maps() {
    local kind turn
    for kind in device pinned; do
        for turn in 1 2; do
            "$folder"/library_bench 1920 1080 8 4000 $kind model=vmaf_v0.6.1
            "$folder"/library_bench 1920 1080 8 4000 $kind model=vmaf_v0.6.1 cells=64
        done
    done
    "$folder"/device_bench kernels cuda brief vif adm
    "$folder"/device_bench kernels cuda brief cells vif adm
    "$folder"/device_bench check cuda cells || return 1
    pair 479x269 420 8 street dct:40
    "$folder"/vmaf-parity --vmaf-binary "$folder"/vmaf --reference "$tmp/pair_ref.y4m" --distorted "$tmp/pair_dist.y4m" --backends cpu,cuda \
        --features vif,adm,psnr,float_vif,float_adm,ssim,float_ssim,ciede,cambi --cells 32
}
# What limits the kernels of the slower features, with four frames of 1920x1080 per launch: profiler counters, or only times.
step_profile() {
    local features=${SLOW:-ssim float_ms_ssim ciede float_vif ssimulacra2 cambi psnr_hvs}
    "$folder"/device_bench kernels cuda brief $features
    local ncu
    ncu=$(command -v ncu || ls -d /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1) || true
    if [ -z "$ncu" ]; then
        echo "ncu is not installed: event times only"
        return 0
    fi
    local metrics=gpu__time_duration.sum,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.pct_of_peak_sustained_active
    metrics+=,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed
    metrics+=,l1tex__throughput.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active
    metrics+=,sm__cycles_active.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread
    # ncu rejects the whole list if it does not know a counter: then fall back to those that every version has.
    local few=gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed
    counters() {
        timeout 150 "$ncu" --clock-control none --csv --print-units base --metrics "$1" "$folder"/device_bench once cuda $features \
            >"$tmp/ncu.csv" 2>"$tmp/ncu.err" && grep -q '^"[0-9]' "$tmp/ncu.csv"
    }
    counters "$metrics" || counters "$few" || {
        tail -n 3 "$tmp/ncu.csv" "$tmp/ncu.err"
        echo "ncu does not work here: event times only"
        return 0
    }
    python3 - "$tmp/ncu.csv" <<'PY'
import csv, sys
lines = [l for l in open(sys.argv[1]) if l.startswith('"')]
launches, order = {}, []
for row in csv.DictReader(lines):
    key = row["ID"]
    if key not in launches:
        launches[key] = {"kernel": row["Kernel Name"].split("(")[0], "grid": row.get("Grid Size", "")}
        order.append(key)
    try:
        launches[key][row["Metric Name"].split(".")[0]] = float(row["Metric Value"].replace(",", ""))
    except ValueError:
        pass
columns = [("gpu__time_duration", "us", 0.001), ("sm__throughput", "SM", 1), ("sm__cycles_active", "SMs", 1), ("smsp__issue_active", "issue", 1), ("sm__warps_active", "warps", 1),
           ("dram__throughput", "dram", 1), ("lts__throughput", "L2", 1), ("l1tex__throughput", "L1", 1), ("sm__inst_executed_pipe_fp64", "fp64", 1),
           ("launch__registers_per_thread", "regs", 1)]
print(f"{'kernel':34} {'grid':>16} " + " ".join(f"{name:>7}" for _, name, _ in columns) + "   (us; the others in percent of the peak)")
for key in order:
    one = launches[key]
    print(f"{one['kernel']:34} {one['grid']:>16} " + " ".join(f"{one[m] * f:7.1f}" if m in one else "      -" for m, _, f in columns))
PY
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
# Many short pairs in one process: YUV4MPEG2 of 576x324 in the page cache, 48 frames each.
step_list() {
    local i jobs
    "$folder"/clipgen --size 576x324 --frames 48 --format 420 --depth 8 --scene street --distort none "$tmp/list_ref.y4m"
    "$folder"/clipgen --size 576x324 --frames 48 --format 420 --depth 8 --scene street --distort dct:40 "$tmp/list_dis.y4m"
    for ((i = 0; i < 1000; i++)); do echo "$tmp/list_ref.y4m $tmp/list_dis.y4m"; done >"$tmp/list"
    for jobs in 1 4 8 16; do
        timed "vmaf --list, 1000 pairs of 48 frames of 576x324, --jobs $jobs" "$folder"/vmaf --list "$tmp/list" --backend cuda --jobs $jobs -q \
            >"$tmp/list_out" || return 1
        [ "$(sort -u "$tmp/list_out" | wc -l)" = 1 ] || { echo "scores differ"; return 1; }
    done
    head -1 "$tmp/list_out"
    "$folder"/vmaf -r "$tmp/list_ref.y4m" -d "$tmp/list_dis.y4m" --backend cpu --threads 8 -q
}
# Pictures in pageable memory, copied by the session's threads.
step_pageable() {
    local threads
    for threads in 0 2 4 8; do "$folder"/library_bench 1920 1080 8 3000 host $threads; done
    "$folder"/library_bench 1920 1080 10 3000 host 8
}
step_startup() {
    raw_clip "$tmp/two.yuv" 1920 1080 4 none
    for i in 1 2 3; do
        timed "vmaf on two frames of 1920x1080" "$folder"/vmaf -r "$tmp/two.yuv" -d "$tmp/two.yuv" -w 1920 -h 1080 \
            -p 420 -b 8 --frame_cnt 2 --backend cuda -q -o /dev/null
    done
    for i in 1 2 3; do timed "driver initialisation, context and exit alone" "$folder"/library_stress init; done
    "$folder"/device_bench startup cuda
}
# A pair of clips where only size, format and content matter.
pair() { # size format depth scene distortion
    "$folder"/clipgen --size "$1" --frames 5 --format "$2" --depth "$3" --scene "$4" --distort none "$tmp/pair_ref.y4m"
    "$folder"/clipgen --size "$1" --frames 5 --format "$2" --depth "$3" --scene "$4" --distort "$5" "$tmp/pair_dist.y4m"
}
# Every feature on all kinds of clips.
compare_backends() { # program backends
    local clip cells=0
    for clip in "176x144 420 8 street dct:40" "175x131 420 8 street dct:40" "960x540 420 8 street dct:40" \
        "1280x720 420 8 street dct:40" "1920x1080 420 10 street dct:40" "176x144 444 10 street dct:40" \
        "576x324 420 16 noise dct:40" "176x144 420 8 street none" "176x144 420 8 flat dct:40" "21x17 420 8 street dct:40"; do
        pair $clip
        "$folder"/vmaf-parity --vmaf-binary "$folder/$1" --reference "$tmp/pair_ref.y4m" --distorted "$tmp/pair_dist.y4m" \
            --backends "$2" >"$tmp/cells" || true
        # Some features refuse small pictures or 16 bits, on every backend.
        ! grep -vE "  OK  |^(cambi|float_ms_ssim|psnr_hvs|speed_chroma|speed_temporal)  .*  ERROR  " "$tmp/cells" || return 1
        cells=$((cells + $(wc -l <"$tmp/cells")))
    done
    echo "$cells cells (feature and pair of $2), all OK"
}
step_parity() {
    compare_backends vmaf cpu,cuda,host || return 1
    # Every dispatch strategy gives the same document.
    pair 576x324 420 8 street dct:40
    local dispatch
    for dispatch in adaptive batched serial vif=serial,adm=batched; do
        VMAF_CUDA_DISPATCH=$dispatch "$folder"/vmaf -r "$tmp/pair_ref.y4m" -d "$tmp/pair_dist.y4m" --backend cuda --csv \
            --precision max -q -o "$tmp/dispatch_$dispatch.csv"
        cmp "$tmp/dispatch_adaptive.csv" "$tmp/dispatch_$dispatch.csv" || return 1
    done
    echo "documents of all dispatch strategies are equal"
}
step_golden() { golden vmaf cuda; }
# Needs a build with SYCL in the folder; VMAF_SYCL_MODULE names its module.
step_sycl() { compare_backends vmaf cpu,sycl && golden vmaf sycl; }
golden() { # program backend
    local shards=8 shard failed=0 jobs=()
    for ((shard = 0; shard < shards; shard++)); do
        python3 "$here"/tests/golden/check.py --vmaf "$folder/$1" --clipgen "$folder"/clipgen --backend "$2" --shard $((shard + 1))/$shards \
            >"$tmp/golden_$shard" 2>&1 &
        jobs+=($!)
    done
    for shard in "${!jobs[@]}"; do
        wait "${jobs[shard]}" || failed=1
        tail -3 "$tmp/golden_$shard"
    done
    return $failed
}
# The HIP backend, on a library that maps its functions to NVIDIA's driver.
step_hip() {
    local -x LD_LIBRARY_PATH=$folder/hip_on_cuda:$LD_LIBRARY_PATH
    "$folder"/device_bench_hip check hip || return 1
    compare_backends vmaf_with_hip cpu,hip || return 1
    golden vmaf_with_hip hip || return 1
    # Calls the runtime as often as with CUDA, so it must not be slower.
    "$folder"/device_bench_hip frames hip
}
step_contexts() {
    "$folder"/library_stress contexts 8 400 || return 1
    local jobs=() job
    for ((i = 0; i < 8; i++)); do
        "$folder"/library_bench 1920 1080 8 1000 pinned &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || return 1; done
}
# Consecutive contexts, each with a few random features.
step_mixes() { "$folder"/library_stress mixes 200 $("$folder"/device_bench names); }
step_runs() {
    "$folder"/library_stress cycles 200 || return 1
    pair 64x48 420 8 street dct:40
    local begin=$SECONDS
    for ((i = 0; i < 200; i++)); do
        timeout 60 "$folder"/vmaf -r "$tmp/pair_ref.y4m" -d "$tmp/pair_dist.y4m" --backend cuda --csv --precision max -q \
            -o "$tmp/run_$((i > 0)).csv" || { echo "run $i: exit $?"; return 1; }
        [ $i = 0 ] || cmp "$tmp/run_0.csv" "$tmp/run_1.csv" || return 1
    done
    echo "200 runs of vmaf with one document, $((SECONDS - begin)) s"
}
# Samples above the bit depth give the CPU's error: aligned to the top of 16 bits, or one sample too large.
step_samples() {
    local kind backend
    "$folder"/clipgen --size 1920x1080 --frames 6 --format 420 --depth 10 "$tmp/good.yuv"
    for kind in high single chroma; do
        python3 - "$tmp/good.yuv" "$tmp/bad.yuv" $kind <<'PY'
import array, sys
samples, frame = array.array("H", open(sys.argv[1], "rb").read()), 1920 * 1080 * 3 // 2
if sys.argv[3] == "high":
    for i in range(3 * frame, 4 * frame): samples[i] <<= 6
else:
    samples[3 * frame + (1919 if sys.argv[3] == "single" else 1920 * 1080 * 5 // 4)] = 1024
open(sys.argv[2], "wb").write(samples.tobytes())
PY
        for backend in cpu cuda; do
            timeout 60 "$folder"/vmaf -r "$tmp/good.yuv" -d "$tmp/bad.yuv" -w 1920 -h 1080 -p 420 -b 10 -n --feature psnr --feature vif \
                --backend $backend -q -o "$tmp/refused.xml" 2>"$tmp/$backend.txt" && return 1
            [ ! -e "$tmp/refused.xml" ] || return 1
        done
        cat "$tmp/cuda.txt"
        cmp "$tmp/cpu.txt" "$tmp/cuda.txt" || return 1
    done
    "$folder"/library_bench 1920 1080 10 4000 pinned # with the check, and
    "$folder"/library_bench 1920 1080 16 4000 pinned # without one
}
step_faults() {
    pair 1920x1080 420 8 street dct:40
    local args=(-r "$tmp/pair_ref.y4m" -d "$tmp/pair_dist.y4m" --json -q -o "$tmp/fault.json") code failed=0
    expect() { # exit code, what it is about; the command stands in "$@"
        local wanted=$1 what=$2
        shift 2
        rm -f "$tmp/fault.json"
        code=0
        timeout 120 "$@" 2>"$tmp/errors" || code=$?
        echo "$what: exit $code, $(head -c 160 "$tmp/errors" | head -1); $(grep -o '"backend_used": "[a-z]*"' "$tmp/fault.json" 2>/dev/null || echo "no document")"
        [[ " $wanted " = *" $code "* ]] || failed=1
    }
    expect 100 "no device visible, cuda" env CUDA_VISIBLE_DEVICES= "$folder"/vmaf "${args[@]}" --backend cuda
    expect 0 "no device visible, auto" env CUDA_VISIBLE_DEVICES= "$folder"/vmaf "${args[@]}"
    local left
    for left in 2000 300 100 20 1; do
        hog $left || return 1
        expect "0 100 255 234" "memory taken, cuda" "$folder"/vmaf "${args[@]}" --backend cuda
        expect 0 "memory taken, auto" "$folder"/vmaf "${args[@]}"
        end_hog || failed=1
    done
    return $failed
}
# Allocates the device's memory except some MiB, until end_hog.
hog() {
    [ -p "$tmp/hold" ] || mkfifo "$tmp/hold"
    : >"$tmp/hog"
    "$folder"/library_stress hog "$1" <"$tmp/hold" >"$tmp/hog" &
    hog=$!
    exec 7>"$tmp/hold" # it ends when this closes
    while [ ! -s "$tmp/hog" ] && kill -0 $hog 2>/dev/null; do sleep 0.1; done
    cat "$tmp/hog"
}
end_hog() {
    exec 7>&-
    wait "$hog"
}
# Every feature with little memory: correct scores or a clean refusal, nothing else.
step_memory() {
    local name left code failed=0 count=0
    pair 1280x720 420 8 street dct:40
    for name in $("$folder"/device_bench names); do
        "$folder"/vmaf -r "$tmp/pair_ref.y4m" -d "$tmp/pair_dist.y4m" --no_prediction --feature "$name" --backend cuda --csv --precision max -q \
            -o "$tmp/full_$name.csv" || return 1
    done
    for left in 1500 400 60; do
        hog $left || return 1
        for name in $("$folder"/device_bench names); do
            rm -f "$tmp/little.csv"
            code=0
            timeout 60 "$folder"/vmaf -r "$tmp/pair_ref.y4m" -d "$tmp/pair_dist.y4m" --no_prediction --feature "$name" --backend cuda --csv \
                --precision max -q -o "$tmp/little.csv" 2>"$tmp/errors" || code=$?
            count=$((count + 1))
            if [ $code = 0 ]; then
                cmp "$tmp/full_$name.csv" "$tmp/little.csv" || failed=1
            elif [[ " 100 255 234 " != *" $code "* ]] || [ -e "$tmp/little.csv" ]; then
                echo "$name with $left MiB: exit $code, $(head -c 200 "$tmp/errors")"
                failed=1
            else
                echo "$name with $left MiB: exit $code, $(head -c 120 "$tmp/errors" | head -1)"
            fi
        done
        end_hog || failed=1
    done
    echo "$count runs with little memory: their scores or a refusal"
    return $failed
}
step_sanitize() {
    for tool in memcheck racecheck synccheck; do
        timeout 150 compute-sanitizer --tool $tool --error-exitcode 9 "$folder"/device_bench check cuda brief | tail -4 || echo "compute-sanitizer $tool: exit $?"
    done
}
run() {
    folder=$(cd "$1" && pwd)
    shift
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,memory.used --format=csv,noheader || true
    lscpu | grep -E "^(Model name|CPU\(s\)|NUMA node\(s\)|CPU max MHz)" || true
    local steps=("$@")
    [ ${#steps[@]} -gt 0 ] || steps=(devices features maps check profile parity golden mixes memory kernels frames library pageable files y4m nvdec formats uploads tune_direct ffmpeg list startup contexts runs samples faults sanitize hip)
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
*) sed -n '2,11p' "$0" && exit 2 ;;
esac
