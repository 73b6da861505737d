#!/usr/bin/env bash
# Installs the Debian packages that building and testing need. Does nothing where they are all there.
#   packages.sh build    what a build and the example need
#   packages.sh test     the same and what the tests need
set -euo pipefail

build=(g++ meson ninja-build pkg-config python3 libhwy-dev nlohmann-json3-dev libcli11-dev libsqlite3-dev nettle-dev
       libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libavfilter-dev ffmpeg)
test=(libgtest-dev libgmock-dev clang libclang-rt-dev valgrind
      g++-aarch64-linux-gnu qemu-user g++-mingw-w64-x86-64-posix wine wine64 newlib-source googletest make patch cmake clang-format clang-tidy strace mount xz-utils python3-numpy python3-pytest)

wanted=("${build[@]}")
[ "${1:-build}" = test ] && wanted+=("${test[@]}")
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "packages.sh: this is not a Debian system; install the equivalents of: ${missing[*]}" >&2
  exit 1
fi
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
