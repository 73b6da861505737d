#!/usr/bin/env python3
"""Published figures of Netflix's public clips, to four places. The clips are not part of the project:

  VMAF_NETFLIX_CLIPS=FOLDER netflix_test.py VMAF     (skipped if the variable is not set)
"""
import json
import os
import subprocess
import sys
import unittest

VMAF = os.path.abspath(sys.argv.pop(1))
CLIPS = os.environ.get("VMAF_NETFLIX_CLIPS")


class Published(unittest.TestCase):
    def pooled(self, ref, dist, width, height):
        clips = [os.path.join(CLIPS, name) for name in (ref, dist)]
        run = subprocess.run([VMAF, "-r", clips[0], "-d", clips[1], "-w", str(width), "-h", str(height), "-p", "420", "-b", "8", "-q",
                              "--json", "-o", "-"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return {name: values["mean"] for name, values in json.loads(run.stdout)["pooled_metrics"].items()}

    def test_src01(self):
        for dist, wanted in (("src01_hrc01_576x324.yuv", 76.66783), ("src01_hrc00_576x324.yuv", 99.94642)):
            self.assertAlmostEqual(self.pooled("src01_hrc00_576x324.yuv", dist, 576, 324)["vmaf"], wanted, places=4)

    def test_checkerboard(self):
        scores = self.pooled("checkerboard_1920_1080_10_3_0_0.yuv", "checkerboard_1920_1080_10_3_1_0.yuv", 1920, 1080)
        for scale in range(4):
            self.assertAlmostEqual(scores[f"integer_vif_scale{scale}"], 0, places=4)
        self.assertAlmostEqual(scores["integer_motion2"], 12.55471, places=4)
        self.assertAlmostEqual(scores["integer_adm2"], 0.05400, places=4)


if __name__ == "__main__":
    if not CLIPS:
        print("VMAF_NETFLIX_CLIPS is not set")
        sys.exit(77)
    unittest.main()
