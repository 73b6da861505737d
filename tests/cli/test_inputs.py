"""Clips: sources, formats, lengths, and everything that can be wrong."""
import array
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest

from support import CommandTest, VMAF, read, without_fps

PSNR = ("-n", "--feature", "psnr")
HEADER = b"YUV4MPEG2 W%d H%d F25:1 Ip C420\n"


def frame(width, height, value=0):
    return bytes([value]) * (width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2))


class Sources(CommandTest):
    def setUp(self):
        self.wanted = self.score(*PSNR, "--csv", "-o", "-").stdout

    def test_standard_input_is_a_dash(self):
        for name in ("-", "/dev/stdin"):
            with open(self.dist, "rb") as clip:
                self.assertEqual(self.vmaf("-r", self.ref, "-d", name, *PSNR, "--csv", "-o", "-", stdin=clip).stdout, self.wanted)

    def test_pieces_of_a_pipe_make_no_difference(self):
        content = read(self.dist)
        for piece in (1, 7, 4096, 65537):
            run = subprocess.Popen([VMAF, "-r", self.ref, "-d", "-", *PSNR, "--csv", "-o", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
            step = piece if piece > 1 else 701
            for at in range(0, len(content), step):
                run.stdin.write(content[at:at + step])
                run.stdin.flush()
            out, _ = run.communicate()
            self.assertEqual(out.decode(), self.wanted)

    def test_fifos(self):
        paths = [str(self.folder / name) for name in ("ref.fifo", "dist.fifo")]
        for path in paths:
            os.mkfifo(path)
        writers = [threading.Thread(target=lambda s, d: pathlib.Path(d).write_bytes(read(s)), args=pair)
                   for pair in zip((self.ref, self.dist), paths)]
        for writer in writers:
            writer.start()
        out = self.vmaf("-r", paths[0], "-d", paths[1], *PSNR, "--csv", "-o", "-").stdout
        for writer in writers:
            writer.join()
        self.assertEqual(out, self.wanted)
        for path in paths:
            os.unlink(path)

    def test_mapped_files_score_as_pipes_do(self):
        """Frames of files are used in place, at any address and width; those of pipes are aligned for vectors."""
        features = [line.split()[0] for line in self.vmaf("--list_features").stdout.splitlines() if re.match(r"[a-z]", line)]
        self.assertIn("vif", features)
        clips = [self.clip(f"wide-{kind}.y4m", kind, "654x422", 3) for kind in ("none", "dct:60")]
        for mask in ("0", "48", "255"):
            asked = ["-n", "--cpumask", mask, "--csv", "-o", "-", *(word for name in features for word in ("--feature", name))]
            fifo = str(self.folder / "wide.fifo")
            os.mkfifo(fifo)
            writer = threading.Thread(target=lambda: pathlib.Path(fifo).write_bytes(read(clips[0])))
            writer.start()
            with open(clips[1], "rb") as distorted, subprocess.Popen(["cat"], stdin=distorted, stdout=subprocess.PIPE) as pipe:
                wanted = self.vmaf("-r", fifo, "-d", "-", *asked, stdin=pipe.stdout).stdout
            writer.join()
            os.unlink(fifo)
            self.assertGreater(len(wanted.splitlines()[1].split(",")), 30)
            self.assertEqual(self.vmaf("-r", clips[0], "-d", clips[1], *asked).stdout, wanted)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "needs /proc")
    def test_a_clip_that_is_changed_while_it_is_read_is_refused(self):
        self.check_changes_while_read(self.ref, self.dist)
        wide = [self.clip(f"changing-{kind}.y4m", kind, "654x422", 6) for kind in ("none", "dct:60")]
        self.check_changes_while_read(*wide)  # mapped

    def test_one_pipe_cannot_be_both_clips(self):
        self.refused(255, *PSNR, says="both clips", run=lambda *a, expect: self.vmaf("-r", "-", "-d", "-", *a, expect=expect))
        run = lambda *a, expect: self.vmaf("-r", "-", "-d", "/dev/stdin", *a, expect=expect, stdin=subprocess.PIPE)
        self.refused(255, *PSNR, says="both clips", run=run)

    def test_a_run_ends_although_its_pipe_stays_open(self):
        output, write = os.pipe()
        content = read(self.dist)
        os.write(write, content[:len(content) // 2])
        with os.fdopen(output, "rb") as pipe:
            self.vmaf("-r", self.ref, "-d", "-", *PSNR, "--frame_cnt", "1", stdin=pipe)
        os.close(write)

    def test_sparse_files_beyond_four_gigabytes(self):
        # 1920x1080 4:4:4 16 bit: a frame has 12 MB; the last frames are beyond 4 GiB.
        path = self.folder / "large.yuv"
        bytes_per_frame, count = 1920 * 1080 * 6, 348
        with open(path, "wb") as large:
            large.truncate(bytes_per_frame * count)
            large.seek(bytes_per_frame * (count - 1))
            large.write(b"\1" * 1000)
        run = self.vmaf("-r", path, "-d", path, "-w", "1920", "-h", "1080", "-p", "444", "-b", "16", "--frame_skip_ref", count - 1,
                        "--frame_skip_dist", count - 2, "-n", "--feature", "psnr=enable_mse=true:enable_chroma=false", "--json",
                        "-o", "-")
        frames = json.loads(run.stdout)["frames"]
        self.assertEqual(len(frames), 1)
        self.assertAlmostEqual(frames[0]["metrics"]["mse_y"], 500 * 257 * 257 / (1920 * 1080), places=5)
        path.unlink()


class Formats(CommandTest):
    def test_every_format_and_depth_scores_alike_from_raw_and_y4m(self):
        for form, depth in (("420", 8), ("420", 10), ("422", 10), ("444", 8), ("444", 12), ("420", 16)):
            for size in ("64x48", "65x49"):
                with self.subTest(form=form, depth=depth, size=size):
                    clips = [self.clip(f"f{x}.{kind}", d, size, 2, form, depth) for kind in ("y4m", "yuv")
                             for x, d in (("r", "none"), ("d", "dct:40"))]
                    w, h = size.split("x")
                    y4m = self.vmaf("-r", clips[0], "-d", clips[1], *PSNR, "--csv", "-o", "-").stdout
                    raw = self.vmaf("-r", clips[2], "-d", clips[3], "-w", w, "-h", h, "-p", form, "-b", depth, *PSNR, "--csv", "-o", "-").stdout
                    self.assertEqual(y4m, raw)
                    self.assertEqual(len(y4m.splitlines()), 3)

    def test_chroma_of_8_bit_422_is_resampled_from_y4m_only(self):
        clips = [self.clip(f"s{x}.{kind}", d, form="422") for kind in ("y4m", "yuv") for x, d in (("r", "none"), ("d", "dct:40"))]
        y4m = json.loads(self.vmaf("-r", clips[0], "-d", clips[1], *PSNR, "--json", "-o", "-").stdout)["pooled_metrics"]
        raw = json.loads(self.vmaf("-r", clips[2], "-d", clips[3], "-w", "64", "-h", "48", "-p", "422", "-b", "8", *PSNR, "--json", "-o", "-").stdout)["pooled_metrics"]
        self.assertEqual(y4m["psnr_y"], raw["psnr_y"])
        self.assertNotEqual(y4m["psnr_cb"], raw["psnr_cb"])

    def test_luma_alone(self):
        clips = [self.clip(f"m{x}.yuv", d, form="400") for x, d in (("r", "none"), ("d", "dct:40"))]
        run = self.vmaf("-r", clips[0], "-d", clips[1], "-w", "64", "-h", "48", "-p", "400", "-b", "8", *PSNR, "--json", "-o", "-")
        mono = json.loads(run.stdout)["pooled_metrics"]
        self.assertEqual(mono["psnr_y"], self.document(*PSNR)["pooled_metrics"]["psnr_y"])
        self.assertNotIn("psnr_cb", mono)

    def test_mixed_depths_need_a_preset(self):
        deep = self.clip("deep.y4m", depth=10)
        run = lambda *a, expect: self.vmaf("-r", self.ref, "-d", deep, *a, expect=expect)
        self.refused(255, *PSNR, says=["8 bits", "10"], run=run)

    def test_the_shallower_of_mixed_depths_is_shifted(self):
        shallow = self.clip("shallow.yuv", size="240x200", frames=2)
        samples = read(shallow)
        deep = self.file("deep.y4m", b"YUV4MPEG2 W240 H200 F25:1 Ip C420p10\n" + b"".join(
            b"FRAME\n" + b"".join((s << 2).to_bytes(2, "little") for s in samples[i * len(samples) // 2:(i + 1) * len(samples) // 2])
            for i in range(2)))
        y4m = self.clip("shallow.y4m", size="240x200", frames=2)
        for pair in ((y4m, deep), (deep, y4m)):
            run = self.vmaf("-r", pair[0], "-d", pair[1], "-n", "--aom_ctc", "v6.0", "--json", "-o", "-")
            pooled = json.loads(run.stdout)["pooled_metrics"]
            self.assertEqual(pooled["integer_vif_scale0"]["min"], 1)
            self.assertIsNone(pooled["ciede2000"]["min"])  # infinite: all planes are equal


class Depth(CommandTest):
    """Samples above the stated depth: aligned to the top of 16 bits, or with another depth."""

    def raw(self, name, shift=0, depth=10, frames=3, bad=None):
        path = self.clip(name, frames=frames, depth=depth)
        samples = array.array("H", read(path))
        if sys.byteorder == "big": samples.byteswap()
        size = len(samples) // frames
        for i in range(len(samples)):
            if bad is None or i // size == bad: samples[i] = samples[i] << shift & 0xffff
        if sys.byteorder == "big": samples.byteswap()
        return self.file(name, samples.tobytes())

    def score_raw(self, reference, distorted, *arguments, expect):
        return self.vmaf("-r", reference, "-d", distorted, "-w", 64, "-h", 48, "-p", "420", "-b", 10, *arguments, expect=expect)

    def test_frames_with_samples_above_it_are_not_scored(self):
        good, high = self.raw("good.yuv"), self.raw("high.yuv", 6, bad=1)
        for threads in (0, 1, 3):
            with self.subTest(threads=threads):
                self.score_raw(good, good, "--threads", threads, expect=0)
                for clips, whose in (((good, high), "distorted"), ((high, good), "reference")):
                    self.refused(234, "--threads", threads, says=("frame 1", whose, "luma", "above 1023", "10 bits", "top of 16 bits", "right by 6"),
                                 run=lambda *a, expect: self.score_raw(*clips, *a, expect=expect))
        deep = self.raw("deep.yuv", depth=12)
        self.refused(234, says=("frame 0", "above 1023", "depth is probably wrong"), run=lambda *a, expect: self.score_raw(good, deep, *a, expect=expect))

    def test_shifting_to_another_depth_hides_nothing(self):
        content = bytearray(read(self.clip("lie.y4m", size="240x200", frames=1, depth=10)))
        content[content.index(b"FRAME\n") + 7] = 0x40
        bad, deep = self.file("lie.y4m", bytes(content)), self.clip("twelve.y4m", size="240x200", frames=1, depth=12)
        self.refused(234, "-n", "--aom_ctc", "v6.0", says=("lie.y4m", "frame 0", "luma sample of", "above 1023", "10 bits"),
                     run=lambda *a, expect: self.vmaf("-r", deep, "-d", bad, *a, expect=expect))

    def test_only_planes_that_are_read_count(self):
        samples = bytearray(read(self.raw("chroma.yuv")))
        samples[2 * 64 * 48 + 1] = 0xff  # Cb of frame 0
        bad, good = self.file("chroma.yuv", bytes(samples)), self.raw("plain.yuv")
        self.score_raw(good, bad, expect=0)
        self.refused(234, *PSNR, says=("frame 0", "Cb"), run=lambda *a, expect: self.score_raw(good, bad, *a, expect=expect))
        self.score_raw(good, bad, "-n", "--feature", "psnr=enable_chroma=false", expect=0)


class Lengths(CommandTest):
    def setUp(self):
        self.short = self.clip("short.y4m", "dct:40", frames=2)

    def test_the_common_part_is_scored(self):
        for pair in ((self.ref, self.short), (self.short, self.ref)):
            run = self.vmaf("-r", pair[0], "-d", pair[1], *PSNR, "--json", "-o", "-")
            self.assertEqual(len(json.loads(run.stdout)["frames"]), 2)
            self.assertRegex(run.stderr, "short.y4m' ended before .*ref.y4m', after 2 frames")

    def test_strict_length_makes_it_an_error(self):
        run = lambda *a, expect: self.vmaf("-r", self.ref, "-d", self.short, *a, expect=expect)
        self.refused(255, *PSNR, "--strict_length", says=["short.y4m", "--strict_length"], run=run)
        self.vmaf("-r", self.ref, "-d", self.short, *PSNR, "--strict_length", "--frame_cnt", "2")
        self.score(*PSNR, "--strict_length")

    def test_frames_are_counted_and_skipped(self):
        rows = lambda *a: [r.split(",", 1) for r in self.score(*PSNR, "--csv", "-o", "-", *a).stdout.splitlines()[1:]]
        everything = rows()
        self.assertEqual(rows("--frame_cnt", "2"), everything[:2])
        skipped = rows("--frame_skip_ref", "1", "--frame_skip_dist", "1")
        self.assertEqual([index for index, _ in skipped], ["0", "1", "2"])
        self.assertEqual([values for _, values in skipped], [values for _, values in everything[1:]])
        self.assertEqual(len(rows("--frame_skip_ref", "3")), 1)

    def test_subsampling_keeps_multiples(self):
        frames = self.document(*PSNR, "--feature", "vif", "--subsample", "3")["frames"]
        self.assertEqual([f["frameNum"] for f in frames], [0, 3])
        for n in ("0", "1"):
            self.assertEqual(len(self.document(*PSNR, "--subsample", n)["frames"]), self.frames)


class Cropping(CommandTest):
    """--crop gives the scores of clips that were cut before."""
    size, frames = "96x64", 5

    def raw(self, name, luma, depth, width, height, part=None, bars=False):
        """A raw 4:2:0 clip of moving gradients; a part of it, or with black bars around that part."""
        frames = []
        samples = lambda rows: b"".join(s.to_bytes(1 if depth == 8 else 2, "little") for row in rows for s in row)
        for t in range(self.frames):
            for across, black in ((1, 16), (2, 128), (2, 128)):
                w, h = width // across, height // across
                x0, y0, w1, h1 = (v // across for v in part or (0, 0, width, height))
                at = lambda x, y: (luma(x, y, t) if across == 1 else 100 + (x + y + t) % 50) << (depth - 8)
                inside = lambda x, y: x0 <= x < x0 + w1 and y0 <= y < y0 + h1
                if bars:
                    frames.append(samples([[at(x, y) if inside(x, y) else black << (depth - 8) for x in range(w)] for y in range(h)]))
                else:
                    frames.append(samples([[at(x, y) for x in range(x0, x0 + w1)] for y in range(y0, y0 + h1)]))
        return self.file(name, b"".join(frames))

    def setUp(self):
        self.clear = lambda x, y, t: 40 + (3 * x + 5 * y + 7 * t) % 150
        self.coarse = lambda x, y, t: self.clear(x, y, t) // 8 * 8

    def frames_of(self, ref, dist, *arguments, **options):
        run = self.vmaf("-r", ref, "-d", dist, "-n", "--feature", "psnr", "--feature", "ciede", "--json", "-o", "-", *arguments, **options)
        document = json.loads(run.stdout)
        self.follows_schema(document)
        return document["frames"], document.get("inputs"), run.stderr

    def test_a_part_scores_as_if_it_were_the_clip(self):
        geometry = lambda w, h, depth: ("-w", w, "-h", h, "-p", "420", "-b", depth)
        for depth in (8, 10):
            ref, dist = (self.raw(n, s, depth, 96, 64) for n, s in (("a.yuv", self.clear), ("b.yuv", self.coarse)))
            for part in ((0, 8, 96, 48), (10, 2, 64, 32), (94, 62, 2, 2)):
                x, y, w, h = part
                cut_ref, cut_dist = (self.raw(n, s, depth, 96, 64, part) for n, s in (("c.yuv", self.clear), ("d.yuv", self.coarse)))
                wanted, none, _ = self.frames_of(cut_ref, cut_dist, *geometry(w, h, depth))
                self.assertIsNone(none)
                for threads in ("0", "3"):
                    got, inputs, stderr = self.frames_of(ref, dist, *geometry(96, 64, depth), "--crop", f"{w}:{h}:{x}:{y}", "--threads", threads)
                    self.assertEqual(got, wanted)
                    self.assertEqual(inputs["steps"], [f"the {role} clip is cropped to {w}x{h} at {x},{y}" for role in ("reference", "distorted")])
                    self.assertEqual(inputs["scored_as"]["size"], f"{w}x{h}")
                    self.assertEqual(inputs["pairing"]["pairs"], self.frames)
                    self.assertEqual(stderr, "".join(f"vmaf: {step}\n" for step in inputs["steps"]))

    def test_pipes_and_clips_of_that_size_already(self):
        crop = ("--crop", "64:48:10:2")
        small = self.clip("small.y4m", "dct:40", size="64x48")
        wanted, _, _ = self.frames_of(self.ref, small, *crop)
        with open(self.ref, "rb") as pipe:
            got, inputs, _ = self.frames_of("-", small, *crop, stdin=pipe)
        self.assertEqual(got, wanted)
        self.assertEqual(inputs["steps"], ["the reference clip is cropped to 64x48 at 10,2"])
        _, none, _ = self.frames_of(small, small, *crop)
        self.assertIsNone(none)

    def test_black_bars_of_one_clip_are_cut(self):
        y4m = lambda raw, w, h: self.file(raw + ".y4m", f"YUV4MPEG2 W{w} H{h} F25:1 Ip C420\n".encode() +
                                          b"".join(b"FRAME\n" + read(raw)[i:i + w * h * 3 // 2] for i in range(0, w * h * 3 // 2 * self.frames, w * h * 3 // 2)))
        part = (0, 8, 96, 48)
        boxed = y4m(self.raw("boxed.yuv", self.clear, 8, 96, 64, part, bars=True), 96, 64)
        ref, dist = (y4m(self.raw(n, s, 8, 96, 64, part), 96, 48) for n, s in (("plain.yuv", self.clear), ("dist.yuv", self.coarse)))
        wanted, _, _ = self.frames_of(ref, dist)
        got, inputs, _ = self.frames_of(boxed, dist, "--crop", "auto")
        self.assertEqual(got, wanted)
        self.assertEqual(inputs["steps"], ["the reference clip is cropped to 96x48 at 0,8: the clips have different black bars"])
        _, none, _ = self.frames_of(boxed, boxed, "--crop", "auto")  # bars that both clips have stay
        self.assertIsNone(none)
        out = self.folder / "encodes"  # with a reference that two pairs share, cropped for one of them
        out.mkdir()
        self.vmaf("-r", boxed, "-d", dist, "-d", boxed, "--crop", "auto", "-n", "--feature", "psnr", "--feature", "ciede", "--json", "-o", out)
        self.assertEqual(json.loads((out / "dist.yuv.json").read_text())["frames"], wanted)
        self.assertNotIn("inputs", json.loads((out / "boxed.yuv.json").read_text()))
        with open(dist, "rb") as pipe:
            self.refused(255, "-r", boxed, "-d", "-", "--crop", "auto", says="twice", run=lambda *a, **o: self.vmaf(*a, **o, stdin=pipe))

    def test_impossible_crops_are_refused(self):
        for crop, says in (("96:65:0:0", "not inside"), ("48:32:50:0", "not inside"), ("48:32:1:0", "chroma"), ("48:31:0:0", "chroma")):
            self.refused(255, "--crop", crop, says=says)

    def test_damage_has_the_code_of_a_bad_frame(self):
        cut = self.file("cut.y4m", read(self.dist)[:-100])
        self.refused(234, "-r", self.ref, "-d", cut, "--crop", "auto", says="ends inside", run=self.vmaf)


class BadClips(CommandTest):
    def refuse_clip(self, code, path, says, *arguments):
        for pair in ((path, self.dist), (self.ref, path)):
            run = lambda *a, expect: self.vmaf("-r", pair[0], "-d", pair[1], *a, expect=expect)
            self.refused(code, *PSNR, *arguments, says=says, run=run)

    def test_files_that_cannot_be_opened(self):
        self.refuse_clip(255, "/no/such/clip.y4m", "/no/such/clip.y4m")
        self.refuse_clip(255, str(self.folder), "directory")
        self.refuse_clip(1, "", "clip is missing")

    def test_files_that_are_no_clips(self):
        self.refuse_clip(255, self.file("empty.y4m", ""), "empty")
        self.refuse_clip(255, self.file("noise.y4m", os.urandom(1000)), "not a YUV4MPEG2 clip")
        self.refuse_clip(255, self.file("cut.y4m", "YUV4MPEG2 W64 H48"), "cut off")

    def test_headers_that_are_wrong(self):
        for tags in ("H48 F25:1", "W64 F25:1", "W64 H48", "W0 H48 F25:1", "W-64 H48 F25:1", "W64 H48 F25", "Wx Hy F25:1",
                     "W99999999999999 H48 F25:1 Ip", "W64 H1000000 F25:1 Ip", "W64 H48 F25:1 It", "W64 H48 F25:1 Ib", "W64 H48 F25:1 Ip C421",
                     "W64 H48 F25:1 Ip C" + "4" * 100, "W64 H48 F25:1 Ip A1"):
            with self.subTest(tags=tags):
                self.refuse_clip(255, self.file("header.y4m", f"YUV4MPEG2 {tags}\n".encode() + b"FRAME\n" + frame(64, 48)), "clip")

    def test_headers_that_went_through_a_text_filter(self):
        self.refuse_clip(255, self.file("dos.y4m", b"YUV4MPEG2 W64 H48 F25:1 Ip C420\r\nFRAME\n" + frame(64, 48)), "CR LF")

    def peak(self, code, says, *command):
        """Peak memory in megabytes; the command must exit with this code and message."""
        environment = {**os.environ, "MALLOC_PERTURB_": "122"}  # writes to all allocated memory
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        errors = run.stderr.read()
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        run.stderr.close()
        self.assertEqual(run.returncode, code, errors)
        self.assertIn(says, errors)
        return usage.ru_maxrss / 1024

    def test_huge_sizes_ask_for_no_memory(self):
        """A header with a size that would need gigabytes, and a few bytes; also through pipes, whose length is unknown."""
        script = 'exec "$2" -r <(cat "$1") -d <(cat "$1") -n --feature psnr --feature ciede --threads 4'
        for chroma in ("420", "411", "422", "420paldv", "444alpha", "mono", "444p16"):
            clip = self.file(f"huge{chroma}.y4m", f"YUV4MPEG2 W32768 H32768 F25:1 Ip C{chroma}\nFRAME\nabc")
            with self.subTest(chroma=chroma):
                self.assertLess(self.peak(234, "no frame", VMAF, "-r", clip, "-d", clip), 100)
                self.assertLess(self.peak(234, "ends inside frame 0", "bash", "-c", script, "bash", clip, VMAF), 100)
        pairs = self.file("huge.txt", f"{clip} {clip}\n" * 8)
        self.assertLess(self.peak(2, "no frame", VMAF, "--list", pairs, "--jobs", "8"), 100)
        raw = ("-w", "32768", "-h", "32768", "-p", "420", "-b", "16")
        self.assertLess(self.peak(234, "no frame", VMAF, "-r", clip, "-d", clip, *raw), 100)
        self.assertLess(self.peak(234, "ends inside frame 0", "bash", "-c", script + ' "${@:3}"', "bash", clip, VMAF, *raw), 100)

    def test_clips_without_frames(self):
        empty = self.file("none.y4m", HEADER % (64, 48))
        self.refuse_clip(234, empty, "no frame")
        self.refused(234, *PSNR, "--frame_skip_ref", "100", says=["no frame", "skipped"])
        self.refused(234, *PSNR, "--frame_skip_dist", "100", says=["no frame", "skipped"])
        with open(os.devnull) as nothing:
            run = lambda *a, expect: self.vmaf("-r", self.ref, "-d", "-", "-w", "64", "-h", "48", "-p", "420", "-b", "8", *a, expect=expect, stdin=nothing)
            self.refused(234, *PSNR, run=run)
        document = json.loads(self.vmaf("-r", empty, "-d", empty, "-n", "--json", "-o", "-").stdout)
        self.assertEqual(document["frames"], [])

    def test_frames_that_are_cut_off(self):
        whole = HEADER % (64, 48) + b"FRAME\n" + frame(64, 48)
        for i, tail in enumerate((b"FRAME\n", b"FRAME\n" + frame(64, 48)[:-1], b"FRAME xyz", b"FRAMF\n" + frame(64, 48))):
            self.refuse_clip(234, self.file(f"tail{i}.y4m", whole + tail), "frame 1")
        self.assertEqual(self.vmaf("-r", self.file("stray.y4m", whole + b"FRAM"), "-d", self.dist, *PSNR).returncode, 0)

    def test_raw_clips_that_do_not_fit_their_geometry(self):
        raw = self.file("raw.yuv", frame(64, 48) * 2 + b"x")
        geometry = lambda w, h: ("-w", w, "-h", h, "-p", "420", "-b", "8")
        run = lambda g: lambda *a, expect: self.vmaf("-r", raw, "-d", raw, *g, *a, expect=expect)
        self.refused(234, *PSNR, says=["frame 2", "width"], run=run(geometry(64, 48)))
        self.refused(234, *PSNR, says="no frame", run=run(geometry(640, 480)))
        for w, h in ((40000, 48), (64, 4294967295), (-64, 48), (4294967295, 4294967295), (1 << 31, 1 << 31)):
            self.refused(255, *PSNR, says="is not supported", run=run(geometry(w, h)))

    def test_clips_that_differ(self):
        self.refuse_clip(255, self.clip("size.y4m", size="62x48"), "62x48")
        self.refuse_clip(255, self.clip("almost.y4m", size="63x47"), "63x47")
        self.refuse_clip(255, self.clip("format.y4m", form="444"), "4:4:4")
        self.refuse_clip(255, self.clip("depth.y4m", depth=10), "10")
        other = self.clip("other.y4m", size="62x48", form="444", depth=10)
        run = self.vmaf("-r", self.ref, "-d", other, *PSNR, expect=255)
        self.assertEqual(len(run.stderr.splitlines()), 4)
        self.assertIn("3 problems", run.stderr.splitlines()[-1])

    def test_pictures_too_small_for_a_metric(self):
        small = self.clip("small.y4m", size="7x7", frames=1)
        for feature in ("vif", "adm"):
            run = lambda *a, expect: self.vmaf("-r", small, "-d", small, *a, expect=expect)
            self.refused(255, "-n", "--feature", feature, says=feature, run=run)


class Threads(CommandTest):
    size, frames = "160x96", 9

    def test_documents_are_the_same_for_any_number_of_threads(self):
        features = ["--feature", "psnr=enable_apsnr=true", "--feature", "cambi", "--feature", "float_ssim"]
        self.ref, self.dist = self.clip("cambi_r.y4m", size="320x200"), self.clip("cambi_d.y4m", "dct:30", "320x200")
        for form in ("--xml", "--json", "--csv", "--sub"):
            wanted = without_fps(self.score(*features, form, "-o", "-", "--threads", "0").stdout)
            for threads in ("1", "2", "4", "auto") if form == "--json" else ("3",):
                self.assertEqual(without_fps(self.score(*features, form, "-o", "-", "--threads", threads).stdout), wanted)

    def test_a_bad_frame_ends_the_run_on_any_number_of_threads(self):
        cut = self.file("cut.y4m", read(self.dist)[:-100])
        for threads in ("0", "1", "4"):
            run = lambda *a, expect: self.vmaf("-r", self.ref, "-d", cut, *a, expect=expect)
            self.refused(234, *PSNR, "--feature", "vif", "--threads", threads, says="frame 8", run=run)


if __name__ == "__main__":
    unittest.main()
