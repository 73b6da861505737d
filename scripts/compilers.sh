#!/usr/bin/env bash
# Compiles every source of library and commands separately with another compiler (or the same), without generating code: a quick check that
# it is accepted.
#   compilers.sh COMPILER [OPTION...]      e.g. compilers.sh clang++-19 -stdlib=libc++; options come last, so that -Wconversion undoes -Wno-conversion
# Takes the commands of build-test and splits unity builds, so that missing includes and names are found.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build-test/compile_commands.json ] || { echo "compilers.sh: build-test is missing; scripts/test.sh makes it" >&2; exit 1; }
python3 - "$@" <<'P'
import concurrent.futures, json, os, re, shlex, subprocess, sys

def failure(source, command):
    words = [word for word in shlex.split(command) if word not in ("ccache", "-MD", "-fno-tree-slp-vectorize", "-Wno-restrict", "-Wno-subobject-linkage")]
    for option in ("-o", "-MQ", "-MF", "-c"):
        if option in words:
            del words[words.index(option):words.index(option) + 2]
    words = [sys.argv[1]] + words[1:] + sys.argv[2:] + ["-fsyntax-only", "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                                        "-Wno-deprecated-declarations", source]  # the last option as in meson.build
    run = subprocess.run(words, cwd="build-test", capture_output=True, text=True)
    return f"{source}\n{run.stderr[:3000]}" if run.returncode else None

def sources_of(entry):
    if "-unity" not in entry["file"]:
        return [entry["file"]]
    lines = open(os.path.join("build-test", entry["file"]))
    return [os.path.relpath(name, "build-test") for name in re.findall(r'^#include\s*[<"](.+)[>"]', lines.read(), re.M)]

commands = {source: entry["command"] for entry in json.load(open("build-test/compile_commands.json")) for source in sources_of(entry)
            if source.endswith(".cpp") and source.startswith(("../src/", "../tools/"))}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failures = [text for text in pool.map(failure, commands, commands.values()) if text]
print(*failures, f"{' '.join(sys.argv[1:])}: {len(commands)} sources, {len(failures)} refused", sep="\n")
sys.exit(1 if failures or not commands else 0)
P
