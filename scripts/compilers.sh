#!/usr/bin/env bash
# Compiles every source of library and commands with another compiler, without making code: quick, and enough to see that it is accepted.
#   compilers.sh COMPILER [OPTION...]      e.g. compilers.sh clang++-19 -stdlib=libc++
# Uses the commands of build-test, and the sources that it made: those of commands are put together from several.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build-test/compile_commands.json ] || { echo "compilers.sh: build-test is missing; scripts/test.sh makes it" >&2; exit 1; }
python3 - "$@" <<'P'
import concurrent.futures, json, os, shlex, subprocess, sys

def failure(entry):
    words = [word for word in shlex.split(entry["command"]) if word not in ("ccache", "-MD", "-fno-tree-slp-vectorize", "-Wno-restrict")]
    for option in ("-o", "-MQ", "-MF"):
        if option in words:
            del words[words.index(option):words.index(option) + 2]
    words = sys.argv[1:] + words[1:] + ["-fsyntax-only", "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                                        "-Wno-deprecated-declarations"]  # the last as in meson.build
    run = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    return f"{entry['file']}\n{run.stderr[:3000]}" if run.returncode else None

entries = {entry["file"]: entry for entry in json.load(open("build-test/compile_commands.json"))
           if entry["file"].endswith(".cpp") and entry["file"].startswith(("../src/", "../tools/", "src/", "tools/"))}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failures = [text for text in pool.map(failure, entries.values()) if text]
print(*failures, f"{' '.join(sys.argv[1:])}: {len(entries)} sources, {len(failures)} refused", sep="\n")
sys.exit(1 if failures or not entries else 0)
P
