"""Video files: the same scores as from decoded clips, and pairs that do not match. Uses the real ffmpeg."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest

from support import CLIPGEN, VMAF, CommandTest, read, without_fps

FFMPEG = shutil.which("ffmpeg")
FEATURES = ("-n", "--feature", "psnr", "--feature", "vif")
SIZE, RATE = "160x96", 24


def ffmpeg(*arguments):
    run = subprocess.run([FFMPEG, "-nostdin", "-v", "error", "-y", *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"ffmpeg {arguments}: {run.stderr}")


@unittest.skipUnless(FFMPEG, "there is no ffmpeg")
class VideoTest(CommandTest):
    size, frames = SIZE, 12

    @classmethod
    def path(cls, name):
        return str(cls.folder / name)

    @classmethod
    def encode(cls, name, *arguments, source=None):
        """A file of the folder, made by ffmpeg from a clip."""
        out = cls.path(name)
        ffmpeg("-i", source or cls.ref, *arguments, out)
        return out

    def pair(self, ref, dist, *arguments, expect=0):
        """The JSON document of two files, and the command's messages."""
        run = self.vmaf("-r", ref, "-d", dist, "--json", "-o", "-", *(arguments or FEATURES), expect=expect)
        if not run.stdout: return None, run.stderr
        document = json.loads(run.stdout)
        self.follows_schema(document)
        return document, run.stderr

    def refuse(self, ref, dist, *arguments, says=(), code=255):
        run = lambda *a, expect: self.vmaf("-r", ref, "-d", dist, *a, expect=expect)
        before = sorted(os.listdir(self.folder))
        out = self.path("refused.json")
        result = run("--json", "-o", out, *FEATURES, *arguments, expect=code)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        line = result.stderr.splitlines()[-1]
        self.assertTrue(line.startswith("vmaf: "), result.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, line)
        return line


