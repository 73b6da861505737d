#!/usr/bin/env python3
"""Writes the flags in vmaf-tune's pages, or its manual page, from the program's help.

  tune_manual.py VMAF_TUNE                  the pages in docs/usage/vmaf-tune
  tune_manual.py VMAF_TUNE --check          report outdated pages without changing them
  tune_manual.py VMAF_TUNE --manual FILE    the manual page; the build makes it
"""
import os
import re
import subprocess
import sys

tune, check = os.path.abspath(sys.argv[1]), "--check" in sys.argv
manual_page = sys.argv[sys.argv.index("--manual") + 1] if "--manual" in sys.argv else None
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
stale = []


def help_of(*command):
    text = subprocess.run([tune, *command, "--help"], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"}).stdout
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def store(path, text):
    path = os.path.join(root, path)
    if os.path.exists(path) and open(path).read() == text: return
    stale.append(os.path.relpath(path, root))
    if not check:
        with open(path, "w") as file: file.write(text)


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def subcommands():
    return re.findall(r"^  ([a-z][a-z-]*)", help_of().split("Subcommands:")[1].split("Examples:")[0], re.M)


manual = ['.TH VMAF\\-TUNE 1 "" vmaf\\-turbo "User Commands"', ".SH NAME", "vmaf\\-tune \\- the encode for a quality target", ".SH SYNOPSIS",
          ".B vmaf\\-tune\n.I COMMAND\n.RI [ FLAG... ]", ".SH DESCRIPTION",
          "Runs FFmpeg's encoders, scores the encodes and answers questions: which quality value just meets a target, which\n"
          "encoder needs fewest bits, which ladder to ship. Results go to standard output, progress to standard error."]
for name in subcommands():
    text = help_of(name)
    page = f"docs/usage/vmaf-tune/{name}.md"
    full = os.path.join(root, page)
    if manual_page: pass
    elif os.path.exists(full):
        store(page, re.sub(r"(<!-- made by scripts/tune_manual.py -->\n```\n).*?```", lambda m: m.group(1) + text + "\n```", open(full).read(), flags=re.S))
    else:
        stale.append(page + " (missing)")
    manual += [f".SH {name.upper()}".replace("-", "\\-"), roff(text.splitlines()[0]), ".nf"]
    manual += [roff(line) for line in text.splitlines()[1:]] + [".fi"]
manual += [".SH EXIT STATUS", ".nf", roff("0   done; the target, if any, is met\n1   done, but the target cannot be met\n2   usage error, or a missing program or encoder\n3   a result exists but is not reliable (fast, predict)\n"
           "4   no probe or row could be completed\n5   some rows failed, others are good\n6   output, scratch folder or cache cannot be written\n"
           "7   the requested scoring backend is not usable\n70  a bug\n130 interrupted; finished probes are kept"), ".fi", ".SH ENVIRONMENT",
           roff("VMAF_TUNE_<FLAG> sets the default of a flag, for example VMAF_TUNE_ENCODER=libx265. TMPDIR: where scratch folders are made.\n"
                "XDG_CACHE_HOME, else .cache in HOME (LOCALAPPDATA on Windows, Library/Caches in HOME on macOS): where results are remembered. NO_COLOR: no colours. VMAF_TUNE_CONFIG: a file of settings. VMAF_MODEL_DIR: where models\n"
                "for HDR are looked for first. VMAF_LIBAV_MODULE and VMAF_..._DISPATCH: see vmaf(1). PATH: where ffmpeg and other programs are.\n"
                "SLURM_ARRAY_JOB_ID, SLURM_ARRAY_TASK_ID, SLURM_CPUS_ON_NODE, SLURM_RESTART_COUNT and SLURMD_NODENAME are set by Slurm for its tasks."), ".SH SEE ALSO", ".BR vmaf (1)"]
if manual_page:
    with open(manual_page, "w") as file: file.write("\n".join(manual) + "\n")
    sys.exit()
if check and stale: sys.exit("out of date, run scripts/tune_manual.py: " + ", ".join(stale))
print("up to date" if not stale else "wrote " + ", ".join(stale))
