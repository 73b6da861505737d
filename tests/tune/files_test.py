#!/usr/bin/env python3
"""vmaf-tune: what it overwrites, what it trusts, and what reaches the terminal.

  files_test.py VMAF_TUNE CLIPGEN
"""
import csv
import json
import os
import pathlib
import resource
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import report_data

TUNE, CLIPGEN = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
STRANGER = 65534
needs_root = unittest.skipUnless(os.geteuid() == 0, "only root can make files of another user")
# A build in a private folder, such as root's home, cannot be run by another user.
is_build_private = any(not folder.stat().st_mode & stat.S_IXOTH for folder in pathlib.Path(TUNE).resolve().parents)
needs_public_build = unittest.skipIf(is_build_private, "other users cannot enter the build folder")


class FilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="vmaf-tune-files")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.folder.chmod(0o755)
        cls.rows = cls.folder / "rows.jsonl"
        report_data.write(cls.rows, report_data.rows())
        cls.clip = cls.folder / "clip.y4m"
        subprocess.check_call([CLIPGEN, "--size", "64x48", "--frames", "4", cls.clip])
        cls.serial = 0

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def new(self, name):
        """A path in a new empty folder."""
        type(self).serial += 1
        folder = self.folder / str(self.serial)
        folder.mkdir()
        return folder / name

    def tune(self, *arguments, code=0, env=None, **popen):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        for name, value in (env or {}).items():
            environment.pop(name, None)
            if value is not None: environment[name] = value
        run = subprocess.run([TUNE, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=600,
                             cwd=popen.pop("cwd", self.folder), **popen)
        self.assertEqual(run.returncode, code, (arguments, run.stdout, run.stderr))
        return run


class Outputs(FilesTest):
    def report(self, output, code=0, **popen):
        return self.tune("report", self.rows, "-o", output, "-y", "-q", "--thumbnails", "0", code=code, **popen)

    def test_special_modes_are_not_kept(self):
        out = self.new("report.html")
        out.write_text("old")
        out.chmod(0o6750)
        self.report(out)
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o750)
        self.assertIn("<!DOCTYPE html>", out.read_text())

    @needs_root
    def test_a_file_of_another_user_gives_nothing(self):
        for name in ("report.html", "report.md"):
            out = self.new(name)
            out.write_text("old")
            os.chown(out, STRANGER, STRANGER)
            out.chmod(0o4777)
            self.report(out, umask=0o022)
            self.assertEqual((stat.S_IMODE(out.stat().st_mode), out.stat().st_uid), (0o644, 0))

    @needs_root
    def test_a_link_of_another_user_is_refused(self):
        precious, out = self.new("precious"), self.new("report.html")
        precious.write_text("old")
        out.symlink_to(precious)
        os.chown(out, STRANGER, STRANGER, follow_symlinks=False)
        self.assertIn("another user", self.report(out, code=6).stderr)
        self.assertEqual(precious.read_text(), "old")

    @needs_root
    def test_a_pipe_of_another_user_is_not_waited_for(self):
        out = self.new("rows.jsonl")
        out.parent.chmod(0o1777)
        os.mkfifo(out, 0o666)
        os.chown(out, STRANGER, STRANGER)
        for flags in (("--resume",), ("--append",), ("-y",)):
            run = self.tune("corpus", "-i", self.clip, "--encoder", "libx264", "--preset", "ultrafast", "--crf", "30", "-o", out, *flags, code=6)
            self.assertIn("another user", run.stderr)

    @needs_root
    def test_links_of_another_user_under_names_that_a_ladder_makes_up(self):
        precious = self.new("precious")
        precious.write_text("old")
        ladder = ("ladder", "-i", self.clip, "-e", "libx264", "--preset", "ultrafast", "--resolutions", "64x48", "--target-vmafs", "80", "--run", "-y", "-q", "--cache-dir", self.folder / "own")
        for form, output in (("hls", "master.m3u8"), ("dash", "master.mpd")):
            plain, open_to_all = self.new(output), self.new(output)
            self.tune(*ladder, "--format", form, "-o", plain)
            names = sorted(os.listdir(plain.parent))
            self.assertGreater(len(names), 3 if form == "hls" else 1)
            self.assertFalse([n for n in names if n.startswith(".")])  # no leftovers
            open_to_all.parent.chmod(0o1777)
            for name in names:
                if name == output: continue
                link = open_to_all.with_name(name)
                link.symlink_to(precious)
                os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
            self.assertIn("another user", self.tune(*ladder, "--format", form, "-o", open_to_all, code=6).stderr)
            for name in names:
                if name.endswith(".m3u8") or form == "dash": open_to_all.with_name(name).unlink(missing_ok=True)
            self.tune(*ladder, "--format", form, "-o", open_to_all)
            self.assertEqual(sorted(os.listdir(open_to_all.parent)), names)
            self.assertFalse([n for n in names if open_to_all.with_name(n).is_symlink()])
            self.assertEqual(precious.read_text(), "old")

    @needs_root
    def test_links_of_another_user_under_names_that_encodes_use(self):
        precious, out = self.new("precious"), self.new("out.mp4")
        precious.write_text("old")
        folder = out.parent
        folder.chmod(0o1777)
        kept = "clip__libx264__ultrafast__crf30.mkv"
        for name in ("out.mp4.part.mp4", kept, *(f"out.mp4.part.mp4.stats-0.log{suffix}" for suffix in ("", ".mbtree", ".temp"))):
            (folder / name).symlink_to(precious)
            os.chown(folder / name, STRANGER, STRANGER, follow_symlinks=False)
        encoder = ("-i", self.clip, "--encoder", "libx264", "--preset", "ultrafast", "--no-cache", "-q", "-y")
        self.tune("encode", *encoder, "--two-pass", "--bitrate", "100", "-o", out)
        self.tune("corpus", *encoder, "--crf", "30", "--keep", "--encode-dir", folder, "-o", self.new("rows.jsonl"))
        self.assertEqual(precious.read_text(), "old")
        for path in (out, folder / kept):
            self.assertFalse(path.is_symlink())
            self.assertGreater(path.stat().st_size, 500)

    def slow_ffmpeg(self, before):
        """An ffmpeg that does something before it encodes into the folder of one run."""
        program = self.new("ffmpeg")
        program.write_text(f'#!/bin/sh\ncase "$*" in *"-crf 30"*/out.mkv*) {before};; esac\nexec ffmpeg "$@"\n')
        program.chmod(0o755)
        return program

    def test_two_that_write_one_file_do_not_meet(self):
        out = self.new("out.mkv")
        began, go_on = out.with_name("began"), out.with_name("go-on")
        command = ["encode", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--no-cache", "-q", "-o", out]
        program = self.slow_ffmpeg(f"touch {began}; while [ ! -e {go_on} ]; do sleep 0.05; done")
        first = subprocess.Popen(list(map(str, [TUNE, *command, "--ffmpeg-bin", program])), stderr=subprocess.PIPE, text=True)
        self.addCleanup(go_on.touch)  # ends it in any case
        while not began.exists() and first.poll() is None: time.sleep(0.02)
        for more in ([], ["-y"]):
            self.assertIn("is being written by another vmaf-tune", self.tune(*command, *more, code=6).stderr)
        go_on.touch()
        self.assertEqual((first.wait(), first.stderr.read()), (0, ""))
        first.stderr.close()
        self.assertEqual(sorted(path.name for path in out.parent.iterdir()), ["began", "go-on", "out.mkv"])
        self.tune(*command, code=6)
        self.tune(*command, "-y")

    def test_what_appears_while_it_is_made_stays(self):
        out = self.new("out.mkv")
        command = ["encode", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--no-cache", "-q", "-o", out, "--ffmpeg-bin", self.slow_ffmpeg(f"echo precious > {out}")]
        self.assertIn("meanwhile", self.tune(*command, code=6).stderr)
        self.assertEqual(out.read_text(), "precious\n")
        self.assertEqual([path.name for path in out.parent.iterdir()], ["out.mkv"])
        self.tune(*command, "-y")
        self.assertGreater(out.stat().st_size, 500)

    @needs_root
    def test_a_scratch_folder_through_another_users_link_is_refused_at_the_start(self):
        way, real = self.new("way"), self.new("real")
        way.parent.chmod(0o1777)
        real.mkdir()
        way.symlink_to(real)
        os.chown(way, STRANGER, STRANGER, follow_symlinks=False)
        run = self.tune("sample", "-i", self.clip, "--preset", "ultrafast", "--crf", "30", "--no-cache", "--work-dir", way, code=6)
        self.assertIn("is a link that belongs to another user", run.stderr)
        self.assertEqual(list(real.iterdir()), [])

    def test_inputs_are_not_overwritten_under_any_name(self):
        rows, other = self.new("rows.jsonl"), self.new("other")
        rows.write_bytes(self.rows.read_bytes())
        os.link(rows, other)
        for output in (rows, other, rows.parent / "." / "rows.jsonl"):
            self.assertIn("would overwrite", self.tune("report", rows, "-o", output, "-y", code=2).stderr)
        self.assertIn("would overwrite", self.tune("report", rows, "--csv", rows, "-y", code=2).stderr)
        folder = rows.parent
        (folder / "rows.csv").symlink_to("rows.jsonl") # a name that the report makes up
        self.assertIn("would overwrite", self.tune("report", rows, "-o", f"{folder}/", "-y", code=2).stderr)
        clip = self.new("clip.y4m")
        clip.write_bytes(self.clip.read_bytes())
        for flags in (("corpus", "-i", clip, "-o", clip, "-y"), ("search", "-i", clip, "--log", clip), ("score", clip, clip, "-o", clip, "-y"),
                      ("per-shot", "-i", clip, "--plan-out", clip, "-y"), ("search", "--from-corpus", rows, "-o", rows, "-y")):
            self.assertIn("would overwrite", self.tune(*flags, code=2).stderr)
        self.assertEqual(rows.read_bytes(), self.rows.read_bytes())
        self.assertEqual(clip.read_bytes(), self.clip.read_bytes())

    def test_two_outputs_need_two_names(self):
        out = self.new("out.jsonl")
        self.assertIn("two outputs", self.tune("corpus", "-i", self.clip, "-o", out, "--frames", out.parent / "." / "out.jsonl", code=2).stderr)
        self.assertFalse(out.exists())

    def test_a_source_of_a_list_is_not_overwritten(self):
        clip, names = self.new("clip.y4m"), self.new("list")
        clip.write_bytes(self.clip.read_bytes())
        names.write_text(f"{clip}\n")
        self.assertIn("would overwrite", self.tune("corpus", "--source-list", names, "-o", clip, "-y", code=2).stderr)


class Trust(FilesTest):
    def stats(self, cache, code, says="", **popen):
        run = self.tune("cache", "stats", "--cache-dir", cache, code=code, **popen)
        self.assertIn(says, run.stderr)

    def test_a_new_cache_is_for_its_user_alone(self):
        cache = self.new("cache") / "deep"
        self.stats(cache, 0)
        self.assertEqual(stat.S_IMODE(cache.stat().st_mode), 0o700)

    def test_what_everybody_can_write_to_is_refused(self):
        cache = self.new("cache")
        self.stats(cache, 0)
        cache.chmod(0o777)
        self.stats(cache, 6, "all users can write to")
        cache.chmod(0o1777)
        self.stats(cache, 6, "all users can write to")
        cache.chmod(0o700)
        (cache / "cache.sqlite3").chmod(0o666)
        self.stats(cache, 6, "all users can write to")

    @needs_root
    def test_what_others_own_is_refused(self):
        cache = self.new("cache")
        self.stats(cache, 0)
        os.chown(cache / "cache.sqlite3", STRANGER, STRANGER)
        self.stats(cache, 6, "belongs to another user")
        os.chown(cache / "cache.sqlite3", 0, 0)
        os.chown(cache, STRANGER, STRANGER)
        self.stats(cache, 6, "belongs to another user")
        os.chown(cache, 0, 0)
        self.stats(cache, 0)
        for part in ("-journal", "-wal", "-shm"):
            other = cache / f"cache.sqlite3{part}"
            other.write_text("")
            os.chown(other, STRANGER, STRANGER)
            self.stats(cache, 6, "belongs to another user")
            other.unlink()
        # Who owns a folder above it can replace it, and who made a link can redirect it.
        os.chown(cache.parent, STRANGER, STRANGER)
        self.stats(cache, 6, "belongs to another user")
        os.chown(cache.parent, 0, 0)
        link = self.new("link")
        link.symlink_to(cache)
        self.stats(link, 0)
        os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
        self.stats(link, 6, "belongs to another user")
        os.chown(cache, STRANGER, STRANGER)
        # Every command that would use it first reports the problem.
        run = self.tune("search", "-i", self.clip, "--target-vmaf", "90", "--cache-dir", cache, code=6)
        self.assertIn("belongs to another user", run.stderr)
        self.assertIn("--no-cache", run.stderr)
        run = self.tune("search", "-i", self.clip, "--target-vmaf", "90", "--dry-run", env={"XDG_CACHE_HOME": str(cache.parent)}, code=0)
        (cache.parent / "vmaf-tune").rename(cache.parent / "own")
        os.rename(cache, cache.parent / "vmaf-tune")
        run = self.tune("search", "-i", self.clip, "--target-vmaf", "90", "--dry-run", env={"XDG_CACHE_HOME": str(cache.parent)}, code=6)
        self.assertIn("belongs to another user", run.stderr)

    def test_without_a_home_there_is_no_cache(self):
        nowhere = {"HOME": None, "XDG_CACHE_HOME": None}
        before = os.path.exists("/tmp/.cache/vmaf-tune")
        self.assertIn("neither XDG_CACHE_HOME nor HOME", self.tune("cache", "stats", code=2, env=nowhere).stderr)
        run = self.tune("search", "-i", self.clip, "--target-vmaf", "90", "--dry-run", env=nowhere)
        self.assertIn("neither XDG_CACHE_HOME nor HOME", run.stderr)
        self.tune("cache", "stats", code=2, env={"HOME": "relative", "XDG_CACHE_HOME": "relative"})
        self.assertEqual(os.path.exists("/tmp/.cache/vmaf-tune"), before)
        self.assertFalse(os.path.exists(self.folder / "relative"))

    @needs_root
    def test_state_that_others_own_is_refused(self):
        work = self.new("work")
        work.mkdir()
        (work / "state.json").write_text('{"version": 1, "items": {}}')
        os.chown(work / "state.json", STRANGER, STRANGER)
        run = self.tune("ladder", "-i", self.clip, "--work-dir", work, code=6)
        self.assertIn("belongs to another user", run.stderr)

    @needs_root
    def test_segments_that_others_made_are_made_again(self):
        segments = self.new("segments")
        segments.mkdir()
        command = ("per-shot", "-i", self.clip, "-e", "libx264", "--preset", "ultrafast", "--target-vmaf", "60", "--run", "-y", "-q", "--segment-dir", segments, "-o", self.new("out.mp4"))
        self.tune(*command)
        segment = segments / "segment_00000.mkv"
        mark, whole = segments / "segment_00000.mkv.done", segment.read_bytes()
        first = segment.stat().st_ino
        self.tune(*command)
        self.assertEqual(segment.stat().st_ino, first)  # not repeated
        segment.write_bytes(b"planted")
        os.chown(segment, STRANGER, STRANGER)
        self.tune(*command)
        self.assertGreater(len(segment.read_bytes()), len(whole) // 2)  # its identity differs each time
        os.chown(mark, STRANGER, STRANGER)
        segment.write_bytes(b"planted")
        self.tune(*command)
        self.assertGreater(len(segment.read_bytes()), len(whole) // 2)
        self.assertEqual(mark.stat().st_uid, 0)

    @needs_root
    def test_scratch_folders_of_others_are_left_alone(self):
        work = self.new("work")
        folder = work / ".vmaf-tune-theirs"
        folder.mkdir(parents=True)
        (folder / ".lock").touch()
        os.chown(folder, STRANGER, STRANGER)
        os.utime(folder, (0, 0))
        self.tune("search", "-i", self.clip, "--target-vmaf", "90", "--dry-run", "--work-dir", work)
        self.assertTrue(folder.exists())


class Cluster(FilesTest):
    """Fake Slurm commands that record their input; sbatch runs a task immediately, as Slurm would later."""
    RECORD = """#!/usr/bin/env python3
import json, os, sys
with open({log!r}, "a") as log: log.write(json.dumps(sys.argv) + "\\n")
"""
    SBATCH = """
import subprocess
wrap = [a.removeprefix("--wrap=") for a in sys.argv if a.startswith("--wrap=")]
chdir = [a.removeprefix("--chdir=") for a in sys.argv if a.startswith("--chdir=")]
environment = dict(os.environ, SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID="0")
if "__task" in wrap[0]: subprocess.run(["/bin/sh", "-c", wrap[0]], cwd=chdir[0], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(7)
"""

    def setUp(self):
        self.bin = self.new("bin")
        self.bin.mkdir()
        self.log = self.bin.parent / "log"
        for name in ("sbatch", "squeue", "scancel", "sinfo", "scontrol"):
            (self.bin / name).write_text(self.RECORD.format(log=str(self.log)) + (self.SBATCH if name == "sbatch" else ""))
            (self.bin / name).chmod(0o755)

    def submit(self, shared, *more, code=0, **popen):
        return self.tune("corpus", "-i", self.clip, "--encoder", "libx264", "--preset", "ultrafast", "--crf", "30", "-o", self.bin.parent / "rows.jsonl",
                         "--score-scale", "none", "--executor", "slurm", "--shared", shared, *more, code=code,
                         env={"PATH": f"{self.bin}:{os.environ['PATH']}", **popen.pop("env", {})}, **popen)

    def calls(self, name): return [c for c in map(json.loads, self.log.read_text().splitlines()) if os.path.basename(c[0]) == name]

    def test_names_of_folders_are_names_only(self):
        made = self.bin.parent / "made"
        for name in ("plain", "a b $(touch made) `touch made` '; touch made; '", '"$(touch made)" x%j\n-y'):
            self.log.unlink(missing_ok=True)
            shared = self.bin.parent / f"shared {name}"
            shared.mkdir()
            run = self.submit(shared, "-y", cwd=self.bin.parent)
            self.assertIn('"exit_status":0', (self.bin.parent / "rows.jsonl").read_text().replace(" ", ""), name)
            self.assertFalse(made.exists(), name)
            self.assertNotIn("\n-y", run.stderr)
            output = [a for a in self.calls("sbatch")[0] if a.startswith("--output=")][0]
            self.assertEqual(output.replace("%%", "").count("%"), 2, output)  # of the job and of the task
            self.assertFalse(list(shared.glob("runs/*/logs/*.sh")))  # nothing that could be changed before Slurm reads it
        self.assertIn("backslash", self.submit(self.bin.parent / "back\\slash", "-y", code=2).stderr)
        self.assertFalse((self.bin.parent / "back\\slash").exists())

    def test_only_own_jobs_are_asked_for_and_cancelled(self):
        folder = self.submit(self.bin.parent / "shared", "--detach").stdout.strip()
        self.tune("status", folder, "--cancel", code=130, env={"PATH": f"{self.bin}:{os.environ['PATH']}"})
        self.assertTrue(self.calls("squeue") and self.calls("scancel"))
        for call in self.calls("squeue") + self.calls("scancel"): self.assertIn(f"--user={os.getuid()}", call)

    def test_a_watcher_sees_what_a_node_has_finished(self):
        folder, path = self.submit(self.bin.parent / "shared", "--detach", cwd=self.bin.parent).stdout.strip(), {"PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.tune("__settle", folder, "0", cwd=self.bin.parent, env=path)
        self.assertIn("wrote 1 rows -> ", self.tune("status", folder, "--attach", cwd=self.bin.parent, env=path).stderr)

    @needs_root
    def test_runs_of_others_are_refused(self):
        folder = pathlib.Path(self.submit(self.bin.parent / "shared", "--detach").stdout.strip())
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        path = {"PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.tune("status", folder, env=path)
        for part in (folder / "run.json", folder):
            os.chown(part, STRANGER, STRANGER)
            self.assertIn("belongs to another user", self.tune("status", folder, code=6, env=path).stderr)
            os.chown(part, 0, 0)
        folder.chmod(0o777)
        self.assertIn("all users can write to", self.tune("status", folder, code=6, env=path).stderr)
        folder.chmod(0o700)
        (folder / "phases" / "1").write_text("[9")
        self.assertIn("damaged", self.tune("status", folder, code=2, env=path).stderr)
        (folder / "phases" / "1").unlink()
        made = json.loads((folder / "run.json").read_text())
        for text in ("", "[]", "{}", *(json.dumps({**made, part: wrong}) for part in made for wrong in (None, {"a": 1}))):
            (folder / "run.json").write_text(text)
            self.assertIn("damaged", self.tune("status", folder, code=2, env=path).stderr, text)


class Limits(FilesTest):
    @needs_root  # limits do not apply to root
    @needs_public_build
    def test_programs_that_cannot_be_started_are_reported_with_a_remedy(self):
        run = self.tune("score", self.clip, self.clip, "--no-cache", code=2, user=STRANGER, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
        self.assertRegex(run.stderr, "cannot start '.*': Resource temporarily unavailable; .*ulimit -u")


class Terminal(FilesTest):
    def test_control_characters_of_names_are_visible(self):
        name = "a\x1b]0;x\x07\n\u202egnp\u0085.y4m"
        for flags in (("search", "-i", name, "--target-vmaf", "90"), ("report", name), ("score", name, name)):
            run = self.tune(*flags, code=2)
            self.assertNotRegex(run.stderr.rstrip("\n"), "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
            self.assertIn("\\x1b", run.stderr)

    def test_formulas_in_rows_are_texts_in_csv(self):
        rows = self.new("rows.jsonl")
        hostile = ["=1+1", "+1", "-1", "@x", "\tx", "a,\"b\"\r\n=c"]
        report_data.write(rows, [{"src": "s", "encoder": name, "preset": "p", "crf": 1, "score": 50, "bitrate_kbps": 10} for name in hostile])
        out = rows.with_name("rows.csv")
        self.tune("report", rows, "--csv", out)
        with open(out, newline="") as file: found = [row["encoder"] for row in csv.DictReader(file)]
        self.assertEqual(found, ["'" + name if name[0] in "=+-@\t" else name for name in hostile])


if __name__ == "__main__":
    unittest.main()
