# Part of device_check.sh: FFmpeg's unchanged libvmaf filter on the GPU, chosen by a key of the model (docs/usage/ffmpeg.md).

# The FFmpeg that the test `ffmpeg` builds; FFMPEG_STOCK names another one.
pack_ffmpeg() { # folder
    local built=$here/build-test/tests/ffmpeg/work
    local stock=${FFMPEG_STOCK:-$built/ffmpeg-stock}
    [ ! -x "$stock" ] || cp -L "$stock" "$1"/ffmpeg-stock
}
# Raw 1920x1080 from a short clip, again and again.
stock_filter() { # name, frames, libvmaf's options
    local clip="-f rawvideo -video_size 1920x1080 -pixel_format yuv420p -stream_loop -1"
    local TIMEFORMAT="%R"
    time "$folder"/ffmpeg-stock -hide_banner -v verbose $clip -i "$tmp/stock_dis.yuv" $clip -i "$tmp/stock_ref.yuv" \
        -lavfi "[0:v]trim=end_frame=$2[d];[1:v]trim=end_frame=$2[r];[d][r]libvmaf=log_fmt=json:log_path=$tmp/$1.json:$3" -f null - 2>"$tmp/$1.txt" </dev/null
}
step_ffmpeg() {
    [ -x "$folder"/ffmpeg-stock ] || { echo "skipped: no ffmpeg-stock in the folder; run the test 'ffmpeg' before pack"; return 0; }
    raw_clip "$tmp/stock_ref.yuv" 1920 1080 16 none
    raw_clip "$tmp/stock_dis.yuv" 1920 1080 16 dct:40
    local cuda='model=version=vmaf_v0.6.1\\:turbo.backend=cuda' run
    for run in "cpu_0 240 n_threads=0" "cuda_0 240 n_threads=0:$cuda" "cuda_0_long 2400 n_threads=0:$cuda" \
        "cpu_16 2400 n_threads=16" "cuda_16 2400 n_threads=16:$cuda"; do
        set -- $run
        echo "$1: $2 frames, $( { stock_filter "$@" || echo FAILED; } 2>&1 | tail -1) s"
    done
    grep -ho 'computing on cuda.*' "$tmp"/cuda_0.txt | head -1
    python3 - "$tmp" <<'PY'
import json, sys
def frames(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))
for a, b in (("cpu_0", "cuda_0"), ("cpu_16", "cuda_16"), ("cpu_16", "cuda_0_long")):
    x, y = frames(a), frames(b)
    same = x["frames"] == y["frames"] and x["pooled_metrics"] == y["pooled_metrics"]
    print(a, b, len(x["frames"]), "frames,", "equal in every digit" if same else "DIFFERENT: FAILED", y.get("backend_used"))
PY
    if CUDA_VISIBLE_DEVICES= stock_filter none 16 "$cuda" >"$tmp/refused" 2>&1; then echo "without a device: exit 0, FAILED"; else
        echo "without a device: refused; $(grep -m1 'libvmaf ERROR' "$tmp/none.txt")"; fi
}
