#!/usr/bin/env python3
"""vmaf-tune --executor slurm on a real local slurmctld with two slurmd: the same answers as without Slurm, and nothing lost or
repeated beyond what was running when nodes, tasks, the controller or the user go away.

  slurm_test.py VMAF_TUNE CLIPGEN [unittest arguments]
"""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cluster as slurm

TUNE, CLIPGEN = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
ITS_OWN = {"run_id", "timestamp", "encode_time_ms", "score_time_ms", "encode_fps", "score_fps", "from_cache", "timing_shared", "host", "argv", "encode_path"}


def read(path):
    with open(path) as file: return [json.loads(line) for line in file]


def told(row): return {k: v for k, v in row.items() if k not in ITS_OWN}


class Case(unittest.TestCase):
    """A cluster per test class, and a folder per test."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="vmaf-tune-slurm")
        os.mkdir(cls.scratch.name + "/cluster")
        cls.cluster = slurm.Cluster(cls.scratch.name + "/cluster")
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.addClassCleanup(cls.cluster.__exit__)
        cls.clips = []
        for name, scene in (("a clip", "street"), ("b", "cut")):
            cls.clips.append(f"{cls.scratch.name}/{name}.y4m")
            subprocess.check_call([CLIPGEN, "--size", "96x64", "--frames", "12", "--format", "420", "--depth", "8", "--scene", scene, cls.clips[-1]])
        # Encodes that only take time, so that something can happen during them.
        cls.slow = cls.scratch.name + "/slow-ffmpeg"
        with open(cls.slow, "w") as file: file.write('#!/bin/sh\ncase "$*" in *"-c:v libx264"*"-crf"*) echo >> "$COUNT"; sleep 1;; esac\nexec ffmpeg "$@"\n')
        os.chmod(cls.slow, 0o755)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="run", dir=self.scratch.name)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = {**self.cluster.environment, "COUNT": self.folder + "/encodes-begun", "XDG_CACHE_HOME": self.folder + "/cache", "TMPDIR": self.folder}
        self.shared = self.folder + "/shared"
        self.addCleanup(lambda: self.cluster.wait_for(lambda: not self.cluster.ask("squeue", "-h").strip(), "an empty queue", 90))
        self.addCleanup(lambda: self.cluster.ask("scancel", "-u", "root"))
        self.cluster.make_ready()

    def tune(self, *arguments, code=0, timeout=300):
        run = subprocess.run([TUNE, *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        self.assertEqual(run.returncode, code, run.stderr + run.stdout + self.logs())
        return run

    def start(self, *arguments):
        return subprocess.Popen([TUNE, *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def logs(self):
        text = ""
        for path in sorted(glob.glob(self.shared + "/runs/*/logs/*.log")):
            with open(path, errors="replace") as file: text += f"--- {path}\n" + file.read()[-1500:]
        return text

    def corpus(self, output, *more, values="22:40:6", slow=False):
        sources = [x for clip in self.clips for x in ("-i", clip)]
        return ["corpus", *sources, "-e", "libx264", "--preset", "ultrafast", "--crf-range", values, "--score-scale", "none", "-o", output, *(["--ffmpeg-bin", self.slow] if slow else []), *more]

    def on_slurm(self, *more): return ["--executor", "slurm", "--shared", self.shared, *more]

    def done(self):
        """Results in the shared folder of the only run."""
        return [json.loads(line)["unit"] for path in glob.glob(self.shared + "/runs/*/rows/*.jsonl") for line in open(path) if line.endswith("\n")]

    def begun(self):
        try:
            with open(self.environment["COUNT"]) as file: return len(file.readlines())
        except FileNotFoundError: return 0

    def check_whole(self, output, cells, most_repeated):
        rows = read(output)
        self.assertEqual([(r["src"], r["crf"]) for r in rows], cells)
        self.assertTrue(all(r["exit_status"] == 0 for r in rows))
        self.assertLessEqual(self.begun(), len(cells) + most_repeated)

    def cells(self, first, last, step): return [(clip, q) for clip in self.clips for q in range(first, last + 1, step)]

    def kill_node(self, name):
        """The node with all its processes: slurmd and its children."""
        self.cluster.kill(name)
        own = self.cluster.environment["SLURM_CONF"].encode()
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/environ", "rb") as file: entries = file.read().split(b"\0")
            except OSError: continue
            is_task = b"SLURM_CONF=" + own in entries and b"SLURMD_NODENAME=" + name.encode() in entries
            if is_task: os.kill(int(os.path.basename(path)), signal.SIGKILL)


class OnTheCluster(Case):
    def test_a_corpus_is_that_of_one_machine(self):
        self.tune(*self.corpus("local.jsonl", "--no-cache", "--frames", "local-frames.jsonl"))
        self.tune(*self.corpus("slurm.jsonl", "--frames", "slurm-frames.jsonl", "--keep", *self.on_slurm("--constraint", "n1|n2", "--partition", "low")))
        self.assertEqual([told(r) for r in read(self.folder + "/local.jsonl")], [told(r) for r in read(self.folder + "/slurm.jsonl")])
        self.assertEqual([f["frames"] for f in read(self.folder + "/local-frames.jsonl")], [f["frames"] for f in read(self.folder + "/slurm-frames.jsonl")])
        for row in read(self.folder + "/slurm.jsonl"): self.assertEqual(os.path.getsize(row["encode_path"]), row["encode_file_bytes"])
        # Again: everything is in the shared results.
        self.tune(*self.corpus("again.jsonl", *self.on_slurm()))
        self.assertTrue(all(r["from_cache"] for r in read(self.folder + "/again.jsonl")))
        # More cells: computes only those that are missing.
        self.tune(*self.corpus("slurm.jsonl", "--resume", *self.on_slurm(), values="22:46:6"))
        self.assertEqual(len(read(self.folder + "/slurm.jsonl")), 10)

    def test_searches_scores_and_predictions_are_those_of_one_machine(self):
        search = ["search", *(x for clip in self.clips for x in ("-i", clip)), "-e", "libx264", "--preset", "ultrafast", "--target-vmaf", "80",
                  "--score-scale", "none", "--best-effort"]
        def answers(*more): return [line for line in self.tune(*search, *more).stdout.splitlines() if line.startswith("src=")]
        local = answers()
        self.assertEqual(len(local), 2)
        self.assertEqual(answers("-o", "probes.jsonl", *self.on_slurm()), local)
        self.assertEqual({row["src"] for row in read(self.folder + "/probes.jsonl")}, set(self.clips))
        score = ["score", self.clips[0], *self.clips, "--align", "none", "--score-scale", "none", "--format", "csv"]
        self.assertEqual(self.tune(*score, *self.on_slurm()).stdout, self.tune(*score).stdout)
        predict = ["predict", "-i", self.clips[1], "-e", "libx264", "--preset", "ultrafast", "--target-vmaf", "80", "--validate-k", "1", "--score-scale", "none"]
        run = self.start(*predict)
        text, _ = run.communicate(timeout=300)
        self.assertIn("shots", json.loads(text))
        self.assertEqual(self.tune(*predict, *self.on_slurm(), code=run.returncode).stdout, text)

    def test_failed_cells_are_rows_and_set_the_exit_code(self):
        with open(self.folder + "/broken.mkv", "wb") as file: file.write(b"not a video")
        run = self.tune(*self.corpus("rows.jsonl", "-i", self.folder + "/broken.mkv", *self.on_slurm()), code=5)
        rows = read(self.folder + "/rows.jsonl")
        self.assertEqual(len(rows), 12)
        self.assertEqual(sum(r["exit_status"] != 0 for r in rows), 4)
        self.assertIn("4 failed", run.stderr)

    def test_a_lost_node_costs_what_ran_on_it(self):
        cells = self.cells(20, 35, 1)
        process = self.start(*self.corpus("rows.jsonl", *self.on_slurm(), values="20:35", slow=True))
        self.cluster.wait_for(lambda: len(self.done()) >= 6, "rows")
        self.kill_node("n2")
        try:
            # The node is listed while Slurm waits for it, or is given up.
            run = glob.glob(self.shared + "/runs/*")[0]
            self.cluster.wait_for(lambda: "node n2 " in self.tune("status", run).stdout, "the lost node", 60)
            self.assertEqual([node["node"] for node in json.loads(self.tune("status", run, "--json").stdout)["lost_nodes"]], ["n2"])
            _, errors = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, errors + self.logs() + self.cluster.logs())
            self.check_whole(self.folder + "/rows.jsonl", cells, most_repeated=2 * self.cluster.cpus)
        finally:
            self.cluster.start_node("n2")
            self.cluster.wait_for(lambda: "down" not in self.cluster.ask("sinfo", "-h", "-N", "-o", "%t"), "the node", 90)

    def test_requeued_and_preempted_tasks_go_on(self):
        cells = self.cells(20, 35, 1)
        process = self.start(*self.corpus("rows.jsonl", *self.on_slurm("--partition", "low"), values="20:35", slow=True))
        self.cluster.wait_for(lambda: len(self.done()) >= 4, "rows")
        running = self.cluster.ask("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%i").split()
        self.cluster.ask("scontrol", "requeue", running[0])
        self.cluster.wait_for(lambda: len(self.done()) >= 8, "rows")
        self.cluster.ask("sbatch", "--partition=high", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap", "sleep 2")
        _, errors = process.communicate(timeout=250)
        self.assertEqual(process.returncode, 0, errors + self.logs())
        self.check_whole(self.folder + "/rows.jsonl", cells, most_repeated=1 + 2 * self.cluster.cpus)

    def test_what_the_time_limit_leaves_is_submitted_again(self):
        # Tasks are warned a minute before the end: with two minutes they work for one.
        self.tune(*self.corpus("rows.jsonl", *self.on_slurm("--time", "2", "--tasks", "2"), values="20:39.75:0.25", slow=True), timeout=600)
        self.assertEqual(len(read(self.folder + "/rows.jsonl")), 160)
        self.assertEqual(self.begun(), 160, "nothing was done twice")
        with open(glob.glob(self.shared + "/runs/*/state.json")[0]) as file: self.assertGreater(len(json.load(file)["jobs"]), 1)

    def test_the_submitting_process_may_die(self):
        process = self.start(*self.corpus("rows.jsonl", *self.on_slurm(), values="20:29", slow=True))
        self.cluster.wait_for(lambda: len(self.done()) >= 3, "rows")
        process.kill()
        process.communicate()
        self.cluster.wait_for(lambda: os.path.exists(self.folder + "/rows.jsonl"), "the output, which the last job writes", 90)
        self.check_whole(self.folder + "/rows.jsonl", self.cells(20, 29, 1), most_repeated=0)

    def test_ctrl_c_cancels_and_keeps_what_is_done(self):
        process = self.start(*self.corpus("rows.jsonl", *self.on_slurm(), values="20:35", slow=True))
        self.cluster.wait_for(lambda: len(self.done()) >= 4, "rows")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.cluster.ask("squeue", "-h").strip(), "")
        before = read(self.folder + "/rows.jsonl")
        self.assertTrue(4 <= len(before) < 32, len(before))
        self.tune(*self.corpus("rows.jsonl", "--resume", *self.on_slurm(), values="20:35", slow=True))
        rows = read(self.folder + "/rows.jsonl")
        self.assertEqual(len(rows), 32)
        self.assertEqual([r["run_id"] for r in rows[:len(before)]], [r["run_id"] for r in before])

    def test_a_detached_run_is_watched_later(self):
        run = self.tune(*self.corpus("rows.jsonl", *self.on_slurm("--detach"), values="20:25", slow=True)).stdout.strip()
        status = json.loads(self.tune("status", run, "--json").stdout)
        self.assertEqual((status["units"], status["finished"]), (12, False))
        self.assertIn("of 12 done", self.tune("status", "--shared", self.shared).stdout)
        self.assertIn("running", self.tune("status", run, "--attach").stderr)
        self.tune("status", run, "--wait")
        self.assertEqual(len(read(self.folder + "/rows.jsonl")), 12)
        self.assertIn("ended, exit code 0", self.tune("status", run).stdout)
        self.tune("status", self.folder + "/nosuch", code=2)
        # Ended from elsewhere: finished work is written.
        run = self.tune(*self.corpus("ended.jsonl", *self.on_slurm("--detach"), values="20:45", slow=True)).stdout.strip()
        self.cluster.wait_for(lambda: os.listdir(run + "/rows"), "rows")
        self.assertIn("cancelled", self.tune("status", run, "--cancel", code=130).stderr)
        self.assertEqual(self.cluster.ask("squeue", "-h").strip(), "")
        self.assertTrue(0 < len(read(self.folder + "/ended.jsonl")) < 52)
        self.tune("status", run, "--wait", code=130)

    def test_searches_are_those_of_one_machine(self):
        clip = self.clips[1]
        common = ["-i", clip, "--score-scale", "none"]
        for command, outcome in ((["compare", *common, "--encoders", "libx264:ultrafast,libx264:veryfast", "--target-vmaf", "80", "--format", "json"], "rows"),
                                 (["ladder", *common, "--preset", "ultrafast", "--resolutions", "96x64,48x32", "--target-vmafs", "70,50"], "renditions"),
                                 (["per-shot", *common, "--preset", "ultrafast", "--target-vmaf", "80", "--min-shot", "4"], "shots")):
            flag = "--plan-out" if command[0] == "per-shot" else "-o"
            self.tune(*command, flag, "local.json", "--no-cache", "-y")
            self.tune(*command, flag, "slurm.json", "-y", *self.on_slurm())
            local, remote = (json.load(open(f"{self.folder}/{name}.json"))[outcome] for name in ("local", "slurm"))
            keep = lambda items: [{k: v for k, v in item.items() if k not in ("encode_time_ms", "encode_fps", "probes")} for item in items]
            self.assertEqual(keep(local), keep(remote), command[0])

    def test_what_cannot_work_is_refused(self):
        self.assertIn("--shared", self.tune(*self.corpus("rows.jsonl", "--executor", "slurm"), code=2).stderr)
        self.assertIn("sbatch refused", self.tune(*self.corpus("rows.jsonl", *self.on_slurm("--partition", "nosuch")), code=4).stderr)
        self.assertIn("sbatch refused", self.tune(*self.corpus("rows.jsonl", *self.on_slurm("--gres", "gpu:7")), code=4).stderr)
        # A GPU backend that no node has: no cell falls back to the CPU.
        run = self.tune(*self.corpus("rows.jsonl", *self.on_slurm("--score-backend", "cuda")), code=7)
        self.assertIn("cuda", run.stderr)
        self.assertFalse(os.path.exists(self.folder + "/rows.jsonl") and read(self.folder + "/rows.jsonl"))
        # A node that Slurm believes has a GPU: the same without naming the backend.
        self.assertIn("cuda", self.tune(*self.corpus("gpu.jsonl", *self.on_slurm("--gres", "gpu:1")), code=7).stderr)

    def test_other_ways_to_ask_for_rows(self):
        with open(self.folder + "/list", "w") as file: file.write("\n".join(self.clips) + "\n")
        common = ["corpus", "--source-list", "list", "-e", "libx264", "--preset", "ultrafast", "--score-scale", "none"]
        self.tune(*common, "--crf", "30", "--format", "csv", "-o", "rows.csv", *self.on_slurm())
        with open(self.folder + "/rows.csv") as file: self.assertEqual(len(file.readlines()), 3)
        for name, more in (("local-variants", ["--no-cache"]), ("slurm-variants", self.on_slurm())):
            self.tune(*common, "--crf", "25", "--crf", "35", "--variant", "plain=g=12", "--variant", "fast=preset=veryfast,g=6", "-o", name + ".jsonl", *more)
        self.assertEqual(*[[told(r) for r in read(f"{self.folder}/{name}-variants.jsonl")] for name in ("local", "slurm")])
        for name, more in (("local", ["--no-cache"]), ("slurm", self.on_slurm("--tasks", "2"))):
            self.tune(*common, "--coarse-to-fine", "--target-vmaf", "70", "--coarse-step", "15", "--fine-radius", "1", "-o", name + ".jsonl", *more)
        self.assertEqual([told(r) for r in read(self.folder + "/local.jsonl")], [told(r) for r in read(self.folder + "/slurm.jsonl")])


class WithoutItsController(Case):
    # Uses its own cluster: a controller that could not save its state reuses job numbers, and nodes that know such a number drain
    # themselves.
    def test_the_controller_may_die(self):
        cells = self.cells(20, 29, 1)
        process = self.start(*self.corpus("rows.jsonl", *self.on_slurm(), values="20:29", slow=True))
        self.cluster.wait_for(lambda: len(self.done()) >= 3, "rows")
        self.cluster.kill("slurmctld")
        time.sleep(4)
        self.cluster.start_controller()
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, errors + self.logs() + self.cluster.logs())
        self.check_whole(self.folder + "/rows.jsonl", cells, most_repeated=2 * self.cluster.cpus)


if __name__ == "__main__":
    if slurm.missing(): sys.exit("not installed: " + ", ".join(slurm.missing()) + " (Debian: apt-get install slurm-wlm munge)")
    if os.getuid() != 0: sys.exit("a local cluster needs root")
    unittest.main(verbosity=2, warnings="ignore")
