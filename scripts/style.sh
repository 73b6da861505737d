#!/usr/bin/env bash
# Checks how the C++ sources are written: all of them with clang-format, and with --tidy those that changed since a commit also with
# clang-tidy, and one source for each header that changed. The commit is where this branch left main, and on main the one before the last.
#   style.sh [--tidy] [COMMIT]    TIDY_MOST=N: N sources at most
#   style.sh --tidy --all         every source: 75 minutes of processor time
# Versions of these programs differ in what they find and how they break lines. The sources go by 14, Debian 12's.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=false
[ "${1:-}" = --tidy ] && { tidy=true; shift; }
version=14

program() { # name: the command of the right version, or nothing
  local command
  for command in "$1-$version" "$1"; do
    command -v "$command" >/dev/null && "$command" --version | grep -q "version $version\\." && { echo "$command"; return; }
  done
  echo "style.sh: $1 $version is not installed, and others disagree with it: not checked" >&2
}

git rev-parse --git-dir >/dev/null 2>&1 || { echo "style.sh: this is no clone, so nothing tells the project's files: nothing to check"; exit 0; }
mapfile -t files < <(git ls-files -co --exclude-standard | grep -E '^(src|tools|tests|bench|fuzz|examples|include)/.*\.(cpp|hpp|cu|cuh|h|c)$' | while read -r file; do
  [ ! -f "$file" ] || echo "$file"; done)
format=$(program clang-format)
[ -z "$format" ] || { "$format" --style=file --dry-run --Werror "${files[@]}"; echo "${#files[@]} sources are formatted as .clang-format says"; }

$tidy || exit 0
checker=$(program clang-tidy)
[ -n "$checker" ] || exit 0
[ -f build-test/compile_commands.json ] || { echo "style.sh: build-test is missing; scripts/test.sh makes it" >&2; exit 1; }
if [ "${1:-}" = --all ]; then
  since=--all
else
  main=$(git rev-parse -q --verify origin/main || git rev-parse -q --verify main || git rev-parse HEAD)
  since=${1:-$(git merge-base HEAD "$main")}
  [ -n "${1:-}" ] || [ "$since" != "$(git rev-parse HEAD)" ] || since=$(git rev-parse -q --verify HEAD~1 || echo "$since")
fi
PYTHONDONTWRITEBYTECODE=1 python3 scripts/tidy.py build-test "$checker" "$since" ${TIDY_MOST:-}
