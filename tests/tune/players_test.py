#!/usr/bin/env python3
"""Ladders of vmaf-tune in the players of browsers: dash.js, Shaka Player and hls.js in headless Chromium play them, with sound, a seek and a switch of rung.

  players_test.py VMAF_TUNE CLIPGEN

Skipped without Chromium, Node and the players. The players: `npm install dashjs shaka-player hls.js playwright-core` in any folder, and the
variable VMAF_PLAYERS with the path of its node_modules.
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

import tune_case

TUNE, CLIPGEN = tune_case.take_programs("tune", "clipgen")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MODULES = os.environ.get("VMAF_PLAYERS", "")
MISSING = [name for name in ("dashjs", "shaka-player", "hls.js", "playwright-core") if not os.path.isdir(os.path.join(MODULES, name))]
if not BROWSER or not shutil.which("node") or MISSING:
    print("skipped: this test needs chromium, node, and in the folder VMAF_PLAYERS:", ", ".join(MISSING))
    sys.exit(77)

SUBTITLES = "1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:05,000\nWorld\n"


class Players(tune_case.TuneCase):
    FOLDER = "vmaf-tune-players-"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_clip("street.y4m", size="384x288", frames=72)
        with open(cls.path("words.srt"), "w") as file: file.write(SUBTITLES)
        cls.ffmpeg("-r", "12", "-i", "street.y4m", "-f", "lavfi", "-i", "sine=d=6", "-f", "lavfi", "-i", "sine=f=880:d=6", "-i", "words.srt", "-map", "0:v", "-map", "1", "-map", "2", "-map", "3",
                   "-c:v", "libx264", "-preset", "ultrafast", "-qp", "8", "-c:a", "aac", "-c:s", "srt", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger",
                   "-metadata:s:s:0", "language=eng", "film.mkv")

    def test_ladders_play(self):
        for form, name in (("dash", "dash/film.mpd"), ("hls", "hls/film.m3u8")):
            os.makedirs(self.path(form))
            self.tune("ladder", "-i", "film.mkv", "--preset", "ultrafast", "--score-scale", "none", "--resolutions", "384x288,192x144", "--target-vmafs", "85,40", "--q-step", "3",
                      "--run", "--segment-seconds", "2", "--format", form, "-o", name)
        run = subprocess.run(["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "players.mjs"), BROWSER, MODULES, self.folder, "dash/film.mpd", "hls/film.m3u8"],
                             capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stderr)
        for player, seen in json.loads(run.stdout).items():
            self.assertEqual(seen["errors"], [], player)
            self.assertEqual((seen["languages"], seen["texts"], seen["rungs"]), (["en", "de"], ["en"], 2), player)
            self.assertTrue(seen["played"] and seen["sought"] and seen["switched"], (player, seen))
            self.assertEqual((seen["small"], seen["large"]), (144, 288), player)
            self.assertGreater(seen["sound"], 0, player)
            self.assertAlmostEqual(seen["duration"], 6, delta=0.1, msg=player)


if __name__ == "__main__":
    unittest.main()
