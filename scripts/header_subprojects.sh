#!/usr/bin/env bash
# Puts this system's header-only libraries where Meson looks for its wraps, for cross compilers that do not see /usr/include
# (mingw-w64). Without a network the wraps could not be fetched; with one this is not needed.
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
place highway . /usr/include/hwy
place nlohmann_json include /usr/include/nlohmann
place cli11 include /usr/include/CLI
