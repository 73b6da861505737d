"""Clips, runs of the filter and of the command, and the compared parts of their documents."""
import json
import os
import pathlib
import re
import subprocess
import unittest

SIZE, FRAMES = "240x180", 6  # large enough for cambi and ms_ssim
WHAT_MAY_DIFFER = ("fps", "backend_used")


def escaped(value):
    """A filter option's value, escaped for a filter graph."""
    for characters in ("\\':", "\\'[],;"):
        value = re.sub("([" + re.escape(characters) + "])", r"\\\1", value)
    return value


def parsed(document):
    """A JSON document with ordered keys and numbers as printed."""
    whole = json.loads(document, parse_float=str, parse_int=str, object_pairs_hook=lambda pairs: pairs)
    return [pair for pair in whole if pair[0] not in WHAT_MAY_DIFFER]


def unordered(value):
    """The same without the order of keys."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return {name: unordered(inner) for name, inner in value}
    return [unordered(inner) for inner in value] if isinstance(value, list) else value


class FilterTest(unittest.TestCase):
    """Set by run.py: the builds of ffmpeg, the commands, the library, the folders of clips, models and patches."""

    ffmpeg = stock = patched = selectors = recorder = None
    vmaf = clipgen = library = base = folder = models = patches = None

    def clip(self, name, depth=8, form="420", distort="none", frames=FRAMES, size=SIZE, kind="y4m"):
        path = self.folder / f"{name}_{form}_{depth}_{frames}_{size}.{kind}"
        if not path.exists():
            subprocess.check_call([self.clipgen, "--size", size, "--frames", str(frames), "--format", form, "--depth",
                                   str(depth), "--scene", "street", "--distort", distort, str(path)])
        return str(path)

    def pair(self, **properties):
        return self.clip("ref", **properties), self.clip("dis", distort="dct:40", **properties)

    def run_filter(self, options, ref, dis, expect=0, ffmpeg=None, before=(), env=None, graph=None):
        """Returns ffmpeg's output; `options` is a dictionary of filter options or an escaped text."""
        if isinstance(options, dict):
            options = ":".join(f"{name}={escaped(str(value))}" for name, value in options.items())
        graph = graph or "[0:v][1:v]libvmaf"
        run = subprocess.run([str(ffmpeg or self.ffmpeg), "-nostdin", "-hide_banner", *before, "-i", dis, "-i", ref, "-lavfi",
                              graph + ("=" + options if options else ""), "-f", "null", "-"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder, timeout=120,
                             env={**os.environ, "LD_LIBRARY_PATH": str(self.library.folder), **(env or {})})
        if expect is not None:
            self.assertEqual(run.returncode, expect, f"{options}\n{run.stdout}")
        return run

    def filter_document(self, options, ref, dis, log_fmt="json", **run):
        """(the document, the scores that the filter prints)"""
        path = self.folder / "filter.log"
        path.unlink(missing_ok=True)
        options = {"log_path": str(path), "log_fmt": log_fmt, **options}
        printed = self.run_filter(options, ref, dis, **run).stdout
        return path.read_text(), re.findall(r"VMAF score: (\S+)", printed)

    def command_document(self, ref, dis, *arguments, form="json"):
        path = self.folder / "command.log"
        path.unlink(missing_ok=True)
        raw = []
        if ref.endswith(".yuv"):
            _, chroma, depth, _, size = pathlib.Path(ref).stem.split("_")
            width, height = size.split("x")
            raw = ["-w", width, "-h", height, "-p", chroma, "-b", depth]
        run = subprocess.run([self.vmaf, "-r", ref, "-d", dis, *raw, "--backend", "cpu", f"--{form}", "-o", str(path),
                              *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)
        return path.read_text()

    def assert_equal_scores(self, options, arguments=(), ordered=True, pool="mean", models=("vmaf",), properties={}, **run):
        """Every frame and every pooled figure of the filter equals the command's, in every printed digit."""
        ref, dis = self.pair(**properties)
        document, printed = self.filter_document(options, ref, dis, **run)
        raw = {**properties, "kind": "yuv"}  # the command resamples 8-bit 4:2:2, but only in y4m files
        expected = self.command_document(*(self.pair(**raw) if properties.get("form") == "422" else (ref, dis)), *arguments)
        ours, theirs = parsed(expected), parsed(document)
        self.assertTrue(unordered(theirs)["frames"])
        self.assertEqual(*((theirs, ours) if ordered else (unordered(theirs), unordered(ours))))
        pooled = unordered(ours)["pooled_metrics"]
        self.assertEqual(printed, [f"{float(pooled[name][pool]):.6f}" for name in models])
        return document

    def refused(self, options, code, *words, ffmpeg=None, **run):
        """The filter fails with this error and words, and prints no score."""
        done = self.run_filter(options, *self.pair(), expect=None, ffmpeg=ffmpeg or self.patched, **run)
        self.assertEqual(done.returncode, 1 if self.base == "n5.1" else 256 - code, done.stdout)
        for word in (*words, os.strerror(code)):
            self.assertIn(word, done.stdout)
        self.assertNotIn("VMAF score", done.stdout)
