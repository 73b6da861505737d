#!/usr/bin/env bash
# Provides this system's header-only libraries and newlib's mathematical functions as Meson subprojects, for cross compilers that do not see
# /usr/include (mingw-w64). Needed offline only: with a network Meson fetches its wraps.
set -euo pipefail
cd "$(dirname "$0")/../subprojects"
place() { # wrap, folder inside it, headers
  local folder=$1/$2 headers=$3
  [ -d "$headers" ] || { echo "header_subprojects.sh: $headers is missing (scripts/packages.sh test installs it)" >&2; exit 1; }
  [ -e "$1/meson.build" ] && return
  mkdir -p "$folder"
  ln -sfn "$headers" "$folder/$(basename "$headers")"
  cp packagefiles/"$1"/* "$1"
}
# Newlib's functions are compiled; Debian packages their source.
place_newlib() {
  [ -e newlib/meson.build ] && return
  local sources=(/usr/src/newlib/newlib-*.tar.xz)
  [ -e "${sources[0]}" ] || { echo "header_subprojects.sh: /usr/src/newlib is missing (scripts/packages.sh test installs it)" >&2; exit 1; }
  mkdir -p newlib
  tar xf "${sources[0]}" -C newlib --strip-components=1 --wildcards '*/newlib/libm/common/*' '*/newlib/libm/math/*'
  cp -r packagefiles/newlib/* newlib
}
place highway . /usr/include/hwy
place nlohmann_json include /usr/include/nlohmann
place cli11 include /usr/include/CLI
place_newlib
