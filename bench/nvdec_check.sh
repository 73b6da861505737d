# Steps of device_check.sh for video files that the GPU decodes. Sourced there.
#
# pack needs FFMPEG_LIBRARIES, a folder with FFmpeg's shared libraries built with the GPU decoders and little else (configure
# --enable-ffnvcodec --enable-hwaccel=h264_nvdec,hevc_nvdec,av1_nvdec,vp9_nvdec ...), and an ffmpeg that encodes the clips. FFMPEG_PROGRAMS:
# a folder with ffmpeg and ffprobe that run with those libraries, for the steps tune_direct and tune_gpu (which needs libx264 and lavfi).

# Clips of a few frames, encoded, then repeated by copying packets, which keeps key frames.
make_videos() { # folder
    local made=$1/videos.tmp clipgen=$1/clipgen
    mkdir -p "$made"
    encode() { # name, quality words, then the coder's
        ffmpeg -nostdin -v error -y -i "$made/source.y4m" "${@:2}" "$made/part_$1"
        ffmpeg -nostdin -v error -y -stream_loop "$times" -i "$made/part_$1" -c copy "$made/$1"
    }
    local times=24 x264=(-c:v libx264 -preset fast -g 48 -keyint_min 48 -sc_threshold 0 -bf 3)
    local x265=(-pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48:min-keyint=48:scenecut=0:open-gop=0)
    "$clipgen" --size 1920x1080 --frames 48 --scene street "$made/source.y4m"
    encode ref_h264.mp4 "${x264[@]}" -crf 16
    encode dis_h264.mp4 "${x264[@]}" -crf 30
    encode ref_hevc.mp4 "${x265[@]}" -crf 18
    encode dis_hevc.mp4 "${x265[@]}" -crf 32
    times=0
    encode large.264 "${x264[@]}" -bf 0 -frames:v 24 -f h264
    encode small.264 "${x264[@]}" -bf 0 -frames:v 24 -vf scale=1280:720 -f h264
    cat "$made/large.264" "$made/small.264" >"$made/joined.264"
    ffmpeg -nostdin -v error -y -f h264 -r 24 -i "$made/joined.264" -c copy "$made/changing.mkv"
    "$clipgen" --size 3840x2160 --frames 16 --scene street "$made/source.y4m"
    times=19
    encode ref_av1.mp4 -c:v libsvtav1 -preset 12 -g 16 -crf 25
    encode dis_av1.mp4 -c:v libsvtav1 -preset 12 -g 16 -crf 50
    # Small clips in other formats that GPUs decode, or refuse and leave to processors.
    "$clipgen" --size 640x360 --frames 48 --scene street "$made/source.y4m"
    times=0
    local q name hevc=(-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:min-keyint=24:scenecut=0:open-gop=0)
    local vp9=(-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 24 -b:v 0) avc=(-c:v libx264 -preset fast -g 24)
    for name in ref dis; do
        q=$([ $name = ref ] && echo 18 || echo 36)
        encode ${name}_vp9.webm "${vp9[@]}" -crf $q
        encode ${name}_vp9_10.webm -pix_fmt yuv420p10le "${vp9[@]}" -profile:v 2 -crf $q
        encode ${name}_444.mp4 -pix_fmt yuv444p "${hevc[@]}" -crf $q
        encode ${name}_444_10.mp4 -pix_fmt yuv444p10le "${hevc[@]}" -crf $q
        encode ${name}_12.mp4 -pix_fmt yuv420p12le "${hevc[@]}" -crf $q
        encode ${name}_high10.mp4 -pix_fmt yuv420p10le "${avc[@]}" -crf $q
        encode ${name}_open.mp4 "${avc[@]}" -x264-params open-gop=1 -crf $q
        ffmpeg -nostdin -v error -y -i "$made/${name}_open.mp4" -c copy -bsf:v h264_metadata=crop_left=6:crop_top=4:crop_right=10:crop_bottom=8 "$made/${name}_cropped.mp4"
    done
    # Repeated packets compress well.
    (cd "$made" && tar c {ref,dis}_*.{mp4,webm} changing.mkv) | xz -T2 --lzma2=preset=0,dict=64MiB >"$1/videos.tar.xz"
    rm -rf "$made"
}
pack_video() { # folder build
    [ -n "${FFMPEG_LIBRARIES:-}" ] || { echo "FFMPEG_LIBRARIES is not set: the step nvdec is skipped" && return 0; }
    ninja -C "$2" bench/video_bench tools/libvmaf-libav.so tools/vmaf-tune
    cp "$2"/bench/video_bench "$2"/tools/libvmaf-libav.so "$2"/tools/vmaf-tune "$1"/
    mkdir -p "$1"/ffmpeg
    # Under the names that programs load, with their dependencies beyond the C library.
    local library
    for library in "$FFMPEG_LIBRARIES"/*.so.*; do
        [[ ${library##*.so.} = *.* ]] || cp -L "$library" "$1"/ffmpeg/
    done
    LD_LIBRARY_PATH=$FFMPEG_LIBRARIES ldd "$1"/ffmpeg/*.so.* | awk '/dav1d|x264/ {print $3}' | sort -u | xargs -r cp -L -t "$1"/ffmpeg/
    [ -z "${FFMPEG_PROGRAMS:-}" ] || { mkdir -p "$1"/programs && cp "$FFMPEG_PROGRAMS"/{ffmpeg,ffprobe} "$1"/programs/; }
    strip "$1"/video_bench "$1"/libvmaf-libav.so "$1"/vmaf-tune
    strip --strip-unneeded "$1"/ffmpeg/*
    [ -e "$1"/videos.tar.xz ] || make_videos "$1"
}

# Best of three, in pairs per second, without start-up.
pairs_per_second() { # read|score name
    local i
    for i in 1 2 3; do
        timeout 60 "$folder"/video_bench "$1" cuda "$tmp/ref_$2.mp4" "$tmp/dis_$2.mp4" ${DECODERS:-} >"$tmp/bench" 2>"$tmp/bench_errors" ||
            { echo "FAILED: $(tail -n 2 "$tmp/bench_errors")" >&2; echo 0; return; }
        grep copied "$tmp/bench" >"$tmp/copied" || true
        sed -n 's/.* again: .* s, \([0-9]*\) pairs.s; .*/\1/p' "$tmp/bench"
    done | sort -n | tail -n 1
}
same_scores() { # name frames
    timeout 200 "$folder"/vmaf -r "$tmp/ref_$1.mp4" -d "$tmp/dis_$1.mp4" --backend cuda --hwaccel cuda --frame_cnt "$2" --precision max --json -q -o "$tmp/there.json" &&
        timeout 200 "$folder"/vmaf -r "$tmp/ref_$1.mp4" -d "$tmp/dis_$1.mp4" --backend cpu --hwaccel none --threads 16 --frame_cnt "$2" --precision max --json -q -o "$tmp/here.json" &&
        python3 - "$tmp/here.json" "$tmp/there.json" "$1" <<'PY'
import json, sys
here, there = (json.load(open(p)) for p in sys.argv[1:3])
same = here["frames"] == there["frames"] and here["pooled_metrics"] == there["pooled_metrics"]
on_device = not any("host's memory" in step for step in there["inputs"]["steps"])
print(f"{sys.argv[3]}: {len(there['frames'])} frames,", "equal to the CPU's in every digit" if same else "DIFFERENT",
      "" if on_device else there["inputs"]["steps"], there["backend_used"], there["inputs"]["reference"].get("hwaccel"))
sys.exit(not (same and on_device))
PY
}
# Exit code and last line of a run that must not produce a score.
refused() { # what, then the command
    local code=0
    rm -f "$tmp/bad.json"
    timeout 120 "${@:2}" --json -q -o "$tmp/bad.json" >/dev/null 2>"$tmp/errors" || code=$?
    echo "$1: exit $code, $(tail -n 1 "$tmp/errors" | head -c 200)"
    [ $code != 0 ] && [ $code != 124 ] && [ $code -lt 128 -o $code = 234 -o $code = 255 ] && [ ! -e "$tmp/bad.json" ]
}
unpack_videos() {
    export LD_LIBRARY_PATH=$folder:$folder/ffmpeg:${LD_LIBRARY_PATH:-} VMAF_LIBAV_MODULE=$folder/libvmaf-libav.so
    [ -e "$tmp/ref_h264.mp4" ] ||
        python3 -c "import lzma, sys, tarfile; tarfile.open(fileobj=lzma.open(sys.argv[1])).extractall(sys.argv[2])" "$folder/videos.tar.xz" "$tmp"
}
# Other formats that GPUs decode or refuse: every path must give the CPU's document. Excludes 4:4:4 at 12 bits: the chroma that FFmpeg 5.1's
# software decoder outputs does not match x265's checksums in the stream.
step_formats() {
    unpack_videos
    local name way failed=0 code
    for name in vp9.webm vp9_10.webm 444.mp4 444_10.mp4 12.mp4 high10.mp4 open.mp4 cropped.mp4; do
        local run=(timeout 60 "$folder"/vmaf -r "$tmp/ref_$name" -d "$tmp/dis_$name" --feature psnr --csv --precision max -q)
        "${run[@]}" --backend cpu --threads 16 -o "$tmp/cpu.csv" 2>"$tmp/errors" || { tail -n 1 "$tmp/errors"; failed=1; continue; }
        for way in cuda auto none; do
            code=0
            "${run[@]}" --backend cuda --hwaccel $way -o "$tmp/$way.csv" 2>"$tmp/errors" || code=$?
            if [ $code = 0 ] && cmp -s "$tmp/cpu.csv" "$tmp/$way.csv"; then
                echo "$name, --hwaccel $way: equal, $(($(wc -l <"$tmp/cpu.csv") - 1)) frames"
            elif [ $way = cuda ] && grep -q "cannot be used for" "$tmp/errors"; then
                tail -n 1 "$tmp/errors"
            else
                echo "$name, --hwaccel $way: FAILED, exit $code, $(tail -n 1 "$tmp/errors" | head -c 200)"
                failed=1
            fi
            rm -f "$tmp/$way.csv"
        done
    done
    return $failed
}
# Processors decode and the device scores: directly into memory that it copies from, and through host pictures.
step_uploads() {
    unpack_videos
    local name how
    for name in h264 hevc; do
        for how in upload copy upload copy; do
            timed "$name, $how" timeout 100 "$folder"/video_bench score cuda "$tmp/ref_$name.mp4" "$tmp/dis_$name.mp4" $how 2>/dev/null
        done
    done
}
# vmaf-tune passes both files to the scorer, which decodes them on the GPU.
step_tune_direct() {
    unpack_videos
    [ -d "$folder/programs" ] || { echo "skipped: ffmpeg and ffprobe were not packed (FFMPEG_PROGRAMS)" && return 0; }
    local -x PATH=$folder/programs:$PATH
    local name failed=0
    for name in open.mp4 vp9.webm 444.mp4; do
        timed "$name" timeout 60 "$folder"/vmaf-tune score "$tmp/ref_$name" "$tmp/dis_$name" --format json --metrics vmaf --align none --score-scale none \
            --score-backend cuda --score-transport direct >"$tmp/direct.json" 2>"$tmp/errors" || { tail -n 2 "$tmp/errors"; failed=1; continue; }
        timeout 60 "$folder"/vmaf -r "$tmp/ref_$name" -d "$tmp/dis_$name" --backend cpu --threads 16 --precision max --json -q -o "$tmp/cpu.json" 2>/dev/null || failed=1
        python3 - "$tmp/direct.json" "$tmp/cpu.json" <<'PY' || failed=1
import json, sys
direct, cpu = (json.load(open(p)) for p in sys.argv[1:])
same = direct["frames"]["vmaf"] == [f["metrics"]["vmaf"] for f in cpu["frames"]]
print(" ", len(cpu["frames"]), "frames equal to the CPU's in every digit" if same else "DIFFERENT", direct.get("warnings"))
sys.exit(not same)
PY
    done
    return $failed
}
# What scoring costs vmaf-tune. TUNE_GPU: arguments of bench/tune_gpu.py, as `--seconds 60 --commands corpus --budget 500`.
step_tune_gpu() {
    unpack_videos
    [ -d "$folder/programs" ] || { echo "skipped: ffmpeg and ffprobe were not packed (FFMPEG_PROGRAMS)" && return 0; }
    local -x PATH=$folder/programs:$PATH
    ffmpeg -hide_banner -v error -encoders | grep -q libx264 || { echo "the packed ffmpeg has no libx264"; return 1; }
    python3 "$here"/bench/tune_gpu.py "$folder"/vmaf-tune "$folder"/vmaf --source "$tmp/ref_h264.mp4" ${TUNE_GPU:-}
}
step_nvdec() {
    unpack_videos
    local name alone scored failed=0 i jobs=() job
    local names=(h264 hevc)
    if timeout 60 "$folder"/vmaf -r "$tmp/ref_av1.mp4" -d "$tmp/dis_av1.mp4" --backend cuda --hwaccel cuda --frame_cnt 1 -q -o /dev/null 2>"$tmp/errors"; then
        names+=(av1)
    else
        tail -n 1 "$tmp/errors"
        grep -q "does not decode av1" "$tmp/errors" || failed=1
    fi
    for name in "${names[@]}"; do
        alone=$(pairs_per_second read $name)
        scored=$(pairs_per_second score $name)
        echo "$name: $alone pairs/s decoded alone, $scored scored: $((100 * scored / (alone ? alone : 1))) %"
        cat "$tmp/copied"
        [ "$scored" -gt 0 ] && [ $((100 * scored)) -ge $((80 * alone)) ] || { echo "  less than 80 %"; failed=1; }
        grep -q ", 0 larger" "$tmp/copied" || failed=1
    done
    same_scores h264 1200 || failed=1
    same_scores hevc 192 || failed=1
    [ ${#names[@]} = 2 ] || same_scores av1 32 || failed=1

    local run=("$folder"/vmaf -r "$tmp/ref_h264.mp4" --backend cuda --hwaccel cuda)
    python3 - "$tmp" <<'PY'
import sys
data = bytearray(open(sys.argv[1] + "/dis_h264.mp4", "rb").read())
def write(name, change):
    bad = bytearray(data)
    change(bad, len(bad) * 2 // 5)
    open(f"{sys.argv[1]}/{name}.mp4", "wb").write(bad)
def flip(bad, at):
    for i in range(40): bad[at + 97 * i] ^= 0x55
def blank(bad, at): bad[at:at + 3000] = bytes(3000)
write("flipped", flip)
write("blank", blank)
open(sys.argv[1] + "/cut.mp4", "wb").write(data[:len(data) * 3 // 4])
PY
    for name in flipped blank cut; do
        refused "$name" "${run[@]}" -d "$tmp/$name.mp4" || failed=1
        refused "$name, CPU" "$folder"/vmaf -r "$tmp/ref_h264.mp4" -d "$tmp/$name.mp4" --backend cpu --threads 16 || failed=1
    done
    refused "another size from frame 24 on" "$folder"/vmaf -r "$tmp/changing.mkv" -d "$tmp/changing.mkv" --backend cuda --hwaccel cuda || failed=1
    for left in 3000 600 100; do # little memory: a score or an error
        hog $left || failed=1
        i=0
        timeout 60 "${run[@]}" -d "$tmp/dis_h264.mp4" --frame_cnt 200 -q >/dev/null 2>"$tmp/errors" || i=$?
        echo "memory taken: exit $i, $(tail -n 1 "$tmp/errors" | head -c 200)"
        [[ " 0 100 234 255 " = *" $i "* ]] || failed=1
        end_hog || failed=1
    done

    # 200 runs, four at once; then 200 pairs in one process, where leaks would add up.
    local begin=$SECONDS
    seq 200 | xargs -P 4 -I{} timeout 60 "${run[@]}" -d "$tmp/dis_h264.mp4" --frame_cnt 24 --csv --precision max -q -o "$tmp/run_{}.csv" 2>"$tmp/errors" ||
        { tail -n 2 "$tmp/errors"; failed=1; }
    echo "$(ls "$tmp"/run_*.csv | wc -l) runs, $(md5sum "$tmp"/run_*.csv | cut -c1-32 | sort -u | wc -l) different documents, $((SECONDS - begin)) s"
    [ "$(md5sum "$tmp"/run_*.csv | cut -c1-32 | sort -u | wc -l)" = 1 ] || failed=1
    rm -f "$tmp"/run_*.csv
    for ((i = 0; i < 200; i++)); do echo "$tmp/ref_h264.mp4 $tmp/dis_h264.mp4"; done >"$tmp/pairs"
    begin=$SECONDS
    "$folder"/vmaf --list "$tmp/pairs" --backend cuda --hwaccel cuda --jobs 2 --frame_cnt 24 -q >"$tmp/scores" 2>"$tmp/errors" &
    job=$!
    while kill -0 $job 2>/dev/null; do
        sleep 3
        echo "  $(wc -l <"$tmp/scores") pairs: device memory $(nvidia-smi --query-gpu=memory.used --format=csv,noheader), host memory $(awk '/VmRSS/ {print $2, $3}' /proc/$job/status 2>/dev/null)"
    done
    wait $job || { tail -n 2 "$tmp/errors"; failed=1; }
    echo "list of 200 pairs: $(wc -l <"$tmp/scores") scores, $(sort -u "$tmp/scores" | wc -l) different, $((SECONDS - begin)) s"
    [ "$(sort -u "$tmp/scores" | wc -l)" = 1 ] || failed=1

    begin=$SECONDS
    for ((i = 0; i < 8; i++)); do
        timeout 120 "${run[@]}" -d "$tmp/dis_h264.mp4" --csv --precision max -q -o "$tmp/at_once_$i.csv" 2>"$tmp/at_once_$i.txt" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || failed=1; done
    [ "$(cat "$tmp"/at_once_?.csv | md5sum)" = "$(for i in 1 2 3 4 5 6 7 8; do cat "$tmp/at_once_0.csv"; done | md5sum)" ] || { echo "documents differ"; tail -n 1 "$tmp"/at_once_?.txt; failed=1; }
    echo "8 processes at once, 1200 frames each: $((SECONDS - begin)) s"
    return $failed
}
# YUV4MPEG2 in the page cache, read by several threads.
step_y4m() {
    python3 - "$folder/clipgen" "$tmp" <<'PY'
import subprocess, sys
for name, how in (("ref", "none"), ("dis", "dct:40")):
    part = f"{sys.argv[2]}/part.y4m"
    subprocess.run([sys.argv[1], "--size", "1920x1080", "--frames", "8", "--scene", "street", "--distort", how, part], check=True)
    data = open(part, "rb").read()
    end = data.index(b"\n") + 1
    with open(f"{sys.argv[2]}/{name}.y4m", "wb") as out:
        out.write(data[:end])
        for _ in range(600): out.write(data[end:])
PY
    local frames i
    for i in 1 2; do
        for frames in 2 2400 4800; do
            timed "vmaf on $frames frames of 1920x1080 from y4m" "$folder"/vmaf -r "$tmp/ref.y4m" -d "$tmp/dis.y4m" --frame_cnt $frames --backend cuda --threads 16 -q -o /dev/null
        done
    done
    rm -f "$tmp"/*.y4m
}
