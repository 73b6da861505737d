#!/usr/bin/env bash
# Regenerates the screenshots of the documentation: terminal, report, map, and the page if build-web/index.html exists.
#   screenshots.sh [BUILD]      BUILD: a build folder with vmaf, vmaf-tune and clipgen (default: build)
# Needs chromium and ffmpeg; the page also needs Node and web/node_modules (web/build.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tools=$(cd "${1:-build}/tools" && pwd)
export PATH=$tools:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache TERM=xterm COLUMNS=100

shot() { # page, output, width, height
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=3000 --window-size="$3,$4" \
    --screenshot="$work/shot.png" "file://$1" >/dev/null 2>&1
  small "$work/shot.png" "$2"
}
small() { # picture, output, filters: at most 128 colours, which look the same here
  ffmpeg -v error -y -i "$1" -vf "${3:-null},split[a][b];[a]palettegen=max_colors=128:reserve_transparent=0[p];[b][p]paletteuse=dither=none" \
    -frames:v 1 -compression_level 9 "$2"
  echo "$2: $(($(stat -c %s "$2") / 1024)) KB"
}

cd "$work"
clipgen --size 640x360 --frames 48 --format 420 --depth 8 --scene street master.y4m
ffmpeg -v error -i master.y4m -c:v libx264 -crf 32 encode.mkv

# The terminal: the output of each command, as a page.
commands=("vmaf -r master.y4m -d encode.mkv --threads auto"
          "vmaf-tune search -i master.y4m -e libx264 --preset fast --target-vmaf 93 --q-step 1"
          "vmaf-tune score master.y4m encode.mkv --metrics vmaf,psnr")
for command in "${commands[@]}"; do
  printf '$ %s\n' "$command"
  script -qec "stty cols 100; $command" /dev/null </dev/null
done >terminal.txt
python3 - <<'P'
import html, re
text = open("terminal.txt", newline="").read().replace("\r\n", "\n")
lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", [part for part in line.split("\r") if part.strip("\x1b[K ")][-1] if line.strip() else "")
         for line in text.split("\n") if not re.search(r"\[[#-]{20}\]", line)]  # drops progress lines
shown = "\n".join(f"<b>{html.escape(line)}</b>" if line.startswith("$ ") else html.escape(line) for line in lines)
open("terminal.html", "w").write("<!doctype html><meta charset=utf-8><style>body{margin:0;background:#1d2025;color:#d6d9de;font:15px/1.45 monospace;"
                                 f"padding:16px}}b{{color:#fff}}pre{{margin:0;white-space:pre-wrap}}</style><pre>{shown}</pre>")
P
shot "$work/terminal.html" "$root/docs/usage/terminal.png" 960 430

# The report of a small grid.
vmaf-tune corpus -q -i master.y4m -e libx264 -e libsvtav1 --preset fast --crf-range 22:46:6 --score-scale none --keep --work-dir encodes \
  -o corpus.jsonl --frames frames.jsonl
vmaf-tune report corpus.jsonl --frames frames.jsonl --target 95 -o report.html
shot "$work/report.html" "$root/docs/usage/report.png" 1200 1000

# The map: two damaged parts, one blocky, one blurred; a frame and its map side by side.
clipgen --size 320x176 --frames 24 --scene street reference.y4m
ffmpeg -v error -i reference.y4m -filter_complex "split=3[whole][a][b];[a]crop=64:48:32:48,scale=8:6,scale=64:48:flags=neighbor[blocky];[b]crop=64:48:216:96,boxblur=6[blurred];[whole][blocky]overlay=32:48[one];[one][blurred]overlay=216:96" \
  -pix_fmt yuv420p -f yuv4mpegpipe damaged.y4m
vmaf -q -r reference.y4m -d damaged.y4m --map map.y4m --map-cell 16 2>/dev/null
ffmpeg -v error -i damaged.y4m -i map.y4m -filter_complex "[0][1]hstack,scale=1280:-1:flags=neighbor,select=eq(n\,12)" -frames:v 1 both.png
small both.png "$root/docs/usage/map.png"

# The page, with two encodes.
if [ -f "$root/build-web/index.html" ] && [ -d "$root/web/node_modules/playwright-core" ]; then
  for crf in 36 54; do ffmpeg -v error -y -i master.y4m -c:v libvpx-vp9 -crf $crf -b:v 0 "crf$crf.webm"; done
  ffmpeg -v error -y -i master.y4m -c:v libvpx-vp9 -crf 4 -b:v 0 master.webm
  NODE_PATH=$root/web/node_modules node - "$root/build-web/index.html" "$work/page.png" <<'J'
const { chromium } = require("playwright-core");
const [page_file, output] = process.argv.slice(2);
(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.goto("file://" + page_file);
  await page.setInputFiles("#reference", "master.webm");
  await page.setInputFiles("#distorted", ["crf36.webm", "crf54.webm"]);
  await page.click("#start");
  await page.waitForFunction(() => document.querySelectorAll('article[data-state="done"]').length === 2, null, { timeout: 300000 });
  await page.screenshot({ path: output });
  await browser.close();
})();
J
  small page.png "$root/docs/usage/page.png"
else
  echo "page: skipped, run web/build.sh first"
fi
