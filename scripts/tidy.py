#!/usr/bin/env python3
"""Runs clang-tidy on sources that changed since a commit, and on one source per changed header.

    tidy.py BUILD CLANG_TIDY COMMIT|--all [MOST]

BUILD is a folder configured by meson and built by ninja: it takes compile commands and included headers from there. Sources of unity builds
are checked separately, with the command of their unit. If more than MOST sources changed, it checks the first MOST and counts the others.
Exits with 1 if there are findings.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDERS = ("src/", "tools/", "tests/", "bench/", "fuzz/", "examples/")
ELSEWHERE = re.compile(r"_(windows|macos)\.cpp$")  # sources of other systems


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def commands(build):
    """How each source is compiled; those that one generated file includes have that file's command."""
    found = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        path = os.path.join(entry["directory"], entry["file"])
        parts = re.findall(r'^#include\s*[<"](.+\.cpp)[>"]', open(path).read(), re.M) if "-unity" in path else []
        for source in parts or [path]:
            source = os.path.relpath(os.path.join(entry["directory"], source))
            command = re.sub(r"^ccache | -o \S+", "", entry["command"]).removesuffix(entry["file"])
            found.setdefault(source, {"directory": entry["directory"], "file": os.path.abspath(source), "command": command + os.path.abspath(source)})
    return {source: entry for source, entry in found.items() if source.startswith(FOLDERS) and source.endswith(".cpp")}


def includes(build, sources):
    """The headers of each source, as ninja noted them."""
    found, members = {}, []
    for line in lines("ninja", "-C", build, "-t", "deps"):
        if not line.startswith(" "):
            members = None
            continue
        path = os.path.relpath(os.path.join(build, line.strip()))
        if members is None:
            members = found.setdefault(path, set())  # the first is the source itself
        members.add(path)
    return {source: found.get(source, set()) for source in sources}


def main(build, checker, since, most=None):
    known = commands(build)
    if since == "--all":
        wanted = set(known)
    else:
        changed = set(lines("git", "diff", "--name-only", "--diff-filter=d", since) + lines("git", "ls-files", "-o", "--exclude-standard"))
        wanted = changed & set(known)
        skipped = [name for name in changed if name.endswith(".cpp") and name.startswith(FOLDERS) and name not in known and not ELSEWHERE.search(name)]
        if skipped:
            print("not compiled in", build, "and therefore not checked:", " ".join(sorted(skipped)))
        headers = includes(build, known)
        for header in sorted(name for name in changed if name.endswith((".hpp", ".h"))):
            users = sorted((source for source in known if header in headers[source]), key=lambda source: (len(headers[source]), source))
            if users and not wanted & set(users):
                wanted.add(users[0])
    if not wanted:
        print("clang-tidy: no source changed since", since)
        return 0

    chosen = sorted(wanted)[: most and int(most)]
    with tempfile.TemporaryDirectory() as database:
        with open(os.path.join(database, "compile_commands.json"), "w") as out:
            json.dump([known[source] for source in chosen], out)

        def check(source):
            arguments = ["-p", database, "--quiet", "--extra-arg=-Wno-unknown-warning-option", "--warnings-as-errors=*", source]
            return subprocess.run([checker, *arguments], capture_output=True, text=True)

        bad = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, result in zip(chosen, pool.map(check, chosen)):
                if result.returncode != 0:
                    bad += 1
                    print(f"{source}:\n{result.stdout}" + ("" if result.stdout else result.stderr), flush=True)
    left = len(wanted) - len(chosen)
    print(f"clang-tidy: {len(chosen)} sources, {bad} with findings" + (f"; {left} more changed but not checked" if left else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
