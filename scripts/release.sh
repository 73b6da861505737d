#!/usr/bin/env bash
# Makes build-release/vmaf-turbo-VERSION-SYSTEM.tar.xz: commands, library, headers, man pages, completions. The folder in it can be moved
# anywhere: programs find their module relative to themselves (a file `movable` next to it allows that), pkg-config and CMake relative to
# their descriptions.
#   release.sh [MESON OPTION...]
# The C++ runtime is linked into the commands; they and the library need the build machine's C library or a newer one. The last lines say
# which.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-release
[ -f $folder/build.ninja ] || meson setup $folder --prefix=/usr --libdir=lib --strip -Denable_tests=false -Denable_bench=false \
  -Dcpp_link_args="-static-libgcc -static-libstdc++" -Dpkgconfig.relocatable=true "$@" >$folder.setup.log || { cat $folder.setup.log; exit 1; }
ninja -C $folder
version=$(meson introspect --projectinfo $folder | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')
name=vmaf-turbo-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
rm -rf "$folder/stage" "$folder/$name"
meson install -C $folder --no-rebuild --quiet --destdir stage
mv $folder/stage/usr "$folder/$name"
[ ! -d "$folder/$name/lib/vmaf" ] || cp src/system/movable "$folder/$name/lib/vmaf/"
cp README.md LICENSE CHANGELOG.md "$folder/$name"
tar -C $folder --owner=0 --group=0 --numeric-owner --sort=name --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" -cJf "$folder/$name.tar.xz" "$name"
(cd "$folder" && "./$name/bin/vmaf" --version)
echo "$folder/$name.tar.xz"
for file in "$folder/$name"/bin/vmaf "$folder/$name"/lib/libvmaf.so.3; do
  echo "$(basename "$file") needs glibc $(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1) or newer"
done
