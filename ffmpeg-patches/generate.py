#!/usr/bin/env python3
"""Writes a series from edits.py and a pristine FFmpeg tree.

    generate.py n8.1 FFMPEG_TREE            writes n8.1/*.patch and n8.1/series.txt
    generate.py n8.1 FFMPEG_TREE --check    exits 1 if the committed files differ
    generate.py n8.1 FFMPEG_TREE FOLDER     writes into another folder, e.g. for FFmpeg 6.1 to 8.0
"""
import difflib
import pathlib
import sys

from edits import BASES, SERIES

HERE = pathlib.Path(__file__).resolve().parent
CONTEXT_LINES = 1  # what `patch -F0` and `git apply` need to find a place at all
AUTHOR, DATE = "vmaf-turbo <vmaf-turbo@localhost>", "Sun, 15 Nov 2026 00:00:00 +0000"


def apply(edit, content):
    count = content.count(edit.place)
    if count != 1:
        raise SystemExit(f"{edit.file}: found {count} times, must be there once:\n{edit.place}")
    text = {"before": edit.text + edit.place, "after": edit.place + edit.text, "instead": edit.text}[edit.how]
    return content.replace(edit.place, text)


def changes(before, after, file):
    return "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{file}", f"b/{file}",
                                        n=CONTEXT_LINES))


def summary(diffs):
    rows = {file: (diff.count("\n+") - 1, diff.count("\n-")) for file, diff in diffs.items()}
    width = max(map(len, rows))
    lines = [f" {file:<{width}} | {added + removed} {'+' * min(added, 40)}{'-' * min(removed, 10)}\n"
             for file, (added, removed) in rows.items()]
    added, removed = (sum(row[i] for row in rows.values()) for i in (0, 1))
    lines.append(f" {len(rows)} file{'s' * (len(rows) > 1)} changed, {added} insertions(+), {removed} deletions(-)\n")
    return "".join(lines)


def mail(patch, number, total, diffs):
    body = "".join(f"diff --git a/{file} b/{file}\n{diff}" for file, diff in diffs.items())
    return (f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nFrom: {AUTHOR}\nDate: {DATE}\n"
            f"Subject: [PATCH {number}/{total}] {patch.subject}\n\n{patch.reason}---\n{summary(diffs)}\n{body}-- \nvmaf-turbo\n")


def series(base, tree):
    """The names and contents of all files of a series."""
    patches = [patch for patch in SERIES if base in patch.bases]
    contents, files = {}, {}
    for number, patch in enumerate(patches, 1):
        diffs = {}
        for edit in (edit for edit in patch.edits if base in edit.bases):
            if edit.file not in contents:
                contents[edit.file] = (tree / edit.file).read_text()
            diffs.setdefault(edit.file, contents[edit.file])
            contents[edit.file] = apply(edit, contents[edit.file])
        files[patch.name] = mail(patch, number, len(patches),
                                 {file: changes(before, contents[file], file) for file, before in sorted(diffs.items())})
    files["series.txt"] = "".join(patch.name + "\n" for patch in patches)
    return files


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) not in (2, 3) or arguments[0] not in BASES:
        raise SystemExit(__doc__)
    folder = pathlib.Path(arguments[2]) if len(arguments) == 3 else HERE / arguments[0]
    files = series(arguments[0], pathlib.Path(arguments[1]))
    if "--check" in sys.argv:
        present = {p.name for p in folder.iterdir()}
        wrong = sorted((present ^ files.keys()) |
                       {name for name in present & files.keys() if (folder / name).read_text() != files[name]})
        if wrong:
            raise SystemExit(f"{arguments[0]}: not what edits.py gives: " + " ".join(wrong))
        return
    folder.mkdir(exist_ok=True)
    for old in folder.glob("0*.patch"):
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
