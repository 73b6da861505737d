#!/usr/bin/env bash
# Checks how the C++ sources are written: clang-format on all that changed since a commit (default: where this branch left main), and with
# --tidy also clang-tidy on them.
#   style.sh [--tidy] [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=false
[ "${1:-}" = --tidy ] && { tidy=true; shift; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo "style.sh: this is no clone, so nothing tells what changed: nothing to check"; exit 0; }
base=${1:-$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)}
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base"; git ls-files -o --exclude-standard; } | sort -u |
  grep -E '^(src|tools|tests|bench|fuzz)/.*\.(cpp|hpp|cu|cuh)$' || true)
[ ${#changed[@]} -gt 0 ] || { echo "no C++ source changed since $base"; exit 0; }
clang-format --style=file --dry-run --Werror "${changed[@]}"
echo "${#changed[@]} sources are formatted as .clang-format says"
$tidy || exit 0
[ -f build-test/compile_commands.json ] || { echo "style.sh: build-test is missing; scripts/test.sh makes it" >&2; exit 1; }
mapfile -t sources < <(printf '%s\n' "${changed[@]}" | grep -E '\.cpp$' | grep -vE '_(windows|macos)\.cpp$' || true)
[ ${#sources[@]} -eq 0 ] || clang-tidy -p build-test --quiet --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*' "${sources[@]}"
