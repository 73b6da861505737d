#!/usr/bin/env python3
"""vmaf-tune report: the page is complete, well-formed, self-contained and reproducible; separate charts and tables.

  report_test.py VMAF_TUNE VMAF CLIPGEN
"""
import csv
import html.parser
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as tree

import report_data
import tune_case

TUNE, VMAF, CLIPGEN = tune_case.take_programs("tune", "vmaf", "clipgen")
VOID = {"meta", "img", "input", "br", "link"}


class Page(html.parser.HTMLParser):
    """Checks that tags nest, and collects what the tests need."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tables, self.tags, self.targets = [], [], [], [], {}, []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if "id" in a: self.ids.append(a["id"])
        self.links += [a[k] for k in ("src", "href") if k in a]
        if tag == "img": assert a["alt"]
        if tag not in VOID: self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID: self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()


class Report(tune_case.FreshCase):
    FOLDER = "vmaf-tune report "

    def setUp(self):
        super().setUp()
        self.rows, self.frames = self.path("rows.jsonl"), self.path("frames.jsonl")
        report_data.write(self.rows, report_data.rows())
        report_data.write(self.frames, report_data.frames())

    def report(self, *arguments, **options):
        return self.tune("report", *arguments, **options)

    def test_page_is_well_formed_complete_and_needs_no_network(self):
        self.report(self.rows, *report_data.others(self.folder), "--frames", self.frames, "--target", "90", "-o", "r.html", "--title", "A <title>")
        text = open(self.path("r.html")).read()
        page = Page(text)
        self.assertEqual([i for i in page.ids if page.ids.count(i) > 1], [])
        for section in ("verdict", "sources", "summary", "rate-quality", "bd-rate", "worst", "frames", "search", "ladder", "shots", "cost", "all", "failed", "rows"):
            self.assertIn(section, page.ids)
        for link in page.links:
            self.assertTrue(link.startswith("data:") or (link.startswith("#") and link[1:] in page.ids), link)
        self.assertEqual(re.findall(r"https?://[^\"]*|@import|url\([^)]*", text), ["http://www.w3.org/2000/svg", "url(${picture.image}"])  # a name, and pictures in the data
        self.assertIn("A &lt;title&gt;", text)
        self.assertIn("the encoder ended with status 139", text)
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
        self.assertEqual({p["kind"] for p in data["plots"]}, {"rate-quality", "quality", "speed", "search", "histogram", "ladder", "shots"})
        self.assertIn("libx265 medium needs 27.5 % less bitrate than libx264 medium at VMAF (mean) 90", text)

    def test_same_input_gives_the_same_bytes(self):
        for name in ("1.html", "2.html"): self.report(self.rows, "--frames", self.frames, "-o", name)
        self.assertEqual(open(self.path("1.html")).read(), open(self.path("2.html")).read())

    def test_single_charts_and_tables(self):
        self.report(self.rows, "--frames", self.frames, "--svg", "rate-quality", "rq.svg", "--csv", "rq.csv")
        root = tree.parse(self.path("rq.svg")).getroot()
        names = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        for name in ("libx264 medium", "libsvtav1 fast", "hull"): self.assertIn(name, names)
        self.assertTrue(os.path.exists(self.path("rq-2.svg")))  # the second source
        table = list(csv.DictReader(open(self.path("rq.csv"))))
        self.assertEqual(len(table), 30)
        truth = {(r["encoder"], r["preset"], str(r["crf"])): r for r in report_data.rows() if r["src"] == "a.mkv" and r["exit_status"] == 0}
        for row in table:
            self.assertEqual(float(row["bitrate_kbps"]), truth[row["encoder"], row["preset"], row["q"]]["bitrate_kbps"])
        self.report(self.rows, "--csv", "all.csv")
        self.assertEqual(len(list(csv.DictReader(open(self.path("all.csv"))))), 61)
        run = self.report(self.rows, "--svg", "ladder", "l.svg", code=2)
        self.assertIn("rate-quality", run.stderr)

    def test_bd_rates_are_those_of_the_curves(self):
        # libsvtav1 needs 0.85/1.0 of libx264's bitrate at every score, by construction.
        os.mkdir(self.path("out"))
        self.report(self.rows, "-o", "out/")
        table = list(csv.reader(open(self.path("out/bd-rate-1.csv"))))
        value = float(next(r for r in table if r[0] == "libsvtav1 medium")[table[0].index("vs libx264 medium")])
        self.assertAlmostEqual(value, -15, places=9)
        for name in ("report.html", "rows.csv", "rate-quality-1.svg", "quality-2.csv", "speed-1.svg"): self.assertTrue(os.path.exists(self.path("out/" + name)), name)

    def test_markdown_lists_failures_and_bd_rates(self):
        self.report(self.rows, "-o", "r.md")
        text = open(self.path("r.md")).read()
        self.assertIn("status 139", text)
        self.assertIn("BD-rate", text)

    def test_pictures_are_of_the_encode_nearest_to_the_target_and_not_of_perfect_frames(self):
        report_data.write(self.frames, report_data.pictured_frames(self.folder))
        for target, crf in (("90", 34), ("60", 48)):
            self.report(self.frames, "--target", target, "-o", "r.html", "-y", "--thumbnails", "20")
            shown = re.findall(r'data-alt="frame (\d+) \([^"]* · (\d+)"', open(self.path("r.html")).read())
            self.assertEqual({int(q) for _, q in shown}, {crf})
            self.assertTrue(shown and all(int(frame) >= 8 for frame, _ in shown), shown)

    def test_baseline_and_targets_change_the_verdict(self):
        self.report(self.rows, "-o", "r.md", "--baseline", "libsvtav1 fast", "--target", "85")
        self.assertIn("libx265 medium needs ", open(self.path("r.md")).read())
        self.assertIn("than libsvtav1 fast at VMAF (mean) 85", open(self.path("r.md")).read().replace("\\", ""))

    def test_bad_input_is_said_and_existing_files_stay(self):
        self.assertIn("cannot be read", self.report("nosuch.jsonl", code=2).stderr)
        with open(self.path("empty.jsonl"), "w") as file: file.write("not json\n")
        self.assertIn("nothing to report", self.report("empty.jsonl", code=2).stderr)
        with open(self.rows, "a") as file: file.write("{torn\n")
        self.assertIn("rows.jsonl:62", self.report(self.rows, "-o", "r.html").stderr)
        self.assertIn("exists", self.report(self.rows, "-o", "r.html", code=6).stderr)
        self.report(self.rows, "-o", "r.html", "-y")
        self.report(self.rows, "-o", self.path("no such folder/r.html"), code=6)

    def test_worst_frames_are_shown_as_pictures(self):
        subprocess.check_call([CLIPGEN, "--size", "176x144", "--frames", "12", "--format", "420", "--depth", "8", "--scene", "street", self.path("c.y4m")])
        subprocess.check_call(["ffmpeg", "-y", "-nostdin", "-v", "error", "-i", self.path("c.y4m"), "-c:v", "libx264", "-preset", "ultrafast", "-crf", "40", self.path("c.mkv")])
        subprocess.check_call([TUNE, "score", "c.y4m", "c.mkv", "--score-scale", "none", "--frames", "f.jsonl"], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.report("f.jsonl", "-o", "r.html", "--thumbnails", "2")
        text = open(self.path("r.html")).read()
        Page(text)
        self.assertEqual(text.count("data-picture="), 2)
        self.assertEqual(text.count("data:image/jpeg;base64,"), 2)
        scores = json.loads(open(self.path("f.jsonl")).readline())["frames"]["vmaf"]
        self.assertIn('data-alt="frame %d (' % scores.index(min(scores)), text)
        os.remove(self.path("c.mkv"))  # without the encode the page explains the missing picture
        self.report("f.jsonl", "-o", "r.html", "-y")
        self.assertIn("No pictures of the worst frames", open(self.path("r.html")).read())
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".vmaf-tune")], [])


if __name__ == "__main__":
    unittest.main(verbosity=1, warnings="ignore")
