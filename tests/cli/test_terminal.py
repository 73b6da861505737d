"""What a terminal shows (cli-and-formats.md 12)."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from support import CLIPGEN, CommandTest, VMAF, read


class Terminal(CommandTest):
    def on_terminal(self, *arguments, columns=80):
        """What the command writes to a terminal on its stderr."""
        main, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        run = subprocess.Popen([VMAF, "-r", self.ref, "-d", self.dist, *map(str, arguments)], stdout=subprocess.PIPE, stderr=child)
        os.close(child)
        shown = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(main)
        self.assertEqual(run.wait(), 0, shown)
        run.stdout.close()
        return shown.decode().replace("\r\n", "\n")

    def test_meter_and_score(self):
        shown = self.on_terminal("-o", self.folder / "out.xml")
        self.assertRegex(shown, r"^VMAF version 3.2.0\npicture pool: [1-9]\d* pictures pre-allocated\n")
        updates = re.findall(r"\r(\d+) frame(.) . (\d+\.\d\d) FPS( \d+%)?( ETA \d+:\d\d)?\x1b\[K", shown)
        self.assertGreater(len(updates), 0)
        self.assertEqual(updates[-1][0], str(self.frames))
        self.assertEqual(updates[-1][3], " 100%")
        self.assertRegex(shown, r"\x1b\[K\nvmaf_v0\.6\.1: \d+\.\d{6} \(min \d+\.\d{6}, harmonic mean \d+\.\d{6}\)\n$")

    def test_the_meter_fits_narrow_terminals(self):
        whole = r"\d+ frames . \d+\.\d\d FPS \d+% ETA \d+:\d\d"
        for columns, last in ((80, whole), (20, r"\d+ frames . 100%"), (10, r"\d+ frames"), (4, " .")):
            shown = self.on_terminal("-n", "--feature", "psnr", columns=columns)
            lines = re.findall(r"\r([^\r\n]*)\x1b\[K", shown)
            self.assertGreater(len(lines), 0)
            self.assertLess(max(map(len, lines)), columns)
            self.assertRegex(lines[-1], f"^{last}$")

    def test_quiet_shows_nothing_but_the_score_where_there_is_no_document(self):
        self.assertEqual(self.on_terminal("-q", "-o", self.folder / "out.xml"), "")
        self.assertRegex(self.on_terminal("-q"), r"^vmaf_v0\.6\.1: \d+\.\d{6}\n$")

    def test_features_alone_have_no_score_line(self):
        shown = self.on_terminal("-n", "--feature", "psnr")
        self.assertTrue(shown.endswith("\x1b[K\n"))


class ForeignText(CommandTest):
    """Names that would move the cursor, change colours or write another line."""

    NAME = "a\x1b[2J\x1b]0;x\x07\nvmaf 99.0\u202egnp\u0085\u009b31m\x7f.y4m"
    HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

    def check(self, stderr):
        self.assertNotRegex(stderr, self.HIDDEN)
        for line in stderr.splitlines():
            self.assertRegex(line, r"^(vmaf: |libvmaf [A-Z]+ |a\\x1b)")
        self.assertIn("a\\x1b[2J\\x1b]0;x\\x07\\nvmaf 99.0\\u202egnp\\u0085\\u009b31m\\x7f", stderr)

    def test_everything_that_is_named_in_a_sentence(self):
        name = self.NAME
        clip = self.file(name, read(self.ref))
        short = self.clip("short.y4m", frames=2)
        raw = ("-w", "64", "-h", "48", "-p", "420", "-b", "8")
        ours = ("-r", self.ref, "-d", self.dist)
        for code, arguments in ((255, ("-r", name, "-d", self.ref)), (255, ("-r", name, "-d", self.ref, *raw)), (255, (*ours, "-m", "path=" + name)),
                                (None, (*ours, "-m", "version=" + name)), (255, (*ours, "-o", "/no/" + name)), (None, (*ours, "--feature", name)),
                                (1, (*ours, "--threads", name)), (1, ("--" + name,)), (255, ("-r", clip, "-d", self.dist, "-o", clip)),
                                (0, ("-r", clip, "-d", short, "-n", "--feature", "psnr"))):
            run = self.vmaf(*arguments, expect=code)
            self.check(run.stderr)

    def test_clipgen(self):
        for arguments in (("/no/" + self.NAME,), ("--" + self.NAME,), ("--size", "0x9", "x.yuv"), ("--depth", "40", "x.yuv"), ("--frames", "-1", "x.yuv")):
            run = subprocess.run([CLIPGEN, *arguments], capture_output=True, cwd=self.folder, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertNotRegex(run.stderr, self.HIDDEN)
            self.assertRegex(run.stderr, r"^clipgen: .*\n$")
            self.assertFalse((self.folder / "x.yuv").exists())

    def test_bytes_that_are_no_text(self):
        run = subprocess.run([VMAF, "-r", b"a\xff\xc2.y4m", "-d", self.ref], capture_output=True)
        self.assertIn(rb"a\xff\xc2.y4m", run.stderr)

    def test_documents(self):
        model = ("-m", "version=vmaf_v0.6.1:name=a\nb|c\ufffe\uffff\x1b")
        lines = self.score(*model, "--sub", "-o", "-").stdout.splitlines()
        self.assertEqual(len(lines), self.frames)
        for line in lines: self.assertRegex(line, r"^\{\d+\}\{\d+\}frame: \d+\|")
        self.assertIn("a\\nb\\x7cc\\ufffe\\uffff\\x1b: ", lines[0])
        xml = self.score(*model, "--xml", "-o", "-").stdout
        self.assertNotRegex(xml, "[\ufffe\uffff\x1b]")
        self.assertIn("a\nb|c\ufffe\uffff\x1b", json.loads(self.score(*model, "--json", "-o", "-").stdout)["pooled_metrics"])
        header = next(csv.reader(io.StringIO(self.score("-m", "version=vmaf_v0.6.1:name=@1+1", "--csv", "-o", "-").stdout)))
        self.assertIn("'@1+1", header)


if __name__ == "__main__":
    unittest.main()
