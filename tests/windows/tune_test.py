"""vmaf-tune for Windows with a real FFmpeg for Windows, and FFmpeg's filter with the library. Under wine.

  WINDOWS_BUILD=build-windows WINDOWS_FFMPEG=FOLDER tune_test.py     FOLDER: of ffmpeg_build.py
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import windows
from windows import BUILD, ENVIRONMENT, dos, wine

FFMPEG = pathlib.Path(os.environ["WINDOWS_FFMPEG"]).resolve()


class Filter(windows.WindowsTest):
    def test_the_filter_gives_the_scores_of_the_command(self):
        log, out = self.folder / "filter.json", self.folder / "command.json"
        # Paths with colons cannot be filter options: the folder is the current one.
        run = wine(FFMPEG / "ffmpeg.exe", "-nostdin", "-hide_banner", "-i", self.dist.name, "-i", self.ref.name, "-lavfi",
                   "libvmaf=log_fmt=json:log_path=filter.json:n_threads=2", "-f", "null", "-", cwd=self.folder)
        self.assertIn("VMAF score: ", run.stderr)
        self.score("--json", "-o", out, "-q")
        self.assertEqual(self.document(log)["frames"], self.document(out)["frames"])


class Tune(windows.WindowsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = cls.clip("Quelle ñ.y4m", size="176x144", frames=12)

    def tune(self, *arguments, **options):
        return wine(BUILD / "tools/vmaf-tune.exe", *arguments, "--ffmpeg-bin", FFMPEG / "ffmpeg.exe", "--ffprobe-bin", FFMPEG / "ffprobe.exe",
                    cwd=self.folder, **options)

    def search(self, *more, **options):
        run = self.tune("search", "-i", self.source, "-e", "libx264", "--preset", "ultrafast", "--score-scale", "none", "--q-step", "1",
                        "--cache-dir", self.folder / "cache", "--work-dir", self.folder, "--json", *more, **options)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_a_search_meets_its_target_and_is_remembered(self):
        result = self.search("--target-vmaf", "88")[-1]
        self.assertEqual(result["status"], "ok")
        self.assertGreaterEqual(result["score"], 88)
        self.assertEqual(self.score_at(int(result["q"])), result["score"])
        again = self.search("--target-vmaf", "88")
        self.assertTrue(all(probe["from_cache"] for probe in again[:-1]))
        self.assertEqual(self.scratch(), set())

    def score_at(self, q):
        """VMAF of an encode made and decoded by hand, with the programs for Windows."""
        names = [self.folder / name for name in ("m.mkv", "r.yuv", "d.yuv", "o.json")]
        encode, ref, dist, out = names
        quiet = [FFMPEG / "ffmpeg.exe", "-y", "-nostdin", "-v", "error"]
        wine(*quiet, "-i", self.source, "-c:v", "libx264", "-preset", "ultrafast", "-crf", q, "-pix_fmt", "yuv420p", encode)
        wine(*quiet, "-i", encode, "-f", "rawvideo", dist)
        wine(*quiet, "-i", self.source, "-f", "rawvideo", ref)
        wine(self.vmaf, "-r", ref, "-d", dist, "-w", 176, "-h", 144, "-p", 420, "-b", 8, "-q", "--precision", "max", "--json", "-o", out)
        return self.document(out)["pooled_metrics"]["vmaf"]["mean"]

    def test_pipes_files_and_both_scorers_agree(self):
        scores = set()
        for more in (["--scorer", "library"], ["--scorer", "binary", "--vmaf-bin", self.vmaf], ["--score-transport", "file"]):
            run = self.tune("sample", "-i", self.source, "--crf", "30", "--preset", "ultrafast", "--score-scale", "none", "--no-cache",
                            "--work-dir", self.folder, "--json", *more)
            scores.add(json.loads(run.stdout)["vmaf_score"])
        self.assertEqual(len(scores), 1, scores)

    def encode(self, source, output, *more, **options):
        return self.tune("encode", "-i", source, "--crf", "30", "--preset", "ultrafast", "--no-cache", "--work-dir", self.folder, "--video-only", "-o",
                         output, *more, **options)

    def test_an_encode_replaces_another_on_request(self):
        out = self.folder / "Ausgabe-出力.mkv"
        out.write_bytes(b"old")
        self.encode(self.source, dos(out), expect=None)
        self.assertEqual(out.read_bytes(), b"old")
        self.encode(dos(self.source), dos(out), "--overwrite")
        self.assertGreater(out.stat().st_size, 1000)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".")], os.listdir(self.folder))
        self.assertEqual(len(self.frames_of(out)), 12)

    def frames_of(self, video):
        run = wine(FFMPEG / "ffprobe.exe", "-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", video)
        return run.stdout.split()

    def test_paths_may_be_longer_than_260_characters(self):
        folder = self.folder.joinpath(*["ein-langer-name-" + "x" * 60] * 4)
        folder.mkdir(parents=True)
        source, out = folder / "source.y4m", folder / "out.mkv"
        source.write_bytes(self.source.read_bytes())
        self.encode(dos(source), dos(out), "--verify")
        self.assertGreater(len(str(out)), 300)
        self.assertEqual(len(self.frames_of(out)), 12)
        self.assertEqual(sorted(os.listdir(folder)), ["out.mkv", "source.y4m"])

    def test_results_are_remembered_where_windows_has_folders_for_that(self):
        cache = wine(BUILD / "tools/vmaf-tune.exe", "cache", "stats").stdout
        self.assertRegex(cache, r"AppData/Local/vmaf-tune")

    def test_rows_reports_and_shots(self):
        rows, page, joined = (self.folder / name for name in ("Zeilen-行.jsonl", "Bericht-報告.html", "Schüsse-弾.mkv"))
        common = ("--preset", "ultrafast", "--score-scale", "none", "--cache-dir", self.folder / "cache", "--work-dir", self.folder)
        self.tune("corpus", "-i", self.source, "--crf", "25", "35", "-o", dos(rows), *common)
        found = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([row["crf"] for row in found], [25, 35])
        self.assertIn("Quelle ñ.y4m", found[0]["src"])
        tune = BUILD / "tools/vmaf-tune.exe"
        self.assertIn("crf=", wine(tune, "search", "--from-corpus", dos(rows), "--target-vmaf", "60").stdout)
        wine(tune, "report", rows, "-o", dos(page), "--ffmpeg-bin", FFMPEG / "ffmpeg.exe")
        self.assertIn("Quelle ñ.y4m", page.read_text(encoding="utf-8"))
        self.tune("per-shot", "-i", self.source, "--target-vmaf", "80", "-o", dos(joined), "--run", *common)
        self.assertEqual(len(self.frames_of(joined)), 12)

    def start(self, **more):
        """A tune during a long encode."""
        long = self.clip("long.y4m", size="352x288", frames=40)
        command = ["wine", str(BUILD / "tools/vmaf-tune.exe"), "sample", "-i", str(long), "--crf", "20", "--preset", "placebo", "--no-cache",
                   "--work-dir", str(self.folder), "--ffmpeg-bin", str(FFMPEG / "ffmpeg.exe"), "--ffprobe-bin", str(FFMPEG / "ffprobe.exe")]
        tune = subprocess.Popen(command, env=ENVIRONMENT, cwd=self.folder, **more)
        self.addCleanup(tune.wait)
        self.addCleanup(tune.kill)
        self.assertTrue(self.await_encoders(True, 60), "no encoder was started")
        return tune

    def await_encoders(self, wanted, seconds):
        for _ in range(seconds * 10):
            if bool(self.encoders()) == wanted: return True
            time.sleep(0.1)
        return False

    def test_no_child_outlives_a_tune(self):
        tune = self.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tune.kill()  # no handler runs
        tune.wait()
        self.assertTrue(self.await_encoders(False, 10), self.encoders())

    def test_interrupted_twice_it_ends_at_once_and_leaves_nothing(self):
        before = self.scratch()  # a killed tune leaves its folder to the next
        tune = self.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tune.send_signal(signal.SIGINT)  # wine turns it into Ctrl-C
        time.sleep(1)
        self.assertIsNone(tune.poll(), "the first one lets an encode finish")
        tune.send_signal(signal.SIGINT)
        self.assertEqual(tune.wait(30), 130)
        self.assertTrue(self.await_encoders(False, 10), self.encoders())
        self.assertLessEqual(self.scratch(), before)

    def scratch(self):
        return {name for name in os.listdir(self.folder) if name.startswith(".vmaf-tune-")}

    def encoders(self):
        """The processes of this test's encoder."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if re.search(r"ffmpeg\.exe", words) and "long.y4m" in words and "libx264" in words: found.append(entry.name)
        return found


if __name__ == "__main__":
    windows.main()
