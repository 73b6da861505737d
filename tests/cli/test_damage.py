"""Damage that a decoder reports is never scored, intact files always are; and only the named file is read.

VMAF_FLIPS sets how many bytes are changed per codec (.ci/full changes hundreds)."""
import os
import pathlib
import random
import subprocess
import unittest

from support import VMAF, read
from test_video import FEATURES, FFMPEG, VideoTest, ffmpeg

FLIPS = int(os.environ.get("VMAF_FLIPS", "3"))
X265 = "log-level=none:pools=1:frame-threads=1"
CODECS = {  # file: how it is made
    "ffv1.mkv": ("-c:v", "ffv1", "-level", "3", "-slices", "4", "-slicecrc", "1"),
    "mjpeg.avi": ("-c:v", "mjpeg", "-q:v", "4"),
    "dnxhd.mov": ("-vf", "scale=256:144,format=yuv422p", "-c:v", "dnxhd", "-profile:v", "dnxhr_hq"),
    "h264.mp4": ("-c:v", "libx264", "-bf", "2", "-g", "5"),
    "h264.mkv": ("-c:v", "libx264", "-threads", "1"),
    "h264.ts": ("-c:v", "libx264", "-bf", "2", "-g", "5"),
    "hevc.mp4": ("-c:v", "libx265", "-x265-params", X265),
    "hash.mkv": ("-c:v", "libx265", "-x265-params", X265 + ":hash=1"),
    "vp8.webm": ("-c:v", "libvpx", "-deadline", "realtime"),
    "vp9.webm": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"),
    "av1.mp4": ("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"),
    "prores.mov": ("-c:v", "prores_ks"),
    "mpeg2.ts": ("-r", "24", "-c:v", "mpeg2video", "-bf", "2", "-g", "6"),
    "mpeg4.avi": ("-c:v", "mpeg4", "-bf", "2"),
    "theora.ogv": ("-c:v", "libtheora"),
    "huffyuv.avi": ("-pix_fmt", "yuv422p", "-c:v", "huffyuv"),
    "jpeg2000.mkv": ("-c:v", "jpeg2000"),
    "png.mkv": ("-c:v", "png"),
}
if FLIPS > 20:  # too many for the gate
    CODECS |= {
        "hevc10.mkv": ("-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", X265),
        "fields.mkv": ("-c:v", "libx264", "-flags", "+ildct+ilme", "-x264-params", "tff=1"),
        "cavlc.flv": ("-c:v", "libx264", "-coder", "0", "-bf", "2"),
        "vp9hbd.mkv": ("-pix_fmt", "yuv422p10le", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"),
        "svtav1.mkv": ("-c:v", "libsvtav1", "-preset", "12"),
        "mpeg2.mpg": ("-r", "24", "-c:v", "mpeg2video"),
        "mpeg1.mpg": ("-r", "24", "-c:v", "mpeg1video"),
        "mpeg2.mxf": ("-r", "24", "-pix_fmt", "yuv422p", "-c:v", "mpeg2video", "-intra_vlc", "1"),
        "xvid.mp4": ("-c:v", "libxvid", "-bf", "2"),
        "flv1.flv": ("-c:v", "flv",),
        "wmv2.asf": ("-c:v", "wmv2",),
        "h263p.avi": ("-c:v", "h263p",),
        "utvideo.avi": ("-c:v", "utvideo",),
        "ffvhuff.avi": ("-c:v", "ffvhuff", "-context", "1"),
        "magicyuv.avi": ("-c:v", "magicyuv",),
        "ffv1old.avi": ("-c:v", "ffv1", "-level", "1"),
        "cfhd.mov": ("-pix_fmt", "yuv422p10le", "-c:v", "cfhd",),
        "prores444.mov": ("-pix_fmt", "yuv444p10le", "-c:v", "prores_ks"),
        "vc2.mkv": ("-pix_fmt", "yuv420p", "-c:v", "vc2",),
        "snow.avi": ("-strict", "-2", "-c:v", "snow",),
        "jpegls.avi": ("-pix_fmt", "gray", "-c:v", "jpegls"),
        "ljpeg.avi": ("-strict", "-1", "-c:v", "ljpeg"),
        "openjpeg.mov": ("-c:v", "libopenjpeg"),
        "tiff.mkv": ("-pix_fmt", "yuv420p", "-c:v", "tiff"),
        "qtrle.mov": ("-c:v", "qtrle"),
        "zmbv.avi": ("-pix_fmt", "bgr0", "-c:v", "zmbv"),
        "v210.mov": ("-c:v", "v210"),
        "raw.nut": ("-c:v", "rawvideo"),
        "asv2.avi": ("-c:v", "asv2"),
        "svq1.mov": ("-pix_fmt", "yuv410p", "-c:v", "svq1"),
        "gif.gif": ("-c:v", "gif"),
        "apng.apng": ("-c:v", "apng"),
    }
# A stream whose first packets were lost looks like one joined in the middle, which is scored with a warning.
LEFT_OUT, MAY_BEGIN_ANYWHERE = "it begins with pictures that depend on others", (".ts", ".mpg")
NEVER_SILENT = ("ffv1.mkv", "hash.mkv")  # every slice or picture has a checksum


def run_vmaf(ref, dist, *arguments):
    return subprocess.run([VMAF, "-r", ref, "-d", dist, "-n", "--feature", "psnr", *arguments], capture_output=True, text=True, timeout=600)


def decoded(path):
    """The frames that ffmpeg shows, one line each, and the complaints of its demuxer and decoder."""
    run = subprocess.run([FFMPEG, "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-f", "framemd5", "-fps_mode", "passthrough", "-"],
                         capture_output=True, text=True)
    complaints = [line for line in run.stderr.splitlines() if "[framemd5" not in line]
    return [line.split(",")[-1].strip() for line in run.stdout.splitlines() if not line.startswith("#")], complaints


class Flips(VideoTest):
    """Changed bytes."""
    size, frames = "96x64", 10

    def test_what_a_decoder_complains_of_is_not_scored(self):
        told = scored = 0
        for name, arguments in CODECS.items():
            whole = self.encode(name, *arguments)
            self.assertEqual(run_vmaf(whole, whole).returncode, 0, name)
            content, chance = read(whole), random.Random(name)
            good, complaints = decoded(whole)
            self.assertEqual(complaints, [], name)
            for i in range(FLIPS):
                data, at = bytearray(content), chance.randrange(len(content))
                data[at] ^= chance.randrange(1, 256)
                bad = self.file("flipped" + pathlib.Path(name).suffix, bytes(data))
                with self.subTest(name, at=at, value=data[at]):
                    run = run_vmaf(whole, bad, "--mismatch", "warn")
                    self.assertIn(run.returncode, (0, 234, 255), run.stderr)
                    frames, complaints = decoded(bad)
                    if complaints:
                        told += 1
                        if not (name.endswith(MAY_BEGIN_ANYWHERE) and LEFT_OUT in run.stderr):
                            self.assertNotEqual(run.returncode, 0, complaints)
                    if run.returncode:
                        self.assertIn("vmaf: ", run.stderr.splitlines()[-1])
                    else:
                        scored += 1
                    if name in NEVER_SILENT and frames != good:
                        self.assertNotEqual(run.returncode, 0, "other pictures were scored")
        self.assertGreater(told, scored // 4)
        if FLIPS > 20:
            print(f"{FLIPS * len(CODECS)} files: decoders reported damage in {told}, {scored} were scored")

    def test_what_only_a_parser_complains_of(self):
        """An invalid end of an AV1 frame header: wrong pictures, but no complaint of the decoder."""
        content, seen = read(self.encode("parsed.mkv", "-c:v", "libsvtav1", "-preset", "12")), 0
        at = content.index(b"\x1f\x43\xb6\x75") + len(content) // 3
        while seen < 2 and (at := content.find(b"\x1a", at + 1)) >= 0:  # the start of such a unit; its length and content follow
            last = at + 1 + content[at + 1] if at + 1 < len(content) else 0
            if not at + 1 < last < len(content) or not content[last]:
                continue
            data = bytearray(content)
            data[last] &= data[last] - 1
            bad = self.file("parsed_bad.mkv", bytes(data))
            if not any("trailing" in line for line in decoded(bad)[1]):
                continue
            seen += 1
            run = run_vmaf(self.path("parsed.mkv"), bad, "--mismatch", "warn")
            self.assertEqual(run.returncode, 234, run.stderr)
            self.assertIn("damaged", run.stderr)
        self.assertEqual(seen, 2)

    def test_every_run_on_a_damaged_file_ends_alike(self):
        whole = self.encode("again.mp4", *CODECS["h264.mp4"])
        content, seen = read(whole), 0
        for at in range(content.index(b"mdat") + 800, len(content), 97):
            data = bytearray(content)
            data[at:at + 8] = random.Random(at).randbytes(8)
            bad = self.file("again_bad.mp4", bytes(data))
            if seen == 3 or not decoded(bad)[1]:
                continue
            seen += 1
            codes = {run_vmaf(whole, bad).returncode for _ in range(5)}
            self.assertEqual(len(codes), 1, (at, codes))
            self.assertNotEqual(codes, {0})
        self.assertEqual(seen, 3)

    def test_files_that_were_cut_anywhere(self):
        for name in ("h264.mkv", "h264.mp4", "vp9.webm", "ffv1.mkv", "mpeg4.avi"):
            content = read(self.encode(name, *CODECS[name]))
            for part in (0.06, 0.12, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95):
                cut = self.file("cut" + pathlib.Path(name).suffix, content[:int(len(content) * part)])
                run = run_vmaf(self.path(name), cut)
                self.assertIn(run.returncode, (234, 255), (name, part, run.stderr))
                self.assertIn("cut" + pathlib.Path(name).suffix, run.stderr)


class Starts(VideoTest):
    """Streams that begin unusually, or are unusual inside: intact all the same, with as many frames as ffmpeg shows."""
    size, frames = "96x64", 48

    def sound(self, path, says="", may_lack_first=False):
        out = self.path("frames.csv")
        run = self.vmaf("-r", path, "-d", path, "-n", "--feature", "psnr", "--csv", "-o", out)
        frames, _ = decoded(path)
        self.assertEqual(len(pathlib.Path(out).read_text().splitlines()) - 1, len(frames), path)
        self.assertGreater(len(frames), 10)
        if says:
            self.assertIn(says, run.stderr)
        elif not may_lack_first:
            self.assertNotIn("cannot be decoded", run.stderr)

    def copied(self, name, source, *before):
        ffmpeg(*before, "-i", source, "-c", "copy", self.path(name))
        return self.path(name)

    def test_open_groups_of_pictures_that_were_cut_at_the_start(self):
        sources = {
            "264": ("-c:v", "libx264", "-bf", "3", "-g", "12", "-x264-params", "open-gop=1:scenecut=0"),
            "265": ("-c:v", "libx265", "-x265-params", X265 + ":open-gop=1:keyint=12:bframes=3:scenecut=0"),
            "mpeg2": ("-r", "24", "-c:v", "mpeg2video", "-bf", "2", "-g", "12"),
        }
        for codec, arguments in sources.items():
            whole = self.encode(f"open{codec}.mkv", *arguments)
            self.sound(whole)
            for suffix in ("mkv", "mp4"):
                self.sound(self.copied(f"cut{codec}.{suffix}", whole, "-ss", "1.1"), may_lack_first=True)

    def test_streams_that_were_joined_in_the_middle(self):
        whole = self.encode("join.ts", "-r", "24", "-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "3")
        content = read(whole)
        self.sound(self.file("joined.ts", content[188 * 61:]), says="begins with pictures that depend on others")

    def test_refreshed_row_by_row_and_joined_in_the_middle(self):
        whole = self.encode("refresh.ts", "-c:v", "libx264", "-g", "12", "-x264-params", "intra-refresh=1", "-b:v", "1M")
        content = read(whole)
        self.sound(whole)
        joined = self.file("refresh_joined.ts", content[188 * (len(content) // 188 // 3):])
        self.assertEqual(run_vmaf(joined, joined).returncode, 0)

    def test_a_first_picture_that_is_no_key_picture_any_more(self):
        """If the stream requires a key picture, or the container cannot be joined in the middle, it is damage."""
        mpeg2 = ("-r", "24", "-c:v", "mpeg2video", "-bf", "2", "-g", "12")
        for suffix in ("ts", "mpg", "m2v", "mkv", "mp4", "avi", "mxf"):
            whole = self.encode(f"first.{suffix}", *mpeg2, *(("-f", "mpeg2video") if suffix == "m2v" else ()))
            content = bytearray(read(whole))
            at = content.index(b"\0\0\1\0", content.index(b"\0\0\1\xb3")) + 5  # of the picture's header: bits 3 to 5 are its type
            self.assertEqual(content[at] >> 3 & 7, 1, suffix)
            content[at] ^= 0b11 << 3
            bad = self.file(f"first_bad.{suffix}", bytes(content))
            with self.subTest(suffix):
                self.assertEqual(run_vmaf(whole, whole).returncode, 0)
                run = run_vmaf(whole, bad, "--mismatch", "warn")
                self.assertIn(run.returncode, (234, 255), run.stderr)
                self.assertIn("damaged", run.stderr)
        for suffix, at_unit in (("h264", b"\0\0\1\x65"), ("ts", b"\0\0\1\x65")):
            whole = self.encode(f"first264.{suffix}", "-c:v", "libx264", "-g", "12")
            content = bytearray(read(whole))
            content[content.index(at_unit) + 3] = 0x61
            bad = self.file(f"first264_bad.{suffix}", bytes(content))
            with self.subTest("H.264 " + suffix):
                run = run_vmaf(whole, bad, "--mismatch", "warn")
                self.assertIn(run.returncode, (234, 255), run.stderr)

    def test_a_damaged_key_picture_after_which_open_ones_are_left_out(self):
        whole = self.encode("opened.mkv", "-c:v", "libx264", "-bf", "3", "-g", "12", "-x264-params", "open-gop=1:scenecut=0:slices=4")
        content = bytearray(read(self.copied("opened_cut.mkv", whole, "-ss", "1.1")))
        sound = self.file("opened_sound.mkv", bytes(content))
        self.assertEqual(run_vmaf(sound, sound).returncode, 0)
        first = content.index(b"\xa3", content.index(b"\x1f\x43\xb6\x75"))
        content[first + 400:first + 408] = bytes(8)
        bad = self.file("opened_bad.mkv", bytes(content))
        _, complaints = decoded(bad)
        self.assertTrue(complaints)
        run = run_vmaf(sound, bad, "--mismatch", "warn")
        self.assertIn(run.returncode, (234, 255), (run.stderr, complaints))

    def test_edit_lists_fields_hidden_frames_and_changing_rates(self):
        closed = self.encode("closed.mp4", "-c:v", "libx264", "-g", "12")
        self.sound(self.copied("edit.mp4", closed, "-ss", "0.7"))
        self.sound(self.encode("fields.mp4", "-vf", "setfield=tff", "-flags", "+ildct+ilme", "-c:v", "libx264", "-x264-params", "tff=1"))
        self.sound(self.encode("hidden.webm", "-c:v", "libvpx-vp9", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-cpu-used", "8", "-b:v", "100k"))
        self.sound(self.encode("rates.mkv", "-vf", "select='not(mod(n,3))+not(mod(n,5))'", "-fps_mode", "vfr", "-c:v", "libx264"))
        self.sound(self.encode("h261.avi", "-vf", "scale=176:144", "-c:v", "h261"))


class Changes(VideoTest):
    """Streams whose pictures change midway are refused, with any preparation."""
    frames = 6

    def joined(self, name, *parts):
        """H.264 streams one after another."""
        content = b""
        for i, arguments in enumerate(parts):
            content += read(self.encode(f"part{i}.h264", *arguments, "-c:v", "libx264", "-x264-params", "tff=1", "-flags", "+ildct+ilme"))
        return self.file(name, content)

    def test_with_and_without_deinterlacing(self):
        for name, first, second in (
                ("format.h264", ("-pix_fmt", "yuv420p"), ("-pix_fmt", "yuv444p")),
                ("depth.h264", ("-pix_fmt", "yuv420p"), ("-pix_fmt", "yuv420p10le")),
                ("deeper.h264", ("-pix_fmt", "yuv420p10le"), ("-pix_fmt", "yuv420p")),
                ("size.h264", ("-pix_fmt", "yuv420p"), ("-vf", "scale=80:48")),
                ("range.h264", ("-bsf:v", "h264_metadata=video_full_range_flag=0"), ("-bsf:v", "h264_metadata=video_full_range_flag=1"))):
            clip = self.joined(name, first, second)
            for more in ((), ("--deinterlace",)):
                with self.subTest(name, more=more):
                    self.refuse(clip, clip, "--pair", "index", "--mismatch", "warn", *more, says="other than the first", code=234)


    def test_mpeg2_whose_decoder_does_not_see_another_chroma(self):
        parts = [self.encode(f"part{form}.m2v", "-r", "24", "-pix_fmt", form, "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-f", "mpeg2video") for form in ("yuv420p", "yuv422p")]
        for name, order in (("less.m2v", parts), ("more.m2v", parts[::-1])):
            clip = self.file(name, read(order[0]) + read(order[1]))
            for more in ((), ("--deinterlace",)):
                with self.subTest(name, more=more):
                    self.refuse(clip, clip, "--pair", "index", "--mismatch", "warn", *more, says="with another chroma format", code=234)
        for part in parts:
            self.pair(part, part)


class OtherFiles(VideoTest):
    """Only the named file is read."""
    frames = 3

    def test_names_are_no_patterns(self):
        ffmpeg("-i", self.ref, self.path("picture%d.png"))
        self.refuse(self.path("picture1.png"), self.path("picture%d.png"), says="cannot open")
        os.link(self.path("picture2.png"), self.path("picture%d.png"))
        document, _ = self.pair(self.path("picture2.png"), self.path("picture%d.png"))
        self.assertEqual(len(document["frames"]), 1)
        self.assertGreater(document["frames"][0]["metrics"]["psnr_y"], 70)
        for name in ("picture[12].png", "picture*.png", "file:picture1.png", "concat:a.mp4|b.mp4", "subfile,,start,0,end,9,,:a.mp4", "data:video/mp4;base64,AA"):
            self.refuse(self.path("picture1.png"), name, says="cannot open")

    def test_lists_of_other_files_are_refused(self):
        self.encode("secret.mp4", "-c:v", "libx264")
        ffmpeg("-i", self.ref, "-c:v", "libx264", self.path("list.m3u8"))
        ffmpeg("-i", self.ref, "-c:v", "libx264", self.path("list.mpd"))
        self.file("list.ffconcat", "ffconcat version 1.0\nfile secret.mp4\n")
        self.file("disguised.mp4", "ffconcat version 1.0\nfile secret.mp4\n")
        self.file("disguised.mkv", read(self.path("list.m3u8")))
        for name in ("list.m3u8", "list.mpd", "list.ffconcat", "disguised.mp4"):
            self.refuse(self.path("secret.mp4"), self.path(name), says=[name, "is a list of other files", "give one of those files"])
        self.refuse(self.path("secret.mp4"), self.path("disguised.mkv"), says="disguised.mkv")  # since FFmpeg 7 simply a broken file

    def test_no_other_file_is_opened(self):
        if not subprocess.run(["sh", "-c", "command -v strace"], capture_output=True).stdout:
            self.skipTest("there is no strace")
        self.encode("secret.mp4", "-c:v", "libx264")
        self.file("list.ffconcat", "ffconcat version 1.0\nfile secret.mp4\n")
        log = self.path("trace")
        subprocess.run(["strace", "-f", "-e", "trace=open,openat,connect", "-o", log, VMAF, "-r", self.ref, "-d", self.path("list.ffconcat")], capture_output=True)
        text = pathlib.Path(log).read_text()
        self.assertIn("list.ffconcat", text)
        self.assertNotIn("secret", text)
        self.assertNotIn("connect(", text)


if __name__ == "__main__":
    unittest.main()
