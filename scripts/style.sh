#!/usr/bin/env bash
# Checks the style of the C++ sources: all of them with clang-format; with --tidy also those changed since a commit with clang-tidy, and one
# source per changed header. The default commit is where this branch left main, or on main the previous one.
#   style.sh [--tidy] [COMMIT]    TIDY_MOST=N: check at most N sources
#   style.sh --tidy --all         every source: 75 minutes of processor time
# Versions of these programs differ in findings and line breaks. We use 14, as in Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=false
[ "${1:-}" = --tidy ] && { tidy=true; shift; }
version=14

program() { # name: the command in the right version, or nothing
  local command
  for command in "$1-$version" "$1"; do
    command -v "$command" >/dev/null && "$command" --version | grep -q "version $version\\." && { echo "$command"; return; }
  done
  echo "style.sh: $1 $version is not installed, and other versions disagree with it: skipped" >&2
}

git rev-parse --git-dir >/dev/null 2>&1 || { echo "style.sh: not a git clone, so there is no list of files: skipped"; exit 0; }
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