class Equality(VideoTest):
    """A file scores like the clips that ffmpeg decodes from it, to the last digit."""
    frames = 5

    CODECS = {  # name: pixel formats, how the file is made
        "h264.mp4": (("yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le"), ("-c:v", "libx264", "-crf", "30", "-preset", "veryfast")),
        "hevc.mkv": (("yuv420p", "yuv420p10le", "yuv422p12le"), ("-c:v", "libx265", "-crf", "30", "-preset", "ultrafast", "-x265-params", "log-level=none:pools=1:frame-threads=1")),
        "av1.mkv": (("yuv420p", "yuv420p10le"), ("-c:v", "libaom-av1", "-crf", "40", "-cpu-used", "8", "-usage", "realtime", "-row-mt", "0")),
        "vp9.webm": (("yuv420p", "yuv444p", "yuv420p12le"), ("-c:v", "libvpx-vp9", "-crf", "40", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "8")),
        "prores.mov": (("yuv422p10le",), ("-c:v", "prores_ks")),
        "prores.mkv": (("yuv444p12le",), ("-c:v", "prores_ks", "-pix_fmt", "yuv444p10le")),  # decoded with 12 bits
        "ffv1.mkv": (("yuv420p", "yuv422p", "yuv444p", "yuv420p12le", "yuv422p16le", "gray"), ("-c:v", "ffv1")),
    }

    def decoded(self, path, pixel_format):
        """Raw frames and the options that describe them."""
        raw = path + ".yuv"
        ffmpeg("-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pixel_format, raw)
        digits = "".join(c for c in pixel_format.split("p", 1)[1] if c.isdigit()) if "p" in pixel_format else ""
        chroma = "400" if pixel_format == "gray" else pixel_format[3:6]
        w, h = SIZE.split("x")
        return raw, ("-w", w, "-h", h, "-p", chroma, "-b", digits or "8")

    def test_every_codec_format_and_depth(self):
        for name, (formats, arguments) in self.CODECS.items():
            for pixel_format in formats:
                with self.subTest(name, pixel_format=pixel_format):
                    ref = self.encode(f"ref_{pixel_format}.nut", "-c:v", "rawvideo", "-pix_fmt", pixel_format)
                    dist = self.encode(name, "-pix_fmt", pixel_format, *arguments, source=ref)
                    raw_ref, geometry = self.decoded(ref, pixel_format)
                    raw_dist, _ = self.decoded(dist, pixel_format)
                    wanted = json.loads(self.vmaf("-r", raw_ref, "-d", raw_dist, *geometry, *FEATURES, "--json", "-o", "-").stdout)
                    document, _ = self.pair(ref, dist)
                    self.assertEqual(document["frames"], wanted["frames"])
                    self.assertEqual(document["pooled_metrics"], wanted["pooled_metrics"])
                    self.assertEqual(len(document["frames"]), self.frames)
                    self.assertEqual(document["inputs"]["distorted"]["codec"], name.split(".")[0])
                    self.assertEqual(document["inputs"]["steps"], [])

    def test_the_default_model_and_y4m(self):
        clip = lambda name, *a: self.clip(name, *a, size="240x160", frames=4)
        ref, source = clip("big.y4m"), clip("source.y4m", "blur:1")
        dist = self.encode("big.mp4", "-c:v", "libx264", "-crf", "35", source=source)
        y4m = self.encode("decoded.y4m", "-fps_mode", "passthrough", source=dist)
        wanted = json.loads(self.vmaf("-r", ref, "-d", y4m, "--json", "-o", "-").stdout)
        for threads in ("0", "3"):
            document, _ = self.pair(ref, dist, "--threads", threads)
            self.assertEqual(document["frames"], wanted["frames"])
        # A clip from a pipe together with a file.
        with open(ref, "rb") as pipe:
            run = self.vmaf("-r", "-", "-d", dist, "--json", "-o", "-", stdin=pipe)
        self.assertEqual(json.loads(run.stdout)["frames"], wanted["frames"])
        script = '"$1" -r <(cat "$2") -d "$3" --json -o -'
        run = subprocess.run(["bash", "-c", script, "bash", VMAF, ref, dist], capture_output=True, text=True)
        self.assertEqual(json.loads(run.stdout)["frames"], wanted["frames"])
        self.assertNotIn("inputs", wanted)

    def test_a_run_ends_although_its_pipe_stays_open(self):
        dist = self.encode("open.mp4", "-c:v", "libx264")
        output, write = os.pipe()
        content = read(self.ref)
        os.write(write, content[:len(content) // 2])
        with os.fdopen(output, "rb") as pipe:
            self.vmaf("-r", "-", "-d", dist, *FEATURES, "--frame_cnt", "1", stdin=pipe)
        os.close(write)

    def test_encodes_that_share_a_decoded_reference(self):
        x264 = ("-c:v", "libx264", "-preset", "veryfast")
        ref = self.encode("master.mkv", "-c:v", "ffv1")
        encodes = [self.encode(f"crf{q}.mp4", *x264, "-crf", str(q)) for q in (20, 30, 40)]
        encodes.append(self.encode("short.mp4", *x264, "-frames:v", "5"))
        encodes.append(self.encode("half.mp4", *x264, "-vf", "scale=iw/2:ih/2"))
        encodes.append(self.encode("deep.mkv", "-c:v", "ffv1", "-pix_fmt", "yuv420p10le"))  # the reference becomes 10 bit for it
        damaged = self.path("damaged.mkv")
        with open(damaged, "wb") as file:
            file.write(read(encodes[-1])[:5000])
        lines = "".join(f"{ref}\t{path}\n" for path in [encodes[0], damaged, *encodes[1:]])
        several = [word for path in [encodes[0], damaged, *encodes[1:]] for word in ("-d", path)]
        for jobs in ((), ("--jobs", "3")):
            for way in (("-r", ref, *several), ("--list", self.file("shared.txt", lines))):
                out = self.folder / "shared"
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                self.vmaf(*way, "--json", "-o", out, *FEATURES, *jobs, expect=2)
                self.assertEqual(len(os.listdir(out)), len(encodes))
                for path in encodes:
                    self.vmaf("-r", ref, "-d", path, "--json", "-o", self.path("alone.json"), *FEATURES)
                    shared = out / (os.path.splitext(os.path.basename(path))[0] + ".json")
                    self.assertEqual(without_fps(shared.read_text()), without_fps(read(self.path("alone.json")).decode()))

    def test_odd_sizes(self):
        ref = self.encode("odd.mkv", "-c:v", "ffv1", source=self.clip("odd.y4m", size="161x97"))
        dist = self.encode("odd_d.mkv", "-c:v", "ffv1", source=self.clip("odd_d.y4m", "dct:40", size="161x97"))
        wanted = json.loads(self.vmaf("-r", self.path("odd.y4m"), "-d", self.path("odd_d.y4m"), *FEATURES, "--json", "-o", "-").stdout)
        self.assertEqual(self.pair(ref, dist)[0]["frames"], wanted["frames"])

    def test_range_of_frames(self):
        ref = self.encode("r.mkv", "-c:v", "ffv1")
        dist = self.encode("d.mkv", "-c:v", "ffv1", source=self.dist)
        for more in (("--frame_cnt", "2"), ("--frame_skip_ref", "2", "--frame_skip_dist", "2"), ("--subsample", "2")):
            wanted = json.loads(self.score(*FEATURES, *more, "--json", "-o", "-").stdout)
            self.assertEqual(self.pair(ref, dist, *FEATURES, *more)[0]["frames"], wanted["frames"])


class Preparation(VideoTest):
    """What is done to clips that differ, and how the document reports it."""

    def scores(self, ref, dist):
        return json.loads(self.vmaf("-r", ref, "-d", dist, *FEATURES, "--json", "-o", "-").stdout)["frames"]

    def prepared(self, dist, says, *arguments, ref=None):
        document, stderr = self.pair(ref or self.lossless, dist, *FEATURES, *arguments)
        self.assertIn(says, stderr)
        inputs = document["inputs"]
        self.assertTrue(any(says in text for text in inputs["steps"] + inputs["warnings"]), inputs)
        return document

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if FFMPEG:
            cls.lossless = cls.encode("ref.mkv", "-c:v", "ffv1")

    def test_black_bars_of_one_clip_are_cut(self):
        boxed = self.encode("boxed.mkv", "-vf", "pad=160:136:0:20:black", "-c:v", "ffv1")
        wanted = self.scores(self.ref, self.ref)
        document = self.prepared(self.lossless, "the reference clip is cropped to 160x96 at 0,20", "--crop", "auto", ref=boxed)
        self.assertEqual(document["frames"], wanted)
        document = self.prepared(boxed, "the distorted clip is cropped to 160x96 at 0,20", "--crop", "160:96:0:20")
        self.assertEqual(document["frames"], wanted)
        document, stderr = self.pair(boxed, boxed, *FEATURES, "--crop", "auto")  # bars that both clips have stay
        self.assertNotIn("cropped", stderr)
        self.assertEqual(document["inputs"]["scored_as"]["size"], "160x136")

    def test_bars_of_pictures_with_an_odd_side(self):
        source = self.clip("odd.y4m", size="161x96")
        plain = self.encode("odd.mkv", "-c:v", "ffv1", source=source)
        boxed = self.encode("odd_boxed.mkv", "-vf", "format=yuv444p,pad=161:136:0:20:black,format=yuv420p", "-c:v", "ffv1", source=source)
        self.prepared(boxed, "the distorted clip is cropped to 161x96 at 0,20", "--crop", "auto", ref=plain)

    def test_bars_are_cut_before_pictures_are_scaled(self):
        small = self.encode("small_boxed.mkv", "-vf", "pad=160:136:0:20:black,scale=80:68", "-c:v", "ffv1")
        self.refused(255, "-r", self.lossless, "-d", small, says="--crop auto", run=self.vmaf)
        steps = self.prepared(small, "the distorted clip is cropped to 80x48 at 0,10", "--crop", "auto")["inputs"]["steps"]
        self.assertEqual([step.split()[4] for step in steps], ["cropped", "scaled"])

    def test_impossible_crops_are_refused(self):
        for crop, says in (("160:97:0:0", "not inside"), ("80:48:81:0", "not inside"), ("80:48:1:0", "chroma")):
            self.refused(255, "-r", self.lossless, "-d", self.lossless, "--crop", crop, says=says, run=self.vmaf)
        for crop in ("", "1:2:3", "1:2:3:4:5", "0:2:0:0", "a:2:3:4", "-1:2:3:4", "AUTO"):
            self.refused(1, "-r", self.lossless, "-d", self.lossless, "--crop", crop, says="--crop", run=self.vmaf)

    def test_half_size_is_scaled_as_ffmpeg_scales(self):
        half = self.encode("half.mkv", "-vf", "scale=80:48", "-c:v", "ffv1")
        for scaler, flag in (("bicubic", "bicubic"), ("lanczos", "lanczos")):
            document = self.prepared(half, f"scaled from 80x48 to 160x96 ({scaler})", "--scaler", scaler)
            up = self.encode("up.y4m", "-vf", f"scale=160:96:flags={flag}+accurate_rnd+full_chroma_int", source=half)
            self.assertEqual(document["frames"], self.scores(self.ref, up))

    def test_depths_meet_at_the_deeper_one_by_a_shift(self):
        ten = self.encode("ten.mkv", "-pix_fmt", "yuv420p10le", "-c:v", "ffv1")
        document = self.prepared(ten, "converted from 8 to 10 bits")
        self.assertEqual(document["inputs"]["scored_as"]["bits"], 10)
        self.assertEqual(document["pooled_metrics"]["psnr_y"]["min"], 72)  # bit-identical pictures

    def test_chroma_formats_meet_at_the_finer_one(self):
        fine = self.encode("fine.mkv", "-pix_fmt", "yuv444p", "-c:v", "ffv1")
        document = self.prepared(fine, "converted from yuv420p to 4:4:4")
        self.assertEqual(document["inputs"]["scored_as"]["chroma"], "4:4:4")
        self.assertEqual(document["pooled_metrics"]["psnr_y"]["min"], 60)
        self.assertGreater(document["pooled_metrics"]["psnr_cb"]["min"], 35)

    def test_colourless_clips_and_rgb(self):
        grey = self.encode("grey.mkv", "-vf", "format=gray", "-c:v", "ffv1")
        document = self.prepared(grey, "filled with grey")
        self.assertGreater(document["pooled_metrics"]["psnr_y"]["min"], 55)
        rgb = self.encode("rgb.mkv", "-pix_fmt", "gbrp", "-c:v", "libx264rgb", "-qp", "0")
        document = self.prepared(rgb, "converted from gbrp to 4:4:4, 10 bit")
        yuv = self.encode("yuv.mkv", "-vf", "scale=flags=bicubic+accurate_rnd+full_chroma_int,format=yuv444p10le", "-c:v", "ffv1", source=rgb)
        self.assertEqual(document["frames"], self.pair(self.lossless, yuv)[0]["frames"])

    def test_full_range_is_converted_and_reported(self):
        full = self.encode("full.mkv", "-vf", "scale=out_range=full", "-color_range", "pc", "-c:v", "ffv1")
        document = self.prepared(full, "different colour ranges")
        self.assertGreater(document["pooled_metrics"]["psnr_y"]["min"], 50)
        ignored = self.prepared(full, "--range ignore", "--range", "ignore")
        self.assertLess(ignored["pooled_metrics"]["psnr_y"]["max"], 35)
        self.assertTrue(any("looks as if" in text for text in ignored["inputs"]["warnings"]))
        back = self.prepared(self.lossless, "limited to full range", ref=full)
        self.assertGreater(back["pooled_metrics"]["psnr_y"]["min"], 50)

    def test_a_wrong_flag_for_full_range_is_refused(self):
        flagged = self.encode("flagged.mkv", "-c:v", "libx264", "-crf", "18", "-bsf:v", "h264_metadata=video_full_range_flag=1")
        self.refuse(self.lossless, flagged, says=["flag is wrong", "--range ignore"])
        document = self.prepared(flagged, "--range ignore", "--range", "ignore")
        self.assertGreater(document["pooled_metrics"]["psnr_y"]["min"], 35)

    def test_pictures_are_turned_as_files_ask(self):
        upright = self.encode("upright.mov", "-vf", "transpose=cclock", "-c:v", "libx264", "-crf", "10", "-pix_fmt", "yuv422p")
        turned = self.path("turned.mov")
        try:
            ffmpeg("-display_rotation", "270", "-i", upright, "-c", "copy", turned)
        except RuntimeError:  # before FFmpeg 6
            ffmpeg("-i", upright, "-c", "copy", "-metadata:s:v", "rotate=270", turned)
        document = self.prepared(turned, "rotated by")
        self.assertGreater(document["pooled_metrics"]["psnr_y"]["min"], 40)
        self.assertEqual(document["inputs"]["distorted"]["size"], SIZE)

    def test_other_matrices_are_reported(self):
        tagged = [self.encode(f"{m}.mkv", "-c:v", "ffv1", "-colorspace", m, "-color_range", "tv") for m in ("bt709", "smpte170m")]
        document, stderr = self.pair(*tagged)
        self.assertIn("different colour matrices", stderr)
        document, stderr = self.pair(tagged[0], tagged[0])
        self.assertEqual(stderr, "")
        self.assertEqual(document["inputs"]["warnings"], [])

    def test_sample_aspects(self):
        narrow = self.encode("narrow.mkv", "-vf", "scale=120:96,setsar=4/3", "-c:v", "ffv1")
        self.prepared(narrow, "scaled from 120x96")
        wrong = self.encode("wrong.mkv", "-vf", "scale=120:96,setsar=1", "-c:v", "ffv1")
        self.refuse(self.lossless, wrong, says="different shapes")
        self.prepared(wrong, "different shapes", "--mismatch", "warn")

    def test_interlaced_clips(self):
        flagged = self.encode("fields.mkv", "-vf", "setfield=tff", "-c:v", "ffv1")
        self.prepared(flagged, "--deinterlace")
        document = self.prepared(flagged, "deinterlaced", "--deinterlace")
        self.assertEqual(len(document["frames"]), self.frames)
        same = self.encode("bwdif.y4m", "-vf", "bwdif=mode=send_frame", source=flagged)
        self.assertEqual(document["frames"], self.scores(self.ref, same))

    def test_film_grain_can_be_left_out(self):
        grain = self.encode("grain.mkv", "-c:v", "libsvtav1", "-preset", "12", "-crf", "30", "-svtav1-params", "film-grain=50:film-grain-denoise=0")
        kept, _ = self.pair(self.lossless, grain)
        dropped = self.prepared(grain, "without its film grain", "--film_grain", "drop")
        self.assertGreater(dropped["pooled_metrics"]["psnr_y"]["mean"], kept["pooled_metrics"]["psnr_y"]["mean"])

    def test_hardware_that_is_not_there(self):
        self.refuse(self.lossless, self.lossless, "--hwaccel", "nosuch", says=["--hwaccel nosuch", "cuda"])
        dist = self.encode("hw.mp4", "-c:v", "libx264")
        if not os.path.exists("/dev/nvidia0"):
            self.refuse(dist, dist, "--hwaccel", "cuda", says="--hwaccel cuda cannot be used")
        wanted, _ = self.pair(self.lossless, dist)
        self.assertEqual(self.pair(self.lossless, dist, *FEATURES, "--hwaccel", "auto")[0]["frames"], wanted["frames"])


class Pairing(VideoTest):
    """Late, missing, added and shifted frames."""
    frames = 30

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if FFMPEG:
            cls.lossless = cls.encode("ref.mkv", "-c:v", "ffv1")
            cls.coded = cls.encode("dist.mkv", "-c:v", "libx264", "-crf", "30")
            cls.wanted = json.loads(subprocess.check_output([VMAF, "-r", cls.lossless, "-d", cls.coded, *FEATURES, "--json", "-o", "-"], stderr=subprocess.DEVNULL))

    def changed(self, name, filters, *more):
        return self.encode(name, "-vf", filters, "-fps_mode", "passthrough", "-c:v", "libx264", "-crf", "10", *more)

    def good(self, document, pairs, at_least=35):
        self.assertEqual(len(document["frames"]), pairs)
        self.assertEqual(document["inputs"]["pairing"]["pairs"], pairs)
        self.assertGreater(document["pooled_metrics"]["psnr_y"]["min"], at_least)

    def test_a_start_offset_of_the_container_is_no_offset_of_the_pictures(self):
        late = self.path("late.mkv")
        ffmpeg("-itsoffset", "0.125", "-i", self.coded, "-c", "copy", late)
        document, stderr = self.pair(self.lossless, late)
        self.assertEqual(document["frames"], self.wanted["frames"])
        self.assertIn("starts at", stderr)
        ts = self.encode("dist.ts", "-c", "copy", source=self.coded)  # starts at about 1.4 s
        self.assertEqual(self.pair(self.lossless, ts)[0]["frames"], self.wanted["frames"])

    def test_three_frames_late_is_refused_or_corrected(self):
        late = self.changed("late3.mkv", "tpad=start=3:start_mode=clone")
        line = self.refuse(self.lossless, late, says=["3 frames", "late", "--align auto"])
        document, stderr = self.pair(self.lossless, late, *FEATURES, "--align", "auto")
        self.assertIn("3 frames (0.125 s) late, which is corrected", stderr)
        self.good(document, 30)
        self.assertEqual(document["inputs"]["pairing"]["offset"], 0.125)
        document, stderr = self.pair(self.lossless, late, *FEATURES, "--align", "3")
        self.good(document, 30)
        self.assertIn("3 frames (0.125 s) late, as --align asks", stderr)
        document, stderr = self.pair(self.lossless, late, *FEATURES, "--align", "none")
        self.assertIn("warning: the distorted clip is 3 frames", stderr)
        self.assertLess(document["pooled_metrics"]["psnr_y"]["mean"], 35)

    def test_early_frames_are_found_too(self):
        early = self.changed("early.mkv", "select=gte(n\\,5),setpts=PTS-STARTPTS")
        self.refuse(self.lossless, early, says=["5 frames", "early"])
        self.good(self.pair(self.lossless, early, *FEATURES, "--align", "auto")[0], 25)
        self.good(self.pair(self.lossless, early, *FEATURES, "--frame_skip_ref", "5")[0], 25)

    def test_no_offset_is_found_where_there_is_none(self):
        document, stderr = self.pair(self.lossless, self.coded, *FEATURES, "--align", "auto")
        self.assertEqual(document["frames"], self.wanted["frames"])
        self.assertIn("no offset", stderr)

    def test_missing_frames_are_skipped_or_repeated(self):
        gaps = self.changed("gaps.mkv", "select=not(eq(mod(n\\,10)\\,9))")
        document, stderr = self.pair(self.lossless, gaps)
        self.good(document, 27)
        self.assertEqual(document["inputs"]["pairing"]["reference_unpaired"], 2)
        self.assertIn("2 frames of the reference clip between the first and the last pair have no partner in the distorted clip and were left out", stderr)
        document, _ = self.pair(self.lossless, gaps, *FEATURES, "--missing", "repeat")
        self.assertEqual(len(document["frames"]), 29)
        self.assertEqual(document["inputs"]["pairing"]["repeated"], 2)

    def test_frames_missing_without_a_trace_in_the_times_are_refused(self):
        squeezed = self.changed("squeezed.mkv", "select=not(eq(n\\,6)),setpts=N/24/TB")
        self.refuse(self.lossless, squeezed, says="frame")

    def test_added_frames_are_left_out(self):
        gaps = self.encode("gaps_ref.mkv", "-vf", "select=not(eq(mod(n\\,10)\\,9))", "-fps_mode", "passthrough", "-c:v", "ffv1")
        document, stderr = self.pair(gaps, self.coded)
        self.good(document, 27, 30)
        self.assertIn("of the distorted clip", stderr)

    def test_duplicated_frames_are_reported(self):
        frozen = self.changed("frozen.mkv", "select=not(between(mod(n\\,10)\\,4\\,5)),fps=24")
        document, stderr = self.pair(self.lossless, frozen)
        self.assertIn("is frozen", stderr)
        self.assertGreater(document["inputs"]["pairing"]["frozen"], 3)

    def test_half_and_double_rates(self):
        half = self.changed("half.mp4", "fps=12")
        document, stderr = self.pair(self.lossless, half)
        self.good(document, 15)
        self.assertIn("24 frames per second, the distorted clip 12", stderr)
        self.good(self.pair(half, self.lossless)[0], 15)
        self.assertEqual(len(self.pair(self.lossless, half, *FEATURES, "--missing", "repeat")[0]["frames"]), 30)

    def test_stills_have_no_rate(self):
        still = self.encode("still.mp4", "-frames:v", "1", "-r", "7", "-c:v", "libx264")
        png, jpeg = (self.encode(name, "-frames:v", "1") for name in ("still.png", "still.jpg"))  # FFmpeg says 25, the clip has 24
        for ref, dist in ((self.lossless, still), (self.lossless, png), (png, self.lossless), (self.lossless, jpeg), (png, jpeg)):
            document, stderr = self.pair(ref, dist)
            self.assertEqual(len(document["frames"]), 1)
            self.assertNotIn("frames per second", stderr)

    def test_rates_without_common_times_are_refused(self):
        other = self.changed("other.mp4", "fps=30")
        self.refuse(self.lossless, other, says=["24", "30", "--pair index"])
        slow = self.encode("slow.mkv", "-vf", "setpts=N*1001/24000/TB", "-r", "24000/1001", "-c:v", "ffv1", source=self.coded)
        document, stderr = self.pair(self.lossless, slow)
        self.assertEqual(document["frames"], self.wanted["frames"])
        self.assertIn("they drift apart", stderr)
        retimed = self.encode("retimed.mkv", "-vf", "setpts=N/30/TB", "-r", "30", "-c:v", "ffv1", source=self.coded)
        self.refuse(self.lossless, retimed, says="--pair index")
        document, _ = self.pair(self.lossless, retimed, *FEATURES, "--pair", "index")
        self.assertEqual(document["frames"], self.wanted["frames"])

    def test_variable_rates(self):
        variable = "select=not(eq(mod(n\\,5)\\,1)+eq(mod(n\\,7)\\,3))"
        a = self.encode("vfr_a.mkv", "-vf", variable, "-fps_mode", "passthrough", "-c:v", "ffv1")
        b = self.changed("vfr_b.mp4", variable)
        document, _ = self.pair(a, b)
        self.good(document, len(document["frames"]))
        self.assertEqual(document["inputs"]["pairing"]["reference_unpaired"], 0)
        self.good(self.pair(self.lossless, b)[0], len(document["frames"]))

    def test_lengths(self):
        short = self.changed("short.mkv", "trim=end_frame=20")
        document, stderr = self.pair(self.lossless, short)
        self.good(document, 20)
        self.assertIn("ended before", stderr)
        self.refuse(self.lossless, short, "--strict_length", says="--strict_length")

    def test_a_guess_about_an_offset_is_a_warning(self):
        scene = self.path("zoom.mkv")
        ffmpeg("-f", "lavfi", "-i", "mandelbrot=s=320x180:r=24", "-frames:v", "30", "-pix_fmt", "yuv420p", "-c:v", "ffv1", scene)
        coarse = self.encode("coarse.mkv", "-vf", "tpad=start=1:start_mode=clone", "-c:v", "libx264", "-crf", "36", source=scene)
        document, stderr = self.pair(scene, coarse)
        self.assertIn("may be 1 frame", stderr)
        self.assertIn("1 frame (0.042 s) late, which is corrected", self.pair(scene, coarse, *FEATURES, "--align", "auto")[1])

    def test_other_pictures_are_refused(self):
        other = self.encode("other.mkv", "-c:v", "ffv1", source=self.clip("other.y4m", scene="checker"))
        self.refuse(self.lossless, other, says="do not show the same pictures")


class BadFiles(VideoTest):
    """Damaged files and files that are not videos: a message, a documented code, no leftovers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if FFMPEG:
            cls.mp4 = cls.encode("dist.mp4", "-c:v", "libx264", "-preset", "veryfast", "-crf", "30", "-movflags", "+faststart")
            cls.mkv = cls.encode("dist.mkv", "-c:v", "libx264", "-preset", "veryfast", "-crf", "30")

    def test_files_that_are_no_videos(self):
        for name, content in (("noise.bin", random.Random(1).randbytes(5000)), ("text.txt", "hello\n" * 50), ("short.mp4", b"\0\0\0\x18ftyp"), ("zeros.mkv", bytes(4000))):
            path = self.file(name, content)
            self.refuse(self.ref, path, says=name)
            self.refuse(path, self.ref, says=name)

    def test_empty_files_and_pipes(self):
        for name in ("empty.mp4", "empty.y4m"):
            for pair in ((self.mkv, self.file(name, "")), (self.file(name, ""), self.mkv)):
                self.refuse(*pair, says=f"{name}' is empty")
        run = self.vmaf("-r", self.mkv, "-d", "-", stdin=subprocess.DEVNULL, expect=255)
        self.assertIn("standard input is empty", run.stderr)

    def test_what_is_no_file(self):
        self.refuse(self.mkv, str(self.folder), says="directory")
        self.refuse(self.mkv, self.file("clip.yuv", bytes(1000)), says="is raw video, which states no size")
        self.refuse(self.mkv, "http://localhost/clip.mp4", says="only local files")
        self.refuse(self.mkv, "/no/such/clip.mp4", says="cannot open '/no/such/clip.mp4'")
        for arguments, says in (([], "not a YUV4MPEG2 clip"), (["--align", "auto"], "twice")):
            source = self.mp4 if not arguments else self.ref
            run = subprocess.run(["bash", "-c", 'exec "$0" -r "$1" -d <(cat "$2") "${@:3}"', VMAF, self.mkv, source, *arguments],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 255)
            self.assertIn(says, run.stderr)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "needs /proc")
    def test_a_file_that_is_changed_while_it_is_read(self):
        self.check_changes_while_read(self.mkv, self.ref)

    def test_sound_alone(self):
        ffmpeg("-f", "lavfi", "-i", "sine=duration=0.2", self.path("sound.wav"))
        self.refuse(self.ref, self.path("sound.wav"), says="no video stream")

    def test_no_frames(self):
        empty = self.path("none.mkv")
        ffmpeg("-i", self.mkv, "-c", "copy", "-frames:v", "0", empty)
        self.refuse(self.ref, empty, says="none.mkv")

    def test_animated_webp(self):
        encoders = subprocess.run([FFMPEG, "-v", "error", "-encoders"], capture_output=True, text=True).stdout
        if "libwebp_anim" not in encoders:
            self.skipTest("this ffmpeg does not write WebP")
        animated = self.encode("animated.webp", "-c:v", "libwebp_anim")
        run = self.vmaf("-r", self.ref, "-d", animated, *FEATURES, expect=None)
        if run.returncode:
            self.assertIn("animated WebP", run.stderr)  # newer versions of FFmpeg may decode it
        still = self.encode("still.webp", "-c:v", "libwebp", "-frames:v", "1")
        self.pair(self.ref, still)

    def test_pixel_formats_that_are_no_pictures(self):
        floats = self.encode("floats.exr", "-frames:v", "1", "-pix_fmt", "gbrpf32le")
        self.refuse(self.ref, floats, says=("floats.exr", "gbrpf32le"))

    def test_unknown_codecs(self):
        content = read(self.mkv)
        self.assertIn(b"V_MPEG4/ISO/AVC", content)
        unknown = self.file("unknown.mkv", content.replace(b"V_MPEG4/ISO/AVC", b"V_MPEG9/ISO/XYZ"))
        self.refuse(self.ref, unknown, says="unknown.mkv")

    def test_cut_off_files(self):
        for source in (self.mp4, self.mkv):
            content = read(source)
            for part in (0.3, 0.6, 0.9):
                cut = self.file("cut" + pathlib.Path(source).suffix, content[:int(len(content) * part)])
                for pair in ((self.ref, cut), (cut, self.ref)):
                    run = subprocess.run([VMAF, "-r", pair[0], "-d", pair[1], *FEATURES], capture_output=True, text=True)
                    self.assertIn(run.returncode, (234, 255), run.stderr)
                    self.assertIn("cut" + pathlib.Path(source).suffix, run.stderr)

    def test_the_video_stream_that_ffmpeg_takes(self):
        x264 = ("-map", "0", "-map", "0", "-c:v", "libx264", "-preset", "veryfast", "-crf", "30")
        for name, flags, used in (("two.mkv", ("-disposition:v", "default"), 2), ("two.ts", (), 2),
                                  ("first.mkv", ("-disposition:v:0", "default", "-disposition:v:1", "0"), 1),
                                  ("cover.mp4", ("-frames:v:1", "1"), 1)):
            size = ("-filter:v:1", "scale=640:384") if name == "cover.mp4" else ("-filter:v:0", "scale=80:48")
            two = self.encode(name, *x264, *size, *flags)
            document, stderr = self.pair(self.mkv, two)
            self.assertIn(f"the distorted clip has 2 video streams; number {used} of them is used", stderr)
            self.assertEqual(document["inputs"]["distorted"]["size"], SIZE if name == "cover.mp4" or used == 2 else "80x48")

    def test_joined_transport_streams(self):
        once = read(self.encode("once.ts", "-c:v", "libx264", "-preset", "veryfast"))
        self.refuse(self.ref, self.file("joined.ts", once + once), code=234, says="lost packets, as where files were joined")

    def test_sizes_that_change(self):
        other = self.encode("small.h264", "-vf", "scale=80:48", "-c:v", "libx264", source=self.ref)
        first = self.encode("first.h264", "-c:v", "libx264", source=self.ref)
        both = self.file("both.h264", read(first) + read(other))
        self.refuse(self.ref, both, "--pair", "index", "--mismatch", "warn", says="other than the first", code=234)

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_the_command_does_not_link_ffmpeg(self):
        needed = subprocess.check_output(["readelf", "-d", VMAF], text=True)
        self.assertIn("NEEDED", needed)
        self.assertNotRegex(needed, "libav|libsw")

    def test_the_module_can_be_missing(self):
        run = subprocess.run([VMAF, "-r", self.ref, "-d", self.mp4], capture_output=True, text=True, env={**os.environ, "VMAF_LIBAV_MODULE": "/no/such/module.so"})
        self.assertEqual(run.returncode, 255)
        self.assertIn("YUV4MPEG2 and raw", run.stderr)

    def test_options_of_video_files_are_refused_for_others(self):
        self.refused(1, *FEATURES, "--align", "auto", says="--align")
        for option, value in (("--align", "soon"), ("--pair", "up"), ("--scaler", "best"), ("--range", "x"), ("--film_grain", "x"), ("--mismatch", "x"), ("--missing", "x")):
            self.refused(1, option, value, says=option)

    def test_hostile_mutations(self):
        chance = random.Random(20240607)
        codes = {}
        for source in (self.mp4, self.mkv):
            content = read(source)
            for i in range(50):
                data = bytearray(content)
                for _ in range(chance.choice((1, 3, 10, 40))):
                    kind, at = chance.randrange(4), chance.randrange(len(data))
                    if kind == 0:
                        data[at] ^= 1 << chance.randrange(8)
                    elif kind == 1:
                        data[at:at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0"))
                    elif kind == 2:
                        del data[at:at + chance.randrange(1, 64)]
                    else:
                        data[at:at] = chance.randbytes(chance.randrange(1, 16))
                    if i % 3 == 0:  # headers are the most vulnerable
                        data[chance.randrange(min(900, len(data)))] = chance.randrange(256)
                bad = self.file("bad" + pathlib.Path(source).suffix, bytes(data))
                out = self.folder / "bad.json"
                run = subprocess.run([VMAF, "-r", self.ref, "-d", bad, "-n", "--feature", "psnr", "--json", "-o", out], capture_output=True, text=True, timeout=600)
                self.assertIn(run.returncode, (0, 234, 255), (i, run.stderr))
                if run.returncode:
                    self.assertTrue(run.stderr.splitlines()[-1].startswith("vmaf: "), run.stderr)
                    self.assertFalse(out.exists())
                else:
                    json.loads(out.read_text())
                    out.unlink()
                codes[run.returncode] = codes.get(run.returncode, 0) + 1
        self.assertGreater(len(codes), 1, codes)


class DeviceFrames(VideoTest):
    """Frames on the host device, compared with those of host decoding."""
    def frames_of(self, device, ref, dist=None, decoders=3, expect=0, mode="frames"):
        run = subprocess.run([os.environ["VIDEO_BENCH"], mode, device, ref, dist or ref, str(decoders)], capture_output=True, text=True,
                             env=dict(os.environ, VMAF_LIBAV_MODULE=str(pathlib.Path(VMAF).parent / "libvmaf-libav.so")))
        self.assertEqual(run.returncode, expect, run.stderr)
        return run.stdout, run.stderr

    def compare(self, path, dist=None, **how):
        plain, _ = self.frames_of("none", path, dist)
        parts, said = self.frames_of("host32", path, dist, **how)
        self.assertEqual(parts, plain)
        self.assertGreater(plain.count("\n"), 20)
        again, _ = self.frames_of("host32", path, dist, mode="kept", **how)
        self.assertEqual(again, plain)
        return said

    def joined_sizes(self):
        """A file whose picture size changes after the first frames."""
        first = self.encode("first.264", "-c:v", "libx264", "-g", "8", "-bf", "0", "-f", "h264")
        second = self.encode("second.264", "-vf", "scale=96:64", "-c:v", "libx264", "-g", "8", "-bf", "0", "-f", "h264")
        path, joined = self.path("joined.264"), self.path("joined.mkv")
        pathlib.Path(path).write_bytes(pathlib.Path(first).read_bytes() + pathlib.Path(second).read_bytes())
        ffmpeg("-f", "h264", "-r", RATE, "-i", path, "-c", "copy", joined)
        return joined


class Uploads(DeviceFrames):
    """Software decoding into memory that a device copies from: the same frames as host decoding. Uses the host device."""
    frames, size = 24, "144x80"
    FFV1 = ("-c:v", "ffv1", "-pix_fmt")
    FILES = {  # name: how it is made; the message for files that cannot be decoded this way
        "plain.mp4": (("-c:v", "libx264", "-g", "8", "-bf", "3"), ""),
        "open.mp4": (("-c:v", "libx264", "-g", "8", "-bf", "3", "-x264-params", "open-gop=1"), ""),
        "deep.mkv": (("-pix_fmt", "yuv422p10le", "-c:v", "libx264", "-g", "8"), ""),
        "high444.mkv": (("-pix_fmt", "yuv444p", "-c:v", "libx264", "-g", "8"), ""),
        "hevc.mp4": (("-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p12le", "-x265-params", "log-level=none"), ""),
        "odd.mkv": (("-vf", "scale=143:79", *FFV1, "yuv420p"), ""),
        "odd_deep.mkv": (("-vf", "scale=141:77", *FFV1, "yuv422p10le"), ""),
        "odd_444.mkv": (("-vf", "scale=37:33", *FFV1, "yuv444p16le"), ""),
        "grey.mkv": ((*FFV1, "gray"), ""),
        "alpha.mkv": ((*FFV1, "yuva420p"), ""),
        "vp9.webm": (("-vf", "scale=143:79", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"), ""),
        "mpeg2.mpg": (("-c:v", "mpeg2video", "-g", "8", "-bf", "2"), ""),
        "mjpeg.avi": (("-c:v", "mjpeg", "-pix_fmt", "yuvj420p"), ""),
        "utvideo.avi": (("-c:v", "utvideo", "-pix_fmt", "yuv420p"), ""),
        "cropped.mp4": (("-c:v", "libx264", "-bsf:v", "h264_metadata=crop_left=6:crop_top=4:crop_right=10:crop_bottom=8"), ""),
        "times.mkv": (("-c:v", "libx264", "-g", "8", "-vf", "select='not(eq(mod(n,9),3))'", "-fps_mode", "vfr"), ""),
        "av1.mkv": (("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "8"), "which has memory of its own"),
        "rgb.mkv": ((*FFV1, "gbrp"), "has pixel format bgr0"),
    }

    def compare(self, path, dist=None):
        return super().compare(path, dist, decoders="upload")

    def test_the_same_frames(self):
        for name, (arguments, why) in self.FILES.items():
            with self.subTest(name):
                said = self.compare(self.encode(name, *arguments))
                self.assertIn(why, said)
                self.assertEqual("through the host's memory" in said, bool(why), said)

    def test_what_is_converted_on_the_device(self):
        shallow = self.encode("shallow.mkv", *self.FFV1, "yuv420p")
        deep = self.encode("ten.mkv", *self.FFV1, "yuv420p10le")
        full = self.encode("full.mkv", "-vf", "scale=out_range=full", *self.FFV1, "yuv420p", "-color_range", "pc")
        limited = self.encode("limited.mkv", "-vf", "scale=out_range=limited", *self.FFV1, "yuv420p", "-color_range", "tv")
        for ref, dist in ((shallow, deep), (deep, shallow), (limited, full), (full, limited)):
            self.assertNotIn("through the host's memory", self.compare(ref, dist))

    def test_what_is_not(self):
        whole = self.encode("whole.mkv", *self.FFV1, "yuv420p")
        half = self.encode("half.mkv", "-vf", "scale=72:40", *self.FFV1, "yuv420p")
        finer = self.encode("finer.mkv", *self.FFV1, "yuv444p")
        self.assertIn("the distorted clip is scaled", self.compare(whole, half))
        self.assertIn("the reference clip is converted to 4:4:4", self.compare(whole, finer))

    def test_one_clip_that_is_not(self):
        """Both end on the device all the same."""
        own, other = self.encode("own.mkv", *self.FFV1, "yuv420p"), self.encode("other.mkv", *self.FILES["av1.mkv"][0])
        for ref, dist in ((own, other), (other, own)):
            self.assertIn("which has memory of its own", self.compare(ref, dist))

    def test_errors_have_the_same_messages(self):
        good = self.encode("good.mkv", "-c:v", "libx264", "-g", "8", "-bf", "0", "-crf", "10", "-threads", "1")
        data = pathlib.Path(good).read_bytes()
        bad, cut = self.path("bad.mkv"), self.path("cut.mkv")
        middle = len(data) // 2
        pathlib.Path(bad).write_bytes(data[:middle] + bytes(255 - b for b in data[middle:middle + 400]) + data[middle + 400:])
        pathlib.Path(cut).write_bytes(data[:len(data) * 2 // 3])
        for path in (bad, cut):
            _, plain = self.frames_of("none", good, path, expect=2)
            frames, said = self.frames_of("host32", good, path, expect=2, decoders="upload")
            self.assertIn("damaged", plain)
            self.assertIn("damaged", said)

    def test_a_size_that_changes(self):
        joined = self.joined_sizes()
        for device in ("none", "host32"):
            _, said = self.frames_of(device, joined, expect=2, decoders="upload" if device != "none" else 1)
            self.assertIn(f"frame {self.frames} of '{joined}' is 96x64", said)


class Parts(DeviceFrames):
    """Frames that stay on a device, decoded in parts that start at key frames: the same as in host decoding, in order. Uses
    the host device with software decoders."""
    frames, size = 40, "144x80"
    X265 = "log-level=none:pools=1:frame-threads=1:keyint=8:min-keyint=8:scenecut=0"
    FILES = {  # name: how it is made; whether it can be cut everywhere
        "plain.mp4": (("-c:v", "libx264", "-g", "8", "-bf", "3"), True),
        "plain.mkv": (("-c:v", "libx264", "-g", "8", "-bf", "0"), True),
        "plain.ts": (("-c:v", "libx264", "-g", "8", "-bf", "2"), True),
        "open.mp4": (("-c:v", "libx264", "-g", "8", "-bf", "3", "-x264-params", "open-gop=1"), True),
        "one.mp4": (("-c:v", "libx264", "-g", "1000"), True),
        "deep.mkv": (("-pix_fmt", "yuv422p10le", "-c:v", "libx264", "-g", "8"), True),
        "hevc.mp4": (("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", X265 + ":open-gop=0"), True),
        "open_hevc.mp4": (("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", X265 + ":open-gop=1"), True),
        "av1.mkv": (("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "8", "-row-mt", "0"), True),
        "vp9.webm": (("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"), True),
        "ffv1.mkv": (("-c:v", "ffv1"), False),
        "mpeg2.mpg": (("-c:v", "mpeg2video", "-g", "8", "-bf", "2"), False),
        # times off the regular grid, and an edit list that skips the first frames
        "times.mkv": (("-c:v", "libx264", "-g", "8", "-vf", "select='not(eq(mod(n,5),3))'", "-fps_mode", "vfr"), True),
    }

    def test_the_same_frames(self):
        for name, (arguments, is_cut) in self.FILES.items():
            with self.subTest(name):
                said = self.compare(self.encode(name, *arguments))
                self.assertEqual("in one piece" not in said, is_cut, said)

    def test_edit_lists_are_decoded_in_one_piece(self):
        whole = self.encode("whole.mp4", "-c:v", "libx264", "-g", "8")
        cut = self.path("edited.mp4")
        ffmpeg("-ss", "0.2", "-i", whole, "-c", "copy", cut)
        self.assertIn("in one piece", self.compare(cut))

    def test_any_number_of_decoders(self):
        path = self.encode("number.mp4", "-c:v", "libx264", "-g", "8")
        for decoders in (1, 2, 9):
            self.compare(path, decoders=decoders)

    def test_damage_shows_where_it_is(self):
        path = self.encode("good.mp4", "-c:v", "libx264", "-g", "8", "-bf", "0", "-crf", "10")
        data = pathlib.Path(path).read_bytes()
        bad = self.path("bad.mp4")
        middle = data.index(b"mdat") + (data.index(b"moov") - data.index(b"mdat")) // 2
        pathlib.Path(bad).write_bytes(data[:middle] + bytes(255 - b for b in data[middle:middle + 2000]) + data[middle + 2000:])
        _, plain = self.frames_of("none", path, bad, expect=2)
        frames, said = self.frames_of("host32", path, bad, expect=2)
        self.assertIn("bad.mp4' is damaged", plain)
        self.assertRegex(said, "bad.mp4' is damaged|of '.*bad.mp4' (is damaged|cannot be decoded|is missing)")
        good, _ = self.frames_of("none", path)
        self.assertTrue(frames)
        for line in frames.splitlines():  # frames before the damage are correct
            self.assertIn(line.split()[1], good)

    def test_a_cut_off_file(self):
        path = self.encode("cut.mkv", "-c:v", "libx264", "-g", "8", "-crf", "10")
        data = pathlib.Path(path).read_bytes()
        pathlib.Path(path).write_bytes(data[:len(data) * 2 // 3])
        _, plain = self.frames_of("none", path, expect=2)
        _, said = self.frames_of("host32", path, expect=2)
        self.assertIn("damaged or cut off", plain)
        self.assertIn("damaged or cut off", said)

    def test_a_size_that_changes(self):
        joined = self.joined_sizes()
        for device in ("none", "host32"):
            _, said = self.frames_of(device, joined, expect=2)
            self.assertIn(f"frame {self.frames} of '{joined}' is 96x64", said)


if __name__ == "__main__":
    unittest.main()
