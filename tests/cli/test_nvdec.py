"""NVIDIA's decoder, with a fake library: the frames of a file in order, and a message for every failure."""
import os
import pathlib
import subprocess
import unittest

from test_video import FFMPEG, VideoTest, ffmpeg


@unittest.skipUnless(FFMPEG and os.environ.get("NVDEC_FRAMES"), "there is no ffmpeg")
class Nvdec(VideoTest):
    frames, size = 24, "144x80"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.encode("file.mp4", "-c:v", "libx264", "-g", "8", "-bf", "3")

    def decode(self, path=None, fail="", size="144x80", most=-1, expect=2, library=True, decoders=1, crop="0x0"):
        env = dict(os.environ, FAKE_NVDEC_SIZE=size, FAKE_NVDEC_FAIL=fail, FAKE_NVDEC_CROP=crop)
        env["LD_LIBRARY_PATH"] = os.environ["FAKE_NVDEC"] if library else "/nonexistent"  # Meson sets it too
        run = subprocess.run([os.environ["NVDEC_FRAMES"], path or self.file, "144", "80", str(most), str(decoders)], capture_output=True, text=True, env=env)
        self.assertEqual(run.returncode, expect, run.stderr)
        return [tuple(map(int, line.split())) for line in run.stdout.splitlines()], run.stderr

    def test_frames_come_in_order(self):
        for name in ("file.mp4", "file.mkv", "file.ts"):
            path = self.file if name == "file.mp4" else self.encode(name, "-c:v", "libx264", "-g", "8", "-bf", "3")
            frames, said = self.decode(path, expect=0)
            self.assertEqual([f[0] for f in frames], list(range(self.frames)))
            times = [f[1] for f in frames]
            self.assertEqual(times, sorted(set(times)))
            self.assertEqual(said, "")

    def test_decoders_that_share_a_file(self):
        """One thread each; the last ones get no part. A failure of one does not hang the others."""
        for name in ("file.mp4", "one.mkv"):
            path = self.file if name == "file.mp4" else self.encode(name, "-c:v", "libx264", "-g", "1000")
            alone, _ = self.decode(path, expect=0)
            for decoders in (2, 3, 7):
                frames, said = self.decode(path, expect=0, decoders=decoders)
                self.assertEqual(([f[:2] for f in frames], said), ([f[:2] for f in alone], ""))
        for fail in ("create:1", "parse:11", "status:9", "display:24"):
            _, said = self.decode(fail=fail, decoders=3)
            self.assertIn(os.path.basename(self.file), said)
            self.assertEqual(said.count("\n"), 1)

    def test_what_is_cut_off_at_the_left_and_above(self):
        """Byte x of row y of the stand-in's surface is x + 3 y; chroma follows the coded rows, Cb and Cr interleaved."""
        samples = {}
        for x, y in ((0, 0), (6, 4), (2, 18)):
            frames, said = self.decode(crop=f"{x}x{y}", most=1, expect=0)
            coded_rows = (80 + y + 15) // 16 * 16
            chroma = x + 2 + 3 * (coded_rows + y // 2 + 1)
            wanted = x + 1 + 3 * (y + 1), chroma, chroma + 1
            samples[x, y] = [(got - right) % 256 for got, right in zip(frames[0][2:], wanted)]
        self.assertEqual(len({*map(tuple, samples.values())}), 1, samples)  # without the picture's own number
        self.assertEqual(len({*samples[0, 0]}), 1, samples)

    def with_film_grain(self, name):
        """H.264 with a message that describes film grain (H.274), which decoders add to all pictures."""
        bare = self.encode("bare.264", "-c:v", "libx264", "-g", "8", "-bf", "0", "-f", "h264")
        data = pathlib.Path(bare).read_bytes()
        fields = ((1, 0), (2, 0), (1, 0), (2, 0), (4, 2), (3, 4), (8, 0), (3, 0), (8, 0), (8, 255))  # one interval of luma
        bits = "".join(format(value, f"0{count}b") for count, value in fields) + "0000001111000" + "010" + "1"  # strength 60, for all pictures
        bits += "0" * (-len(bits) % 8)
        payload = int(bits, 2).to_bytes(len(bits) // 8, "big")
        message = b"\0\0\0\1\6\x13" + bytes([len(payload)]) + payload + b"\x80"
        picture = data.index(b"\0\0\1\x65")
        path, out = self.path("grainy.264"), self.path(name)
        pathlib.Path(path).write_bytes(data[:picture] + message + data[picture:])
        ffmpeg("-f", "h264", "-r", "24", "-i", path, "-c", "copy", out)
        sums = {subprocess.check_output(["ffmpeg", "-v", "error", *how, "-i", out, "-f", "md5", "-"]) for how in ((), ("-export_side_data", "film_grain"))}
        if len(sums) == 1: self.skipTest("this FFmpeg adds no film grain to H.264")
        return out

    def score_on_fakes(self, ref, *arguments, expect=0):
        """The command with CUDA, a fake driver and this decoder; scores are meaningless."""
        env = dict(os.environ, FAKE_NVDEC_SIZE="144x80", LD_LIBRARY_PATH=os.pathsep.join((os.environ["FAKE_NVDEC"], os.environ["FAKE_CUDA"])))
        run = subprocess.run([os.environ["VMAF_WITH_CUDA"], "-r", ref, "-d", ref, "-n", "--feature", "vif", "--backend", "cuda", "--csv", "-o", "-", *arguments],
                             capture_output=True, text=True, env=env, timeout=600)
        if "it does not decode h264 here" in run.stderr:
            self.skipTest("this FFmpeg decodes nothing on CUDA devices")
        self.assertEqual(run.returncode, expect, run.stderr)
        return run.stdout.count("\n") - 1, run.stderr

    def test_what_gpus_decode_otherwise_is_left_to_processors(self):
        """NVIDIA's parser does not report cropping, and software decoders crop less than files request; 12-bit chroma differs."""
        path = self.encode("cropped.mp4", "-c:v", "libx264", "-g", "8", "-bsf:v", "h264_metadata=crop_left=6:crop_top=4:crop_right=10:crop_bottom=8")
        _, said = self.score_on_fakes(path, "--hwaccel", "cuda", expect=255)
        self.assertIn("cropped at the left or top", said)
        frames, said = self.score_on_fakes(path, "--hwaccel", "auto")
        self.assertEqual(frames, self.frames)
        self.assertIn("is decoded by the processor", said)
        deep = self.encode("deep.mp4", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-pix_fmt", "yuv444p12le")
        _, said = self.score_on_fakes(deep, "--hwaccel", "cuda", expect=255)
        self.assertIn("4:4:4 above 10 bits", said)
        frames, said = self.score_on_fakes(deep, "--hwaccel", "auto")
        self.assertEqual(frames, self.frames)
        self.assertIn("is decoded by the processor: GPUs decode the chroma of HEVC 4:4:4", said)
        grainy = self.with_film_grain("grainy.mp4")
        _, said = self.score_on_fakes(grainy, "--hwaccel", "cuda", expect=255)
        self.assertIn("film grain is added by software decoders only", said)
        frames, said = self.score_on_fakes(grainy, "--hwaccel", "auto")
        self.assertEqual(frames, self.frames)
        self.assertIn("is decoded by the processor: its film grain", said)
        lossless = self.encode("lossless.mp4", "-c:v", "libx264", "-g", "8", "-qp", "0")
        _, said = self.score_on_fakes(lossless, "--hwaccel", "cuda", expect=255)
        self.assertIn("this GPU does not decode h264 of this profile, size, depth and chroma format", said)
        frames, said = self.score_on_fakes(lossless, "--hwaccel", "auto")
        self.assertEqual(frames, self.frames)
        self.assertIn("the processor does", said)
        below = self.encode("below.mp4", "-c:v", "libx264", "-g", "8")
        frames, said = self.score_on_fakes(below, "--hwaccel", "cuda")
        self.assertEqual(frames, self.frames)
        self.assertNotIn("processor", said)

    def test_it_stops_when_asked(self):
        frames, said = self.decode(most=3, expect=0)
        self.assertEqual(([f[0] for f in frames], said), ([0, 1, 2], ""))

    def test_failures_are_reported(self):
        name = os.path.basename(self.file)
        for fail, count, says in (("create:1", 0, "too little memory"), ("capabilities:1", 0, "does not take pictures of this size"),
                                  ("parser:1", 0, "cuvidCreateVideoParser failed"), ("parse:10", 8, "cuvidParseVideoData failed"),
                                  ("decode:12", 8, "cuvidDecodePicture failed"), ("map:5", 4, "frame 4 of"), ("status:11", 10, "frame 10 of"),
                                  ("display:7", 6, "frame 6 of"), ("display:24", 23, "frame 23 of")):
            with self.subTest(fail):
                frames, said = self.decode(fail=fail)
                self.assertEqual(len(frames), count)
                self.assertIn(says, said)
                self.assertIn(name, said)
                self.assertEqual(said.count("\n"), 1)

    def test_another_size_is_refused(self):
        _, said = self.decode(size="128x72")
        self.assertIn("is 128x72 nv12, other than the first", said)

    def test_without_the_library(self):
        _, said = self.decode(library=False)
        self.assertIn("libnvcuvid.so.1", said)


if __name__ == "__main__":
    unittest.main()
