"""References that `vmaf --serve` keeps on the device between requests: a build with CUDA and a driver that runs no kernels, but
counts what is uploaded. tests/cli/test_video.py compares the frames themselves, on the host device."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from support import CommandTest, without_fps
from test_serve import Server

FAKE = os.path.dirname(os.path.abspath(os.environ["FAKE_CUDA"]))
VIF = ("-n", "--feature", "vif", "--no_sycl", "--no_hip", "--no_metal", "--backend", "cuda", "--pair", "index", "-q")


class KeptServer(Server):
    """With the fake driver; `uploaded` is known when it has ended."""

    def __init__(self, folder, **variables):
        self.log = folder / "calls"
        self.log.unlink(missing_ok=True)
        super().__init__(env={**os.environ, "LD_LIBRARY_PATH": FAKE, "FAKE_CUDA_LOG": str(self.log), **variables})

    def read_so_far(self):
        """Bytes that the process has read from files."""
        text = pathlib.Path(f"/proc/{self.process.pid}/io").read_text()
        return int(text.split("rchar: ")[1].split()[0])

    def calls(self):
        return {name: int(count) for name, count in map(str.split, self.log.read_text().splitlines())}


@unittest.skipUnless(shutil.which("ffmpeg") and os.environ.get("VMAF_LIBAV_MODULE"), "there is no ffmpeg")
class Kept(CommandTest):
    size, frames = "320x192", 40
    luma = 40 * 320 * 192

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.raw = cls.ref
        cls.encodes = [cls.encode(cls.dist, f"{crf}.mp4", "-crf", str(crf)) for crf in (30, 36, 42)]
        cls.ref = cls.encode(cls.ref, "ref.mkv", "-crf", "1")  # much larger than the encodes

    @classmethod
    def encode(cls, source, name, *how):
        out = str(cls.folder / name)
        subprocess.check_call(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source, "-c:v", "libx264", "-g", "10", *how, out])
        return out

    def server(self, **variables):
        server = KeptServer(self.folder, **variables)
        self.addCleanup(lambda: server.process.poll() is None and (server.process.kill(), server.end()))
        return server

    def ask(self, server, distorted, *more, reference=None, keep=True, expect=0):
        """The document of a request, without its speed, and the bytes that it read from files."""
        out = self.folder / "served.json"
        out.unlink(missing_ok=True)
        before = server.read_so_far()
        answer, _ = server.ask("-r", reference or self.ref, "-d", distorted, *VIF, "--json", "-o", out, *more,
                               **({"keep_reference": True} if keep else {}))
        self.assertEqual(answer.get("exit_code"), expect, answer)
        self.answer = answer
        return without_fps(out.read_text()) if out.exists() else None, server.read_so_far() - before

    def ended(self, server):
        """What it called and uploaded. Everything that it allocated is released."""
        code, errors = server.end()
        self.assertEqual(code, 0, errors)
        calls = server.calls()
        for made, gone in (("cuMemHostAlloc", "cuMemFreeHost"), ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2")):
            self.assertEqual(calls.get(made, 0), calls.get(gone, 0), made)
        return calls

    def fresh(self, distorted, *more, reference=None):
        out = self.folder / "fresh.json"
        self.vmaf("-r", reference or self.ref, "-d", distorted, *VIF, "--json", "-o", out, *more, env={**os.environ, "LD_LIBRARY_PATH": FAKE})
        return without_fps(out.read_text())

    def uploads(self, count, keep):
        """Bytes uploaded by a server for so many scores."""
        server = self.server()
        for distorted in self.encodes[:count]:
            document, _ = self.ask(server, distorted, keep=keep)
            self.assertEqual(document, self.fresh(distorted))
        return self.ended(server)["bytes_up"]

    def test_later_scores_neither_read_nor_upload_the_reference(self):
        kept, others = self.uploads(3, True), self.uploads(3, False)
        self.assertAlmostEqual(kept / self.luma, 4, delta=0.3)
        self.assertAlmostEqual(others / self.luma, 6, delta=0.3)
        server = self.server()
        read = [self.ask(server, distorted)[1] for distorted in self.encodes + self.encodes]
        size = os.path.getsize(self.ref)
        self.assertGreater(read[0], size)
        self.assertLess(max(read[1:]), size / 2)
        self.ended(server)

    def test_every_way_to_make_frames_is_kept_by_itself(self):
        server = self.server()
        ways = [(), ("--feature", "ciede"), ("--frame_skip_ref", "3", "--frame_skip_dist", "3"), ("--pair", "time"), ("--hwaccel", "auto")]
        size = os.path.getsize(self.ref)
        for expected in (True, False):
            for way in ways:
                document, read = self.ask(server, self.encodes[0], *way)
                self.assertEqual(read > size / 2, expected, way)
                self.assertEqual(document, self.fresh(self.encodes[0], *way), way)
        self.ended(server)

    def test_sources_that_the_host_makes_are_kept(self):
        narrow = self.encode(self.raw, "narrow.mp4", "-vf", "scale=160:96")
        server = self.server()
        for reference, distorted in ((self.raw, self.encodes[0]), (self.ref, narrow)):
            first, read = self.ask(server, distorted, reference=reference)
            second, again = self.ask(server, distorted, reference=reference)
            self.assertEqual(second, first)
            self.assertEqual(first, self.fresh(distorted, reference=reference))
            self.assertLess(again, read - os.path.getsize(reference) / 2)
        self.ended(server)

    def test_parts_of_a_reference_are_not_kept(self):
        short = self.encode(self.dist, "short.mp4", "-frames:v", "20")
        server = self.server()
        size = os.path.getsize(self.ref)
        for distorted, more in ((self.encodes[0], ("--frame_cnt", "10")), (short, ())):
            for _ in range(2):
                document, read = self.ask(server, distorted, *more)
                self.assertEqual(document, self.fresh(distorted, *more))
        self.assertGreater(self.ask(server, self.encodes[0])[1], size)
        # But what is kept serves runs that end early.
        document, read = self.ask(server, short)
        self.assertEqual(document, self.fresh(short))
        self.assertLess(read, size / 2)
        self.ended(server)

    def test_a_file_that_changes_is_read_again(self):
        path = str(self.folder / "changing.mkv")
        content = pathlib.Path(self.ref).read_bytes()
        pathlib.Path(path).write_bytes(content)
        server = self.server()
        stamp = os.stat(path)
        for change in ("nothing", "write", "replace", "time"):
            if change == "write":  # the same size, and the old time
                with open(path, "r+b") as file: file.write(content)
                os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            if change == "replace":
                pathlib.Path(path + "2").write_bytes(content)
                os.utime(path + "2", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
                os.rename(path + "2", path)
            if change == "time":
                os.utime(path)
            _, read = self.ask(server, self.encodes[0], reference=path)
            self.assertGreater(read, len(content), change)
            _, read = self.ask(server, self.encodes[1], reference=path)
            self.assertLess(read, len(content) / 2, change)
        os.remove(path)
        self.ask(server, self.encodes[0], reference=path, expect=255)
        pathlib.Path(path).write_bytes(content[:len(content) // 2])  # and a damaged version is refused
        for _ in range(2):
            self.ask(server, self.encodes[0], reference=path, expect=234)
            self.assertIn("damaged or cut off", self.answer["error"])
        self.ended(server)

    def repeated(self, path, name):
        """Ten times as long."""
        out = str(self.folder / name)
        subprocess.check_call(["ffmpeg", "-nostdin", "-v", "error", "-y", "-stream_loop", "9", "-i", path, "-c", "copy", out])
        return out

    def test_memory_is_bounded(self):
        """The session takes about 16 MB, a kept reference 25 MB."""
        encode = self.repeated(self.encodes[0], "long.mp4")
        first = self.repeated(self.ref, "long0.mkv")
        references = [first] + [str(shutil.copy(first, self.folder / f"long{i}.mkv")) for i in (1, 2)]
        size = os.path.getsize(first)
        for megabytes, kept in ((400, 3), (90, 1), (50, 0)):
            server = self.server(FAKE_CUDA_MEMORY=str(megabytes * 1000000))
            found = [self.ask(server, encode, reference=reference)[1] < size / 2 for reference in (*references, references[-1], references[0])]
            self.assertEqual(found, [False, False, False, kept > 0, kept == 3], megabytes)
            self.ended(server)

    def test_running_out_of_memory_drops_what_is_kept(self):
        """A larger clip needs what an earlier one left."""
        large = self.encode(self.clip("large.y4m", size="1280x720", frames=24), "large.mp4")
        for megabytes in (150, 110):  # below, decoders may find no memory even without kept clips
            server = self.server(FAKE_CUDA_MEMORY=str(megabytes * 1000000))
            for distorted, reference in ((self.encodes[0], self.ref), (large, large), (self.encodes[1], self.ref)):
                document, _ = self.ask(server, distorted, reference=reference)
                self.assertEqual(document, self.fresh(distorted, reference=reference), megabytes)
            self.ended(server)

    def test_an_allocation_that_fails(self):
        """The request is scored or refused, and so is the next one."""
        seen = set()
        for name in ("cuMemAlloc_v2", "cuMemHostAlloc"):
            for number in (1, 3, 6, 9, 12, 16, 24, 40):
                server = self.server(FAKE_CUDA_FAIL=f"{name}@{number}=2")
                for distorted in self.encodes:
                    answer, _ = server.ask("-r", self.ref, "-d", distorted, *VIF, "--json", "-o", self.folder / "short.json", keep_reference=True)
                    self.assertIn(answer["exit_code"], (0, 100, 234, 255))
                    seen.add(answer["exit_code"])
                server.end()
        self.assertIn(0, seen)

    def test_a_device_that_dies_takes_its_frames_along(self):
        server = self.server(FAKE_CUDA_FAIL="cuLaunchKernel@600=719")
        codes = []
        for distorted in self.encodes * 4:
            answer, _ = server.ask("-r", self.ref, "-d", distorted, *VIF, "--json", "-o", self.folder / "lost.json", keep_reference=True)
            codes.append(answer["exit_code"])
        self.assertEqual(codes[0], 0)
        self.assertEqual(codes[-1], 234)
        self.assertEqual(codes, sorted(codes))
        self.ended(server)

    @unittest.skipUnless(os.environ.get("FAKE_NVDEC"), "there is no stand-in for NVDEC")
    def test_a_decoder_on_the_device_decodes_the_reference_once(self):
        log = self.folder / "decoders"
        counts = {}
        for keep in (True, False):
            server = self.server(LD_LIBRARY_PATH=os.pathsep.join((FAKE, os.environ["FAKE_NVDEC"])), FAKE_NVDEC_SIZE="320x192", FAKE_NVDEC_LOG=str(log))
            for distorted in self.encodes:
                answer, _ = server.ask("-r", self.ref, "-d", distorted, *VIF, "--hwaccel", "cuda", "--json", "-o", self.folder / "there.json", **({"keep_reference": True} if keep else {}))
                if "it does not decode h264 here" in answer.get("error", ""):
                    server.end()
                    self.skipTest("this FFmpeg decodes nothing on CUDA devices")
                self.assertEqual(answer["exit_code"], 0, answer)
            self.assertEqual(server.end()[0], 0)
            counts[keep] = {name: int(count) for name, count in map(str.split, log.read_text().splitlines())}
            self.assertLess(server.calls()["bytes_up"], self.luma / 4)  # tables
        self.assertEqual(counts[True]["decode"], 4 * self.frames)
        self.assertEqual(counts[False]["decode"], 6 * self.frames)
        self.assertLessEqual(counts[False]["create"], 8)  # decoders serve the next file

    @unittest.skipUnless(os.environ.get("FAKE_NVDEC"), "there is no stand-in for NVDEC")
    def test_two_devices_have_decoders_of_their_own(self):
        log, one_part = self.folder / "decoders", self.encode(self.raw, "one_part.mkv", "-g", "1000")
        server = self.server(LD_LIBRARY_PATH=os.pathsep.join((FAKE, os.environ["FAKE_NVDEC"])), FAKE_NVDEC_SIZE="320x192", FAKE_NVDEC_LOG=str(log), FAKE_CUDA_DEVICES="2")
        for device in (0, 0, 1):
            answer, _ = server.ask("-r", one_part, "-d", one_part, *VIF, "--hwaccel", "cuda", "--feature", f"psnr=turbo.device={device}", "-o", "/dev/null")
            if "it does not decode h264 here" in answer.get("error", ""):
                server.end()
                self.skipTest("this FFmpeg decodes nothing on CUDA devices")
            self.assertEqual(answer["exit_code"], 0, answer)
        self.assertEqual(server.end()[0], 0)
        self.assertRegex(log.read_text(), r"create 4\n")

    @unittest.skipUnless(os.environ.get("FAKE_NVDEC"), "there is no stand-in for NVDEC")
    def test_a_device_that_dies_is_let_go_by_its_decoders(self):
        """Or its context would never start anew."""
        server = self.server(LD_LIBRARY_PATH=os.pathsep.join((FAKE, os.environ["FAKE_NVDEC"])), FAKE_NVDEC_SIZE="320x192", FAKE_CUDA_FAIL="cuLaunchKernel@600=719")
        codes = []
        for _ in range(12):
            answer, _ = server.ask("-r", self.ref, "-d", self.encodes[0], *VIF, "--hwaccel", "cuda", "-o", "/dev/null", keep_reference=True)
            if "it does not decode h264 here" in answer.get("error", ""):
                server.end()
                self.skipTest("this FFmpeg decodes nothing on CUDA devices")
            codes.append(answer["exit_code"])
        self.assertEqual((codes[0], codes[-1]), (0, 234))
        self.ended(server)

    def test_two_devices(self):
        server = self.server(FAKE_CUDA_DEVICES="2")
        size = os.path.getsize(self.ref)
        on = lambda device: ("--feature", f"psnr=turbo.device={device}")
        for device, is_read in ((0, True), (0, False), (1, True), (1, False), (0, True)):
            document, read = self.ask(server, self.encodes[0], *on(device))
            self.assertEqual(read > size / 2, is_read, device)
        self.ended(server)

    def test_the_request_says_whether(self):
        server = self.server()
        self.ask(server, self.encodes[0])
        server.send(json.dumps({"type": "score", "id": 1, "keep_reference": "yes", "arguments": ["-r", self.ref, "-d", self.ref]}))
        answer = server.message()
        self.assertEqual(answer["type"], "refused")
        self.assertIn("keep_reference", answer["error"])
        self.ended(server)


if __name__ == "__main__":
    unittest.main()
