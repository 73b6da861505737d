"""What a terminal shows (cli-and-formats.md 12)."""
import os
import pty
import re
import subprocess
import unittest

from support import CommandTest, VMAF


class Terminal(CommandTest):
    def on_terminal(self, *arguments):
        """What the command writes to a terminal on its stderr."""
        main, child = pty.openpty()
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
        self.assertRegex(shown, r"\x1b\[K\nvmaf_v0\.6\.1: \d+\.\d{6}\n$")

    def test_quiet_shows_nothing_but_the_score_where_there_is_no_document(self):
        self.assertEqual(self.on_terminal("-q", "-o", self.folder / "out.xml"), "")
        self.assertRegex(self.on_terminal("-q"), r"^vmaf_v0\.6\.1: \d+\.\d{6}\n$")

    def test_features_alone_have_no_score_line(self):
        shown = self.on_terminal("-n", "--feature", "psnr")
        self.assertTrue(shown.endswith("\x1b[K\n"))


if __name__ == "__main__":
    unittest.main()
