#!/usr/bin/env python3
"""vmaf-tune when things go wrong: crashing and missing programs, full disks, damaged sources, interruptions.

  robustness_test.py VMAF_TUNE VMAF CLIPGEN
"""
import contextlib
import json
import os
import resource
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import tune_case

TUNE, VMAF, CLIPGEN = tune_case.take_programs("tune", "vmaf", "clipgen")
FFMPEG = shutil.which("ffmpeg")


class Robustness(tune_case.FreshCase):
    FOLDER = "vmaf-tune-robust-"
    TIMEOUT = 300

    def setUp(self):
        super().setUp()
        self.clip = self.make_clip("clip.y4m")

    def tune(self, *arguments, **options):
        return super().tune(*arguments, code=None, **options)

    def corpus(self, *more, output="rows.jsonl"):
        return self.tune("corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "24", "--crf", "30", "--crf", "36", "--crf", "30", "--score-scale", "none", "-o", output, *more)  # one value twice

    def leftovers(self):
        """Processes still working in our folder, and scratch folders."""
        processes = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if self.folder.encode() in open(f"/proc/{pid}/cmdline", "rb").read(): processes.append(pid)
            except OSError: pass
        return processes, [n for n in os.listdir(self.folder) if n.startswith(".vmaf-tune")]

    def assert_one_cell_failed(self, run, status, stage, *texts):
        self.assertEqual(run.returncode, 5, run.stderr)
        rows = self.rows()
        self.assertEqual([r["crf"] for r in rows], [24, 30, 36])
        self.assertEqual([r["exit_status"] for r in rows], [0, status, 0])
        self.assertEqual(rows[1]["error"]["stage"], stage)
        for text in texts: self.assertIn(text, rows[1]["error"]["message"])
        self.assertIsNone(rows[1]["score"])
        self.assertIn("FAILED: " + rows[1]["error"]["message"], run.stderr)
        self.assertRegex(run.stderr, r"\(1 failed(, 0 cached)?\)")
        self.assertEqual(self.leftovers(), ([], []))

    def test_encoder_that_crashes_is_tried_again_and_fails_one_cell(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) echo try >> {self.path("tries")}; kill -SEGV $$;; esac\nexec {FFMPEG} "$@"')
        self.assert_one_cell_failed(self.corpus("--ffmpeg-bin", fake), 139, "encode", "signal 11")
        self.assertEqual(open(self.path("tries")).read().count("try"), 3)
        # Failures are not cached: with a healthy encoder only the missing row is made.
        run = self.corpus("--resume", "--retry-failed")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("wrote 1 rows", run.stderr)

    def test_encoder_that_refuses_is_not_tried_again(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) echo try >> {self.path("tries")}; echo "x264 [error]: no" >&2; exit 1;; esac\nexec {FFMPEG} "$@"')
        self.assert_one_cell_failed(self.corpus("--ffmpeg-bin", fake), 1, "encode", "x264 [error]: no")
        self.assertEqual(open(self.path("tries")).read().count("try"), 1)

    def test_encoder_that_writes_nothing_or_too_little_fails_one_cell(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) exit 0;; esac\nexec {FFMPEG} "$@"')
        self.assert_one_cell_failed(self.corpus("--ffmpeg-bin", fake), 300, "encode", "wrote nothing")
        # A short stream: keeps the output's last argument, but only six frames.
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) exec {FFMPEG} -ss 0.25 "$@";; esac\nexec {FFMPEG} "$@"')
        self.assert_one_cell_failed(self.corpus("--ffmpeg-bin", fake, "--overwrite", "--no-cache"), 300, "encode", "6 frames, about 12 were expected")

    def test_encoder_that_hangs_is_ended(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) sleep 1000;; esac\nexec {FFMPEG} "$@"')
        self.assert_one_cell_failed(self.corpus("--ffmpeg-bin", fake, "--timeout", "10s"), 600, "encode", "--timeout")

    def test_encoder_that_floods_stderr_does_not_stall(self):
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) head -c 3000000 /dev/zero | tr "\\0" "x" >&2; exit 9;; esac\nexec {FFMPEG} "$@"')
        run = self.corpus("--ffmpeg-bin", fake)
        self.assertEqual([r["exit_status"] for r in self.rows()], [0, 9, 0], run.stderr[-500:])
        self.assertLessEqual(len(self.rows()[1]["error"]["stderr_tail"]), 2048)

    def test_scorer_that_misbehaves_fails_one_cell(self):
        marker = self.path("marker")
        kinds = {"crash": ("kill -SEGV $$", 500), "nan": ("""while [ "$1" != --output ]; do shift; done; echo '{"frames":[{"metrics":{"vmaf":"NaN"}}]}' > "$2"; exit 0""", 300),
                 "garbage": ("""while [ "$1" != --output ]; do shift; done; echo nonsense > "$2"; exit 0""", 565), "hang": ("sleep 1000", 600)}
        for kind, (text, status) in kinds.items():
            with self.subTest(kind):
                # The second score of the run fails.
                fake = self.program("vmaf", f'case "$*" in *--output*) echo x >> {marker}; if [ $(wc -l < {marker}) = 2 ]; then {text}; fi;; esac\nexec {VMAF} "$@"')
                if os.path.exists(marker): os.remove(marker)
                run = self.corpus("--scorer", "binary", "--vmaf-bin", fake, "--no-cache", "--overwrite", "--timeout", "10s")
                self.assert_one_cell_failed(run, status, "score")

    def serving(self, behaviour):
        """A scorer that greets like the real one and then runs `behaviour` (Python); becomes the real one if that leaves REAL set."""
        return self.program("vmaf", f"""case "$*" in --serve) ;; *) exec {VMAF} "$@";; esac
exec python3 - <<'END' 3<&0
import json, os, socket, struct, subprocess
tries = open({self.path("tries")!r}, "a+")
tries.write("x"); tries.flush(); tries.seek(0); number = len(tries.read())  # of this process
link = socket.socket(fileno=1)
hello = subprocess.run([{VMAF!r}, "--serve"], stdin=subprocess.DEVNULL, capture_output=True).stdout
def say(text): link.sendall(struct.pack("<I", len(text)) + text)
REAL = lambda: os.execv({VMAF!r}, ["vmaf", "--serve"])
os.dup2(1, 0)
{behaviour}
END""")

    def test_serving_scorer_that_dies_is_started_again_once(self):
        dies = "if number % 2: link.sendall(hello); link.recv(4); os.kill(os.getpid(), 9)\nREAL()"
        run = self.corpus("--vmaf-bin", self.serving(dies), "--no-cache")
        self.assertEqual((run.returncode, [r["exit_status"] for r in self.rows()]), (0, [0, 0, 0]), run.stderr)
        scores = [r["score"] for r in self.rows()]
        self.assertEqual(self.corpus("--overwrite", "--no-cache").returncode, 0)
        self.assertEqual([r["score"] for r in self.rows()], scores)
        # Forever: every cell fails with a message, after two tries.
        os.remove(self.path("tries"))
        run = self.corpus("--vmaf-bin", self.serving("link.sendall(hello); link.recv(4); os.kill(os.getpid(), 11)"), "--no-cache", "--overwrite")
        self.assertEqual([(r["exit_status"], r["error"]["message"]) for r in self.rows()], [(500, "the scorer was ended by signal 11")] * 3, run.stderr)
        self.assertEqual((run.returncode, open(self.path("tries")).read()), (4, "x" * 6))

    def test_serving_scorer_that_misbehaves_fails_or_is_refused(self):
        for kind, text, status in (("hang", "import time; time.sleep(1000)", 600), ("nonsense", "say(b'nonsense')", 500), ("no object", "say(b'[]')", 500),
                                   ("another answer", "say(b'{\"type\":\"result\",\"id\":77,\"exit_code\":0}')", 500),
                                   ("no document", "say(b'{\"type\":\"result\",\"id\":1,\"exit_code\":0}')", 565),
                                   ("refusal", "say(b'{\"type\":\"refused\",\"id\":1,\"error\":\"not today\"}')", 500)):
            with self.subTest(kind):
                dead = 0 if status in (565, 600) or kind == "refusal" else 1  # these answers cause no retry
                fake = self.serving(f"if number <= 1 + {dead}:\n    link.sendall(hello); link.recv(1 << 20); {text}; link.recv(1 << 20); os.kill(os.getpid(), 9)\nREAL()")
                if os.path.exists(self.path("tries")): os.remove(self.path("tries"))
                run = self.corpus("--vmaf-bin", fake, "--no-cache", "--overwrite", "--timeout", "10s")
                self.assertEqual([r["exit_status"] for r in self.rows()], [status, 0, 0], run.stderr)
                self.assertTrue(self.rows()[0]["error"]["message"])
                if kind == "refusal": self.assertIn("not today", self.rows()[0]["error"]["message"])
        for text, says in (("os._exit(1)", "it does not support --serve"), ("os.write(1, b'usage: vmaf')", "it does not support --serve"),
                           ("say(b'{\"type\":\"hello\",\"protocol\":99}')", "it speaks another protocol")):
            run = self.corpus("--vmaf-bin", self.serving(text), "--overwrite")
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(says, run.stderr)

    def test_serving_scorer_that_is_killed_at_random_moments(self):
        """KILLS: number of kills; more than the gate has time for."""
        fake = self.program("vmaf", f'case "$*" in --serve) echo $$ >> {self.path("pids")};; esac\nexec {VMAF} "$@"')
        grid = ("--crf-range", "20:42:2")
        self.assertEqual(self.corpus(*grid, "--no-cache", "--jobs", "2").returncode, 0)
        wanted = [(r["crf"], r["score"]) for r in self.rows()]
        random = __import__("random").Random(7)
        left = int(os.environ.get("KILLS", "8"))
        while left > 0:
            run = subprocess.Popen([TUNE, "corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "24", "--crf", "30", "--crf", "36", *grid, "--score-scale", "none", "-o", "rows.jsonl", "--no-cache",
                                    "--overwrite", "--vmaf-bin", fake, "--jobs", "2"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment())
            while run.poll() is None:
                time.sleep(random.uniform(0.05, 0.8))
                if not os.path.exists(self.path("pids")): continue
                for pid in open(self.path("pids")).read().split()[-2:]:
                    with contextlib.suppress(OSError):
                        if left > 0: os.kill(int(pid), signal.SIGKILL); left -= 1
            if run.returncode == 2: continue  # killed before it greeted
            rows = self.rows()
            self.assertEqual([r["crf"] for r in rows], [crf for crf, _ in wanted])
            for row, (_, score) in zip(rows, wanted):
                if row["exit_status"] == 0: self.assertEqual(row["score"], score)
                else: self.assertEqual((row["exit_status"], row["score"], bool(row["error"]["message"])), (500, None, True))
            failed = sum(r["exit_status"] != 0 for r in rows)
            self.assertEqual(run.returncode, {0: 0, len(rows): 4}.get(failed, 5))
        self.assertEqual(self.leftovers(), ([], []))

    def test_encoder_that_does_not_work_is_reported_with_its_error(self):
        banner = "ffmpeg version 5.1\\n  built with gcc\\n  libavutil 57\\n[libx264 @ 0x1] using cpu capabilities: MMX2\\nSvt[info]: SVT [version]: 1.4"
        for error, code, words in (("[libx264 @ 0x1] broken pipe of wishes: cannot open", 1, "ended with status 1: [libx264 @ 0x1] broken pipe of wishes"), ("", 1, "ended with status 1\n"), ("", "$(kill -9 $$)", "was ended by signal 9")):
            fake = self.program("ffmpeg", f'case "$*" in *"-c:v libx264"*) printf "{banner}\\n{error}\\n[libx264 @ 0x1] profile High, level 1.0\\n" >&2; exit {code};; esac\nexec {FFMPEG} "$@"')
            run = self.tune("search", "-i", self.clip, "--target-vmaf", "80", "--ffmpeg-bin", fake)
            self.assertEqual(run.returncode, 2)
            self.assertIn("libx264 does not work here: a trial " + words, run.stderr)
            self.assertNotIn("profile High", run.stderr)

    def test_missing_programs_and_encoders_are_said_before_any_work(self):
        run = self.corpus("--scorer", "binary", "--vmaf-bin", "/nonexistent/vmaf")
        self.assertEqual((run.returncode, os.path.exists(self.path("rows.jsonl"))), (2, False))
        self.assertIn("'/nonexistent/vmaf' was not found", run.stderr)
        os.mkdir(self.path("alone"))
        shutil.copy(TUNE, self.path("alone"))
        run = subprocess.run([self.path("alone", os.path.basename(TUNE)), "search", "-i", self.clip, "--target-vmaf", "80"], capture_output=True, text=True, env=self.environment())
        self.assertEqual((run.returncode, run.stderr), (2, "vmaf-tune search: no vmaf program was found next to vmaf-tune; install both, or give --vmaf-bin\n"))
        without = self.program("ffmpeg", f'case "$*" in *libsvtav1*) echo "Unknown encoder \'libsvtav1\'" >&2; exit 1;; *-encoders*) {FFMPEG} "$@" | grep -v svtav1;; *) exec {FFMPEG} "$@";; esac')
        for more in (["-e", "libsvtav1"], ["-e", "libx264", "-e", "libsvtav1", "--strict"]):
            run = self.corpus(*more, "--ffmpeg-bin", without)
            self.assertEqual((run.returncode, os.path.exists(self.path("rows.jsonl"))), (2, False))
            self.assertIn("--enable-libsvtav1", run.stderr)
        # One of several: a message first, then failed rows; the others continue.
        run = self.corpus("-e", "libsvtav1", "-e", "libx264", "--ffmpeg-bin", without)
        self.assertEqual(run.returncode, 5, run.stderr)
        rows = self.rows()
        self.assertEqual([(r["encoder"], r["exit_status"]) for r in rows], [("libsvtav1", 1)] * 3 + [("libx264", 0)] * 3)
        self.assertEqual(rows[0]["error"]["stage"], "encode")
        self.assertIn("--enable-libsvtav1", rows[0]["error"]["message"])
        self.assertLess(run.stderr.index("its cells become failed rows"), run.stderr.index("libx264 ultrafast 24"))
        again = self.corpus("-e", "libsvtav1", "-e", "libx264", "--ffmpeg-bin", without, "--resume")
        self.assertEqual((again.returncode, len(self.rows())), (0, 6), again.stderr)
        run = self.tune("compare", "-i", self.clip, "--encoders", "libsvtav1,libx264:ultrafast", "--target-vmaf", "80", "--format", "json", "--score-scale", "none", "--ffmpeg-bin", without)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = json.loads(run.stdout)["rows"]
        self.assertEqual([(r["codec"], r["ok"], r["best_crf"] < 0) for r in rows], [("libx264", True, False), ("libsvtav1", False, True)])
        self.assertIn("--enable-libsvtav1", rows[1]["error"])

    def test_unreadable_sources_fail_their_cells_only(self):
        with open(self.path("broken.mkv"), "wb") as file: file.write(bytes(range(256)) * 40)
        run = self.corpus("-i", "broken.mkv", "-i", "absent.mkv")
        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertEqual([(os.path.basename(r["src"]), r["exit_status"]) for r in self.rows()], [("clip.y4m", 0)] * 3 + [("broken.mkv", 400)] * 3 + [("absent.mkv", 400)] * 3)
        self.assertEqual({r["error"]["stage"] for r in self.rows() if r["error"]}, {"source"})
        self.assertEqual(self.corpus("-i", "absent.mkv", "--strict", "--overwrite").returncode, 2)
        run = self.tune("corpus", "-i", "broken.mkv", "--crf", "30", "-o", "none.jsonl")
        self.assertEqual((run.returncode, os.path.exists(self.path("none.jsonl"))), (2, False))

    def test_source_that_is_cut_off_fails_its_cells_and_others_go_on(self):
        long = self.make_clip("long.y4m", "176x144", 48)
        damaged = []
        for name, more in (("d.mkv", []), ("d.mp4", ["-movflags", "+faststart"]), ("d.y4m", None)):
            whole = self.path("whole." + name)
            if more is None: shutil.copy(long, whole)
            else: subprocess.check_call([FFMPEG, "-v", "error", "-i", long, "-c:v", "libx264", "-qp", "10", *more, whole])
            data = open(whole, "rb").read()
            with open(self.path(name), "wb") as file: file.write(data[:len(data) // 2 + 777])
            damaged += ["-i", self.path(name)]
        run = self.tune("corpus", *damaged, "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--score-scale", "none", "-o", "rows.jsonl")
        self.assertEqual(run.returncode, 5, run.stderr)
        rows = self.rows()
        self.assertEqual([r["exit_status"] == 0 for r in rows], [False, False, False, True], run.stderr)
        for row in rows[:2]: self.assertRegex(row["error"]["message"], r"has \d+ frames, about 48 were expected; is the source damaged or cut off")
        self.assertRegex(rows[2]["error"]["message"], "cut off|truncated|damaged")

    def test_a_source_that_is_changed_meanwhile_gives_no_score(self):
        original, other = open(self.clip, "rb").read(), open(self.make_clip("other.y4m", scene="noise"), "rb").read()
        fake = self.program("ffmpeg", f'{FFMPEG} "$@" || exit\ncase "$*" in *"-crf 30"*) cat {self.path("other.y4m")} > {self.clip};; esac')
        search = ("search", "-i", self.clip, "--preset", "ultrafast", "--crf-min", "30", "--crf-max", "30", "--target-vmaf", "20", "--score-scale", "none")
        run = self.tune(*search, "--ffmpeg-bin", fake)
        self.assertEqual(run.returncode, 4, run.stderr + run.stdout)
        self.assertIn("was changed while it was worked on", run.stderr + run.stdout)
        answers = []
        for content in (original, other, original):  # neither is cached
            with open(self.clip, "r+b") as file: file.write(content)
            run = self.tune(*search)
            answers.append(float(re.search(r"vmaf=([\d.]+)", run.stdout + run.stderr)[1]))
        self.assertEqual(answers[0], answers[2])
        self.assertGreater(min(answers), 20)
        encode = self.tune("encode", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "-o", "made.mkv", "--ffmpeg-bin", fake)
        self.assertEqual((encode.returncode, os.path.exists(self.path("made.mkv"))), (4, False), encode.stderr)

    def test_full_disk_under_the_output_ends_with_code_6(self):
        run = self.corpus(output="/dev/full")
        self.assertEqual(run.returncode, 6, run.stderr)
        self.assertIn("No space left on device", run.stderr)
        run = self.tune("report", self.clip, "-o", "/dev/full")
        self.assertEqual(run.returncode, 2)

    def test_full_disk_under_the_scratch_folder_fails_one_cell(self):
        disk = self.small_disk("80m")
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) head -c 100000000 /dev/zero > {disk}/fill 2>/dev/null; {FFMPEG} "$@"; s=$?; rm {disk}/fill; exit $s;; esac\nexec {FFMPEG} "$@"')
        run = self.corpus("--ffmpeg-bin", fake, "--work-dir", disk)
        self.assertEqual(run.returncode, 5, run.stderr)
        rows = self.rows()
        self.assertEqual([r["exit_status"] == 0 for r in rows], [True, False, True])
        self.assertIn("the disk is full", rows[1]["error"]["message"])
        self.assertEqual((rows[1]["exit_status"], os.listdir(disk)), (301, []))
        run = self.tune("search", "-i", self.clip, "--preset", "ultrafast", "--target-vmaf", "60", "--start-q", "30", "--score-scale", "none", "--no-cache", "--ffmpeg-bin", fake, "--work-dir", disk)
        self.assertEqual((run.returncode, os.listdir(disk)), (6, []), run.stderr)
        with open(disk + "/fill", "wb") as file: file.write(bytes(30 << 20))
        run = self.corpus("--work-dir", disk, "--overwrite")
        self.assertEqual(run.returncode, 6, run.stderr)
        self.assertIn("64 MB", run.stderr)
        self.assertEqual(os.listdir(disk), ["fill"])

    def test_full_disk_under_an_encode_leaves_no_file_and_ends_with_code_6(self):
        clip = self.make_clip("long.y4m", "176x144", 60)
        disk = self.small_disk("300k")
        for more in ([], ["--verify"], ["--verify-score", "--score-scale", "none"]):
            for name in ("out.mkv", "out.mp4"):
                run = self.tune("encode", "-i", clip, "-e", "libx264", "--preset", "ultrafast", "--crf", "1", "-o", f"{disk}/{name}", *more)
                self.assertEqual(run.returncode, 6, run.stderr)
                self.assertIn("the disk is full", run.stderr)
                self.assertEqual(os.listdir(disk), [])
        shots = ("per-shot", "-i", clip, "-e", "libx264", "--preset", "ultrafast", "--target-vmaf", "1", "--best-effort", "--min-q", "1", "--max-q", "2", "--score-scale", "none", "--run")
        for more in (["-o", f"{disk}/joined.mkv"], ["-o", f"{disk}/joined.mkv", "--segment-dir", self.path("segments")]):
            run = self.tune(*shots, *more)
            self.assertEqual(run.returncode, 6, run.stderr)
            self.assertIn("the disk is full", run.stderr)
            self.assertFalse(os.path.exists(f"{disk}/joined.mkv"))
        run = self.tune("ladder", "-i", clip, "--resolutions", "176x144", "--target-vmafs", "90", "--min-q", "1", "--max-q", "4", "--preset", "ultrafast", "--score-scale", "none", "--run", "--format", "dash", "-o", f"{disk}/film.mpd")
        self.assertEqual(run.returncode, 6, run.stderr)
        self.assertEqual([n for n in os.listdir(disk) if n.endswith(("mp4", "mpd"))], [])

    def test_a_limit_on_file_sizes_is_an_error_like_a_full_disk(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        for command in (("encode", "--crf", "1", "-o", "out.mkv"), ("sample", "--crf", "1", "--score-scale", "none")):
            run = subprocess.run([TUNE, command[0], "-i", self.clip, "--preset", "ultrafast", "--no-cache", *command[1:]], cwd=self.folder, capture_output=True, text=True, env=self.environment(), preexec_fn=limit)
            self.assertEqual((run.returncode, os.path.exists(self.path("out.mkv"))), (6, False), run.stderr)
            self.assertIn("ulimit -f", run.stderr)

    def test_encodes_by_other_numbers_of_threads_are_cached_apart(self):
        for jobs, cached in (("2", False), ("1", False), ("2", True), ("1", True)):
            run = self.corpus("--jobs", jobs, "--overwrite")
            self.assertEqual(run.returncode, 0, run.stderr)
            for row in self.rows():
                self.assertEqual((row["from_cache"], "-threads" in row["argv"]), (cached, jobs == "2"))
        run = self.corpus("--jobs", "2", "--resume")  # the same cells
        self.assertEqual((run.returncode, len(self.rows())), (0, 3), run.stderr)

    def test_a_finished_file_that_lost_its_end_is_no_result(self):
        subprocess.check_call([FFMPEG, "-v", "error", "-i", self.clip, "-f", "lavfi", "-i", "sine=d=4", "-c:v", "ffv1", "-c:a", "pcm_s16le", self.path("sound.mkv")])
        # The real program, except for the fate of its last argument.
        fake = self.program("ffmpeg", f'{FFMPEG} "$@"; s=$?\ncase "$*" in *VMAF_TUNE_ARGS*) for last; do :; done; last=${{last#file:}}; [ -n "$KEEP" ] && truncate -s $(($(stat -c %s "$last") * KEEP / 100)) "$last";; esac\nexit $s')
        for source, keep in (("clip.y4m", 50), ("sound.mkv", 70)):
            for name in ("out.mkv", "out.mp4"):
                if source == "sound.mkv" and name == "out.mp4": continue  # PCM
                run = self.tune("encode", "-i", source, "-e", "libx264", "--preset", "ultrafast", "--crf", "20", "-o", name, "--ffmpeg-bin", fake, env={"KEEP": str(keep)})
                self.assertIn(run.returncode, (4, 6), (source, name, run.stderr))
                self.assertFalse(os.path.exists(self.path(name)))
        self.assertEqual(self.tune("encode", "-i", "sound.mkv", "-e", "libx264", "--preset", "ultrafast", "--crf", "20", "-o", "out.mkv", "--ffmpeg-bin", fake).returncode, 0)

    def start_slow_corpus(self):
        clip = self.make_clip("slow.y4m", "416x240", 36)
        process = subprocess.Popen([TUNE, "corpus", "-i", clip, "--preset", "veryslow", "--crf-range", "20:40:4", "--score-scale", "none", "-o", "rows.jsonl"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": self.folder, "XDG_CACHE_HOME": self.path("cache")})
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            try:
                if self.rows(): break
            except (OSError, ValueError): pass
            time.sleep(0.02)
        return process

    def wait_for_quiet(self, seconds=120):
        deadline = time.monotonic() + seconds
        while self.leftovers()[0] and time.monotonic() < deadline: time.sleep(0.05)
        return self.leftovers()

    def start_stuck_corpus(self):
        """A run whose second encode continues once a file "go" exists."""
        fake = self.program("ffmpeg", f'case "$*" in *"-crf 30"*) touch {self.path("started")}; while [ ! -e {self.path("go")} ]; do sleep 0.05; done;; esac\nexec {FFMPEG} "$@"')
        process = subprocess.Popen([TUNE, "corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "24", "--crf", "30", "--crf", "36", "--score-scale", "none", "--no-cache", "--jobs", "1", "--ffmpeg-bin", fake,
                                    "--overwrite", "-o", "rows.jsonl"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment())
        while not os.path.exists(self.path("started")): time.sleep(0.02)
        return process

    def test_first_interrupt_finishes_what_runs_second_ends_at_once(self):
        process = self.start_stuck_corpus()
        process.send_signal(signal.SIGINT)
        open(self.path("go"), "w").close()
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual([(r["crf"], r["exit_status"]) for r in self.rows()], [(24, 0), (30, 0)])
        self.assertEqual(self.wait_for_quiet(), ([], []))
        for name in ("go", "started"): os.remove(self.path(name))
        process = self.start_stuck_corpus()
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=600)  # it would never end alone
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual([(r["crf"], r["exit_status"]) for r in self.rows()], [(24, 0)])
        self.assertEqual(self.wait_for_quiet(), ([], []))

    def test_termination_while_a_source_is_opened(self):
        fake = self.program("ffprobe", f'case "$*" in *stuck.mkv*) touch {self.path("started")}; sleep 1000;; esac\nexec ffprobe "$@"')
        self.ffmpeg("-i", self.clip, "-c:v", "ffv1", "stuck.mkv")
        for command in (("search", "-i", "stuck.mkv", "--target-vmaf", "80"), ("corpus", "-i", self.clip, "-i", "stuck.mkv", "--crf", "30", "-o", "cells.jsonl", "--overwrite")):
            process = subprocess.Popen([TUNE, *command, "--preset", "ultrafast", "--no-cache", "--ffprobe-bin", fake], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment())
            while not os.path.exists(self.path("started")) and process.poll() is None: time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 130, errors)
            self.assertNotIn("cannot be read", errors)
            os.remove(self.path("started"))

    def test_termination_while_sbatch_hangs(self):
        for name, text in (("sbatch", f'touch {self.path("started")}\nsleep 1000'), ("squeue", "true"), ("scancel", f'sleep 0.3\necho "$@" >> {self.path("cancelled")}'), ("sinfo", "true"), ("scontrol", "true")):
            self.program(name, text)
        os.mkdir(self.path("shared"), 0o700)
        process = subprocess.Popen([TUNE, "corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "-o", "rows.jsonl", "--executor", "slurm", "--shared", self.path("shared")], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "PATH": self.folder + ":" + os.environ["PATH"], "TMPDIR": self.folder, "XDG_CACHE_HOME": self.path("cache")})
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll(), process.stderr)
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--name=vmaf-tune-", open(self.path("cancelled")).read())  # sbatch may have succeeded
        self.assertEqual(self.wait_for_quiet()[0], [])

    def test_kill_leaves_no_process_and_the_next_run_clears_its_scratch(self):
        process = self.start_slow_corpus()
        process.kill()
        process.communicate()
        processes, folders = self.wait_for_quiet()
        self.assertEqual(processes, [])
        self.assertEqual(len(folders), 1)
        old = time.time() - 120
        os.utime(self.path(folders[0]), (old, old))
        self.corpus("--overwrite")
        self.assertEqual(self.leftovers(), ([], []))

    def test_cached_entries_of_other_types_count_as_missing(self):
        search = ("search", "-i", self.clip, "--preset", "ultrafast", "--target-vmaf", "80", "--score-scale", "none", "--min-crf", "28", "--max-crf", "32", "--json")
        wanted = self.tune(*search)
        self.assertEqual(wanted.returncode, 0, wanted.stderr)
        base = self.path("cache/vmaf-tune/cache.sqlite3")

        def answer(run):  # the score was measured again
            return {k: v for k, v in json.loads(run.stdout.splitlines()[-1]).items() if k in ("type", "q", "crf", "score", "met")}

        def swapped(value):
            if isinstance(value, dict): return {k: swapped(v) for k, v in value.items()}
            if isinstance(value, list): return [swapped(v) for v in value]
            return [value] if isinstance(value, str) else "text"

        changes = [lambda v: [], lambda v: {}, lambda v: 1, lambda v: "text", lambda v: None, swapped]
        changes.append(lambda v: {k: "text" for k in v} if isinstance(v, dict) else v)
        changes.append(lambda v: {k: [1] for k in v} if isinstance(v, dict) else v)
        for change in changes:
            with contextlib.closing(sqlite3.connect(base)) as database, database:
                for kind, key, text in database.execute("SELECT kind, key, json FROM results").fetchall():
                    database.execute("UPDATE results SET json = ? WHERE kind = ? AND key = ?", (json.dumps(change(json.loads(text))), kind, key))
            run = self.tune(*search)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(answer(run), answer(wanted))

    def test_damaged_cache_is_set_aside(self):
        self.corpus()
        base = self.path("cache/vmaf-tune/cache.sqlite3")
        for name in (base + "-wal", base + "-shm"):
            if os.path.exists(name): os.remove(name)
        with open(base, "wb") as file: file.write(b"not a database" * 1000)
        run = self.corpus("--overwrite")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(os.path.exists(base + ".bad"))

    def test_two_processes_share_a_cache(self):
        command = [TUNE, "corpus", "-i", self.clip, "--preset", "ultrafast", "--crf-range", "20:32:4", "--score-scale", "none", "-o"]
        env = {**os.environ, "TMPDIR": self.folder, "XDG_CACHE_HOME": self.path("cache")}
        runs = [subprocess.Popen(command + [f"p{i}.jsonl"], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env) for i in range(2)]
        self.assertEqual([r.wait() for r in runs], [0, 0])
        scores = [[json.loads(line)["score"] for line in open(self.path(f"p{i}.jsonl"))] for i in range(2)]
        self.assertEqual(scores[0], scores[1])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
