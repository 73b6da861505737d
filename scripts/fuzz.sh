#!/usr/bin/env bash
# Runs every fuzzer of a build folder configured with -Denable_fuzz=true, two at a time.
#   fuzz.sh BUILD-FOLDER SECONDS [SEEDS]     SEEDS/NAME: additional inputs for a fuzzer, such as encoder output
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "$1") seconds=$2 seeds=${3:+$(realpath "$3")} # the fuzzer of --serve changes its folder
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fuzz_one() { # harness
  local name
  name=$(basename "$1" _fuzz)
  mkdir "$work/$name"
  local more=()
  [ -z "$seeds" ] || [ ! -d "$seeds/$name" ] || more=("$seeds/$name")
  if "$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$folder/$name-" \
    "$work/$name" "$PWD/fuzz/corpus/$name" "${more[@]}" >"$work/$name.log" 2>&1; then
    echo "fuzz $name: nothing found; $(grep -o 'Done .*' "$work/$name.log")"
  else
    tail -n 60 "$work/$name.log"
    echo "fuzz $name FAILED; the input is in $folder/$name-*"
    return 1
  fi
}
export -f fuzz_one
export work folder seconds seeds
printf '%s\n' "$folder"/fuzz/*_fuzz | xargs -P 2 -I{} bash -c 'fuzz_one {}'
