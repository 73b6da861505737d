#!/usr/bin/env bash
# Builds and tests in a fresh Debian release in a chroot (needs root, mmdebstrap and a package source).
#   chroot.sh SUITE FOLDER [COMMAND...]     e.g. chroot.sh trixie build-debian13
# The command runs in a clone of the source, including uncommitted changes. The default builds library and tools with warnings as errors and
# runs unit tests and golden figures. The folder keeps compiled objects (ccache). BARE=1: install nothing but apt.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$1 folder=$2
shift 2
command -v mmdebstrap >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null; }

# What the README's commands would install; mmdebstrap does it faster.
packages=$(sed -n '/^build=(/,/)/p;/^test=(/,/)/p' scripts/packages.sh | tr -d '()' | sed 's/^\(build\|test\)=//' | tr '\n' ' ')
wanted=(ccache git)
[ -z "${BARE:-}" ] || { wanted=() packages=; }
for package in $packages; do
  case $package in libclang-rt-dev | valgrind | g++-aarch64-linux-gnu | qemu-user | g++-mingw-w64-x86-64-posix | wine | wine64 | newlib-source) ;; *) wanted+=("$package") ;; esac
done
root=$folder/root
if [ ! -e "$folder/made" ]; then
  rm -rf "$root"
  mkdir -p "$folder"
  mmdebstrap --variant=apt ${wanted:+--include="$(IFS=,; echo "${wanted[*]}")"} "$suite" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
  touch "$folder/made"
fi
rm -rf "$root/source"
git clone -q --no-hardlinks . "$root/source"
git ls-files -co --exclude-standard | tar cf - -T - | tar xf - -C "$root/source"
mkdir -p "$root/dev/pts" "$root/dev/shm"
mounts=()
trap 'for place in "${mounts[@]}"; do umount "$place" || true; done' EXIT
attach() { mountpoint -q "$root/$2" || { mount -t "$1" ${3:+-o "$3"} "$1" "$root/$2" && mounts+=("$root/$2"); }; }
attach proc proc
attach devpts dev/pts newinstance,ptmxmode=0666 # terminals, for progress tests
attach tmpfs dev/shm
[ -L "$root/dev/ptmx" ] || ln -sf pts/ptmx "$root/dev/ptmx"
[ $# -gt 0 ] || set -- sh -ec '
  g++ --version | head -n 1
  [ -f build/build.ninja ] || meson setup build -Dwerror=true -Denable_bench=false >build.setup.log || { cat build.setup.log; exit 1; }
  ninja -C build
  build/tests/unit_tests --gtest_brief=1
  python3 tests/golden/check.py --vmaf build/tools/vmaf --clipgen build/tools/clipgen'
chroot "$root" env -C /source PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
