"""Maps and regions: files, scores, and what is refused."""
import csv
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time
import unittest

from support import VMAF, CommandTest


def array(path):
    """Shape and values of a .npy file."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\0"
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length])
    assert header["descr"] == "<f4" and not header["fortran_order"]
    count = 1
    for side in header["shape"]:
        count *= side
    return header["shape"], struct.unpack(f"<{count}f", data[10 + length:])


class Maps(CommandTest):
    size = "160x96"

    def test_all_files_show_the_same_cells(self):
        names = [self.folder / ("map." + ending) for ending in ("npy", "csv", "y4m")]
        document = self.document("--threads", "2", *(word for name in names for word in ("--map", name)))
        shape, values = array(names[0])
        self.assertEqual(shape, (4, 3, 5))
        rows = list(csv.DictReader(names[1].read_text().splitlines()))
        self.assertEqual(list(rows[0]), "frame row column x y width height vmaf".split())
        for row, value in zip(rows, values, strict=True):
            self.assertAlmostEqual(float(row["vmaf"]), value, places=4)
        self.assertEqual([row["x"] for row in rows[:5]], ["0", "32", "64", "96", "128"])
        self.assertEqual(len(names[2].read_bytes().split(b"\n", 1)[1]), 4 * (6 + 160 * 96 * 3 // 2))
        worst = document["map"]["worst_cells"]
        self.assertEqual(len(worst), 10)
        self.assertEqual([cell["score"] for cell in worst],
                         sorted(float(row["vmaf"]) for row in rows)[:10])
        self.assertEqual((document["map"]["score"], document["map"]["cell"]), ("vmaf", 32))

    def test_maps_and_regions_change_no_score_of_a_frame(self):
        plain = self.document("--feature", "psnr")
        local = self.document("--feature", "psnr", "--map", self.folder / "same.csv", "--region", "a=0,0,32,32")
        for one, other in zip(plain["frames"], local["frames"], strict=True):
            for name, value in one["metrics"].items():
                self.assertEqual(other["metrics"][name], value, name)

    def test_a_region_that_is_a_cell_has_its_score(self):
        table = self.folder / "cells.csv"
        document = self.document("--feature", "psnr", "--map", table, "--map-of", "psnr_y", "--map", self.folder / "psnr.csv",
                                 "--region", "cell=32,64,32,32")
        of = lambda name: [float(r[name[1]]) for r in csv.DictReader((self.folder / name[0]).read_text().splitlines())
                           if (r["x"], r["y"]) == ("32", "64")]
        frames = [frame["metrics"] for frame in document["frames"]]
        self.assertEqual([m["vmaf_cell"] for m in frames], of(("cells.csv", "vmaf")))
        self.assertEqual([m["psnr_y_cell"] for m in frames], of(("psnr.csv", "psnr_y")))
        self.assertIn("mean", document["pooled_metrics"]["vmaf_cell"])

    def test_the_whole_picture_as_a_region_has_the_psnr_of_the_frame(self):
        for frame in self.document("-n", "--feature", "psnr", "--region", "all=0,0,160,96")["frames"]:
            for plane in ("y", "cb", "cr"):
                self.assertEqual(frame["metrics"][f"psnr_{plane}_all"], frame["metrics"][f"psnr_{plane}"])

    def test_threads_and_instruction_sets_change_nothing(self):
        maps = []
        for arguments in ((), ("--threads", "3"), ("--cpumask", "255")):
            path = self.folder / f"map{len(maps)}.npy"
            self.score("--map", path, "--region", "r=10,20,50,60", *arguments)
            maps.append(path.read_bytes())
        self.assertEqual(maps[0], maps[1])
        self.assertEqual(maps[0], maps[2])

    def test_regions_that_move(self):
        lines = "\ufeffframe,name,x,y,w,h\r\n0,face,0,0,32,32\r\n2,face,64,32,32,32\r\n"  # of a spreadsheet
        document = self.document("--regions", self.file("faces.csv", lines))
        metrics = [frame["metrics"] for frame in document["frames"]]
        self.assertEqual(["vmaf_face" in m for m in metrics], [True, False, True, False])
        self.assertEqual(document["regions"], [{"name": "face", "moves": True}])
        mean = (metrics[0]["vmaf_face"] + metrics[2]["vmaf_face"]) / 2
        self.assertAlmostEqual(document["pooled_metrics"]["vmaf_face"]["mean"], mean, places=4)

    def test_edges_are_moved_outward_with_a_message(self):
        run = self.score("--region", "eye=17,0,16,10", "--json", "-o", "-")
        self.assertEqual(json.loads(run.stdout)["regions"], [{"name": "eye", "x": 16, "y": 0, "width": 32, "height": 16}])
        self.assertIn("region 'eye' is scored as 16,0,32,16", run.stderr)
        run = self.score("--regions", self.file("eye.csv", "0,eye,0,0,32,32\n1,eye,17,0,16,10\n"))
        self.assertIn("region 'eye': edges are moved outward to multiples of 16 pixels", run.stderr)

    def test_cells_of_other_features(self):
        for feature, score, tolerance in (("ssim", "ssim", 1e-5), ("float_ssim", "float_ssim", 1e-5), ("ciede", "ciede2000", 1e-3)):
            path = self.folder / (feature + ".npy")
            document = self.document("-n", "--feature", feature, "--map-of", score, "--map", path, "--region", "all=0,0,160,96", "--region", "a=0,0,32,32")
            shape, values = array(path)
            self.assertEqual(shape, (4, 3, 5))
            self.assertEqual((document["map"]["x"], document["map"]["y"]), ([0, 32, 64, 96, 128, 160], [0, 32, 64, 96]))
            for i, frame in enumerate(document["frames"]):
                self.assertAlmostEqual(frame["metrics"][score + "_a"], values[15 * i], places=4)
                self.assertAlmostEqual(frame["metrics"][score + "_all"], frame["metrics"][score], delta=tolerance)

    def test_cells_without_a_score(self):
        names = [self.folder / ("edge." + ending) for ending in ("npy", "csv", "y4m")]
        self.score("-n", "--feature", "float_ssim=scale=4", "--map-of", "float_ssim", "--map-cell", "16", *(word for name in names for word in ("--map", name)))
        bits = struct.unpack(f"<{4 * 6 * 10}I", names[0].read_bytes()[-4 * 4 * 6 * 10:])
        self.assertEqual((bits[0], array(names[0])[0]), (0x7fc00000, (4, 6, 10)))  # NaN without a sign
        rows = names[1].read_text().splitlines()
        self.assertEqual(rows[1], "0,0,0,0,0,16,16,nan")
        self.assertNotIn("nan", rows[1 + 2 * 10 + 5])

    def test_pictures_without_chroma_have_no_scores_of_it(self):
        raw = [self.file(name, pathlib.Path(clip).read_bytes()[-160 * 96:]) for name, clip in (("ref.yuv", self.ref), ("dist.yuv", self.dist))]
        arguments = ("-r", raw[0], "-d", raw[1], "-w", "160", "-h", "96", "-p", "400", "-b", "8", "-n", "--feature", "psnr")
        run = self.vmaf(*arguments, "--region", "a=0,0,32,32", "--json", "-o", "-")
        self.assertEqual(sorted(json.loads(run.stdout)["frames"][0]["metrics"]), ["psnr_y", "psnr_y_a"])
        run = self.vmaf(*arguments, "--map-of", "psnr_cb", "--map", self.folder / "cb.npy", expect=255)
        self.assertIn("'psnr_cb' is not a score of these pictures", run.stderr)

    def test_neg_model(self):
        self.score("-m", "version=vmaf_v0.6.1neg:name=neg", "--map", self.folder / "neg.npy")
        self.assertEqual(array(self.folder / "neg.npy")[0], (4, 3, 5))

    def test_float_model(self):
        cells = {}
        for model in ("vmaf_v0.6.1", "vmaf_float_v0.6.1"):
            path = self.folder / (model + ".npy")
            self.score("-m", f"version={model}:name=vmaf", "--map", path)
            cells[model] = array(path)
        self.assertEqual(cells["vmaf_v0.6.1"][0], cells["vmaf_float_v0.6.1"][0])
        for one, other in zip(cells["vmaf_v0.6.1"][1], cells["vmaf_float_v0.6.1"][1]):
            self.assertAlmostEqual(one, other, delta=2)

    def test_subsample(self):
        self.score("--subsample", "2", "--map", self.folder / "sub.npy")
        self.assertEqual(array(self.folder / "sub.npy")[0], (2, 3, 5))
        rate = {}
        for step in 1, 2:
            self.score("--subsample", step, "--map", self.folder / "rate.y4m")
            numerator, denominator = re.match(rb"YUV4MPEG2 .*F(\d+):(\d+)", (self.folder / "rate.y4m").read_bytes()).groups()
            rate[step] = int(numerator) / int(denominator)
        self.assertEqual(rate[2], rate[1] / 2)

    def refused(self, sentence, *arguments, expect=1):
        run = self.score(*arguments, expect=expect)
        self.assertIn(sentence, run.stderr)
        return run

    def test_what_is_refused(self):
        twice = self.folder / "twice.npy"
        self.refused("has no known ending", "--map", "map.bin")
        self.refused("multiple of 16", "--map", twice, "--map-cell", "40")
        self.refused("--map-cell is for --map", "--map-cell", "32")
        self.refused("give one after --map-of psnr_y", "--map", twice, "--map-of", "psnr_y")
        self.refused("both write", "--map", twice, "--map", twice)
        self.refused("is not a score of this run", "--map-of", "psnr_y", "--map", twice, expect=255)
        self.refused("name one of vmaf, ", "--map-of", "vmaf_v0.6.1", "--map", twice, expect=255)
        self.refused("has no local scores", "--feature", "psnr_hvs", "--map-of", "psnr_hvs", "--map", twice,
                     expect=255)
        self.refused("NAME=X,Y,WIDTH,HEIGHT", "--region", "face")
        self.refused("cannot name a region", "--region", "a b=0,0,16,16")
        self.refused("two regions are named 'a'", "--region", "a=0,0,16,16", "--region", "a=0,0,32,16")
        self.refused("is empty", "--region", "a=0,0,0,16", expect=255)
        self.refused("is not inside the picture of 160x96", "--region", "a=150,0,16,16", expect=255)
        self.refused("which exists already", "--feature", "psnr", "-m", "version=vmaf_v0.6.1:name=psnr", "--region", "y=0,0,16,16",
                     expect=255)
        self.refused("line 1 of", "--regions", self.file("bad.csv", "0,a,0,0,16\n"), expect=255)
        self.assertLess(len(self.refused("line 1 of", "--regions", self.file("long.csv", "x" * 100000), expect=255).stderr), 500)
        self.refused("cannot name a region", "--regions", self.file("name.csv", "0,a b,0,0,16,16\n"), expect=255)
        self.refused("appears twice in frame 0", "--regions", self.file("two.csv", "0,a,0,0,16,16\n0,a,0,0,16,16\n"), expect=255)
        self.refused("has no regions", "--regions", self.file("none.csv", "frame,name,x,y,w,h\n"), expect=255)
        self.refused("the list of regions: ", "--regions", self.folder / "missing.csv", expect=255)
        self.refused("needs a score", "-n", "--feature", "psnr", "--map", twice)
        self.assertFalse(twice.exists())

    def test_a_run_that_fails_leaves_the_map_as_it_was(self):
        before = self.file("kept.npy", "old")
        short = self.file("short.y4m", pathlib.Path(self.dist).read_bytes()[:-1000])
        self.vmaf("-r", self.ref, "-d", short, "--map", before, expect=234)
        self.assertEqual(pathlib.Path(before).read_text(), "old")
        self.assertEqual([n for n in os.listdir(self.folder) if ".part-" in n], [])

    def test_a_signal_ends_the_run_and_leaves_no_file(self):
        folder = self.folder / "ended"
        folder.mkdir()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            run = subprocess.Popen([VMAF, "-r", self.ref, "-d", "-", "-q", "--map", folder / "a.npy", "--map", folder / "b.y4m"],
                                   stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # nohup ignores it
            run.stdin.write(pathlib.Path(self.dist).read_bytes()[:-1000])  # the rest never arrives
            run.stdin.flush()
            deadline = time.monotonic() + 600
            while len(os.listdir(folder)) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            run.send_signal(number)
            self.assertIn(run.wait(timeout=600), (-number, 130))
            run.stdin.close()
            self.assertEqual(os.listdir(folder), [])

    def test_a_full_disk_is_an_error_of_the_map(self):
        if os.geteuid() != 0 or subprocess.call(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", self.small_folder()], stderr=subprocess.DEVNULL):
            self.skipTest("needs the right to mount a small file system")
        disk = self.small_folder()
        self.addCleanup(subprocess.check_call, ["umount", disk])
        self.refused(f"cannot write '{disk / 'map.y4m'}': No space left", "--map", disk / "map.y4m", expect=255)
        self.assertEqual(os.listdir(disk), [])

    def test_a_run_whose_document_or_other_map_fails_leaves_all_maps(self):
        if os.geteuid() != 0 or subprocess.call(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", self.small_folder()], stderr=subprocess.DEVNULL):
            self.skipTest("needs the right to mount a small file system")
        disk = self.small_folder()
        self.addCleanup(subprocess.check_call, ["umount", disk])
        try:
            (disk / "full").write_bytes(bytes(1 << 20))
        except OSError:
            pass
        kept = pathlib.Path(self.file("kept.npy", "old"))
        for arguments in (("--map", disk / "map.csv"), ("--json", "-o", disk / "scores.json")):
            self.refused("No space left", "--map", kept, *arguments, expect=255)
            self.assertEqual(kept.read_text(), "old")
        self.assertEqual(os.listdir(disk), ["full"])

    @unittest.skipUnless("INJECT_LIBRARY" in os.environ, "needs the library that lets calls fail")
    def test_a_disk_that_does_not_keep_a_map(self):
        path = pathlib.Path(self.file("kept.npy", "old"))
        fails = {**os.environ, "LD_PRELOAD": os.environ["INJECT_LIBRARY"], "INJECT": "sync=ENOSPC@*"}
        self.assertIn(f"cannot write '{path}': No space left", self.score("--map", path, expect=255, env=fails).stderr)
        self.assertEqual(path.read_text(), "old")  # synced before the new file replaces it
        self.assertEqual([n for n in os.listdir(self.folder) if ".part-" in n], [])

    def small_folder(self):
        folder = self.folder / "disk"
        folder.mkdir(exist_ok=True)
        return folder

    def test_pictures(self):
        path = self.folder / "map.png"
        run = self.score("--map", path, expect=None)
        if "has no libpng" in run.stderr:
            self.skipTest("built without libpng")
        self.assertEqual(run.returncode, 0, run.stderr)
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (160, 96))

    def test_a_damaged_cell_is_the_worst(self):
        header, frames = pathlib.Path(self.ref).read_bytes().split(b"\n", 1)
        size = 6 + 160 * 96 * 3 // 2
        damaged = bytearray(frames)
        for frame in range(4):
            for y in range(32, 64):
                at = frame * size + 6 + y * 160 + 96
                damaged[at:at + 32] = bytes([110]) * 32
        clip = self.file("damaged.y4m", header + b"\n" + bytes(damaged))
        run = self.vmaf("-r", self.ref, "-d", clip, "--map", self.folder / "worst.npy", "--json", "-o", "-")
        worst = json.loads(run.stdout)["map"]["worst_cells"][0]
        self.assertEqual((worst["x"], worst["y"]), (96, 32))


class MapsOfBanding(CommandTest):
    size = "320x240"

    def test_cells_with_contours_have_the_greater_score(self):
        header, frames = pathlib.Path(self.ref).read_bytes().split(b"\n", 1)
        size = 6 + 320 * 240 * 3 // 2
        steps = bytearray(frames)
        for frame in range(4):
            for y in range(240):
                at = frame * size + 6 + y * 320
                steps[at:at + 320] = bytes(60 + x // 20 if x < 160 else 60 for x in range(320))
        clip = self.file("steps.y4m", header + b"\n" + bytes(steps))
        path = self.folder / "cambi.npy"
        run = self.vmaf("-r", self.ref, "-d", clip, "-n", "--feature", "cambi", "--map-of", "cambi", "--map", path, "--json", "-o", "-")
        shape, values = array(path)
        self.assertEqual(shape, (4, 8, 10))
        left, right = (sum(values[row * 10 + c] for row in range(8) for c in columns) for columns in (range(4), range(6, 10)))
        self.assertGreater(left, 10 * right + 1)
        self.assertLess(json.loads(run.stdout)["map"]["worst_cells"][0]["x"], 160)


if __name__ == "__main__":
    unittest.main()
