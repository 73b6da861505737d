#!/usr/bin/env python3
"""vmaf-tune with a scorer on a GPU that opens files itself (stand-in: gpu_stand_in.py): the same rows as through pipes.

  direct_test.py VMAF_TUNE VMAF CLIPGEN
"""
import json
import os
import shutil
import unittest

import gpu_stand_in
import tune_case

TUNE, VMAF, CLIPGEN = tune_case.take_programs("tune", "vmaf", "clipgen")
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_stand_in.py")
# What differs between two runs.
OWN = ("run_id", "timestamp", "encode_time_ms", "score_time_ms", "score_fps", "fps", "decoded_by", "from_cache", "argv", "host", "warnings", "encode_fps")


class Direct(tune_case.FreshCase):
    FOLDER = "vmaf-tune-direct-"
    TIMEOUT = 120

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.raw = cls.make_clip("raw.y4m", "96x64", frames=24)
        cls.clip = cls.path("clip.mp4")
        cls.ffmpeg("-i", cls.raw, "-c:v", "libx264", "-g", "8", "-crf", "12", cls.clip)

    def tune(self, *arguments, fault="", env=None, **options):
        log = self.path("log")
        open(log, "w").close()
        run = super().tune(*arguments, env={"VMAF": VMAF, "GPU_LOG": log, "GPU_FAULT": fault, **(env or {})}, **options)
        scores = [r for r in map(json.loads, open(log)) if r["type"] == "score"]
        self.scores = [score for score in scores if not gpu_stand_in.is_ahead(score)]
        self.ahead = len(scores) - len(self.scores)
        return run

    def corpus(self, source, *more, backend="cuda", transport="auto", scale="none", crf=(24, 36), encoder=("-e", "libx264", "--preset", "ultrafast"), code=0, **options):
        scorer = ("--score-backend", backend, "--vmaf-bin", STAND_IN, "--score-jobs", "1", "--score-transport", transport)
        self.run_ = self.tune("corpus", "-i", source, *encoder, *(word for q in crf for word in ("--crf", str(q))), "--score-scale", scale, *scorer, "--no-cache", "-y",
                              "-o", "rows.jsonl", *more, code=code, **options)
        return sorted(self.rows(), key=lambda row: row["crf"])

    def opened(self):
        """Whether the scorer opened files, per score."""
        return [not any(word.startswith("descriptor:") for word in score["arguments"]) for score in self.scores]

    def equal(self, rows, others):
        strip = lambda row: {key: value for key, value in row.items() if key not in OWN}
        self.assertEqual([strip(row) for row in rows], [strip(row) for row in others])

    def compare(self, source, *more, is_direct=True, **options):
        piped = self.corpus(source, *more, transport="pipe", **options)
        self.assertEqual(set(self.opened()), {False})
        direct = self.corpus(source, *more, **options)
        self.assertEqual(set(self.opened()), {is_direct}, self.run_.stderr)
        self.equal(direct, piped)
        return direct

    def test_rows_are_those_of_pipes(self):
        for row in self.compare(self.clip): self.assertEqual((row["decoded_by"], row["warnings"]), ({"reference": "cuda", "encode": "cuda"}, []))
        self.assertEqual([score.get("keep_reference") for score in self.scores], [True, True])
        self.assertIn("decoded by the GPU (cuda)", self.run_.stderr)
        self.compare(self.raw)
        self.compare(self.clip, "--also", "psnr", "--subsample", "2")
        self.compare(self.clip, "--samples", "2", "--sample-duration", "0.4")
        self.compare(self.clip, encoder=("-e", "libx265", "--preset", "ultrafast"), crf=(30,))
        deep = self.path("deep.mkv")
        self.ffmpeg("-i", self.raw, "-pix_fmt", "yuv422p10le", "-c:v", "libx264", "-crf", "12", deep)
        self.compare(deep)

    def test_first_probe_knows_what_encoders_make(self):
        """Before anything was read back: with a cache too."""
        for encoder in (("-e", "libx264", "--preset", "ultrafast"), ("-e", "libsvtav1", "--preset", "12"), ("-e", "libvpx-vp9", "--preset", "ultrafast")):
            self.corpus(self.clip, encoder=encoder, crf=(40,))
            self.assertEqual(self.opened(), [True], self.run_.stderr)

    def test_film_grain_of_encodes_is_left_out(self):
        av1 = ("-e", "libsvtav1", "--preset", "12", "--enc", "svtav1-params=film-grain=30")
        for grain in ("drop", "keep"):
            row = self.compare(self.clip, "--film-grain", grain, encoder=av1, crf=(40,))[0]
            self.assertEqual(row["decoded_by"], {"reference": "vmaf", "encode": "vmaf"})
            self.assertEqual("--film_grain" in self.scores[0]["arguments"], grain == "drop")

    def test_other_pairs_go_through_pipes(self):
        prores, turned, two = self.path("prores.mov"), self.path("turned.mp4"), self.path("two.mkv")
        self.ffmpeg("-i", self.raw, "-c:v", "prores_ks", prores)
        self.ffmpeg("-i", self.clip, "-c", "copy", "-metadata:s:v", "rotate=90", turned)
        self.ffmpeg("-i", self.clip, "-i", self.clip, "-map", "0", "-map", "1", "-c", "copy", two)
        for source, more in ((prores, ()), (turned, ()), (two, ()), (self.clip, ("--vfilter", "scale=48:32")), (self.clip, ("--allow-damaged",))):
            for row in self.compare(source, *more, is_direct=False, crf=(30,)):
                self.assertEqual(row["decoded_by"], {"reference": "ffmpeg", "encode": "ffmpeg"})
        self.compare(self.clip, is_direct=False, scale="auto", crf=(30,))
        self.corpus(self.clip, backend="cpu", crf=(30,))
        self.assertEqual(self.opened(), [False])

    def test_the_reference_is_opened_while_the_first_encode_is_made(self):
        for more, fault, ahead in (((), "", 1), ((), "ahead", 1), (("--ref-cache", "0"), "", 0), (("--encoder", "libsvtav1"), "", 0)):  # 10 bits: other frames
            encoder = () if more[:1] == ("--encoder",) else ("-e", "libx264", "--preset", "ultrafast")
            rows = self.corpus(self.clip, *more, encoder=encoder, fault=fault)
            self.assertEqual((self.ahead, self.opened()), (ahead, [True, True]), more)
            self.equal(rows, self.corpus(self.clip, *more, encoder=encoder, transport="pipe"))
            self.assertEqual(self.ahead, 0)

    def test_memory_for_references_can_be_switched_off(self):
        self.corpus(self.clip, "--ref-cache", "0")
        self.assertEqual([(opened, "keep_reference" in score) for opened, score in zip(self.opened(), self.scores)], [(True, False)] * 2)

    def test_existing_files(self):
        encode = self.path("encode.mkv")
        self.ffmpeg("-i", self.clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", encode)
        results = {}
        for transport in ("auto", "pipe"):
            run = self.tune("score", self.clip, encode, encode, "--score-scale", "none", "--score-backend", "cuda", "--vmaf-bin", STAND_IN, "--score-transport", transport, "--format", "json", "--no-cache")
            results[transport] = json.loads(run.stdout)
            self.assertEqual(set(self.opened()), {transport == "auto"})
        for direct, piped in zip(*results.values(), strict=True):
            self.assertEqual(direct["frames"], piped["frames"])
            self.assertEqual(direct["decoded_by"], {"reference": "cuda", "encode": "cuda"})
        run = self.tune("score", self.clip, encode, "--score-scale", "none", "--score-backend", "cuda", "--vmaf-bin", STAND_IN, "--no-cache")
        self.assertIn("decoded by the GPU (cuda)", run.stdout)

    def test_a_damaged_source_is_refused(self):
        damaged = self.path("damaged.mp4")
        data = bytearray(open(self.clip, "rb").read())
        start = data.index(b"mdat") + 4
        for i in range(start + 2500, start + 2900): data[i] ^= 0x55
        open(damaged, "wb").write(data)
        messages = set()
        for transport, fault in (("pipe", ""), ("auto", ""), ("auto", "blind:1+"), ("direct", "blind:1+")):
            rows = self.corpus(damaged, transport=transport, fault=fault, crf=(30,), code=4, env={"GPU_WHOLE": self.clip})
            self.assertNotEqual(rows[0]["exit_status"], 0)
            messages.add(rows[0]["error"]["message"])
            self.assertEqual(len(self.scores), 1)
        self.assertEqual(len(messages), 1, messages)
        self.assertRegex(messages.pop(), "the source is damaged; its decoder says .*--allow-damaged")
        for transport, fault in (("pipe", ""), ("direct", "blind:1+")):
            row = self.corpus(damaged, "--allow-damaged", transport=transport, fault=fault, crf=(30,), env={"GPU_WHOLE": self.clip})[0]
            self.assertRegex(" ".join(row["warnings"]), "the source is damaged; .* scores of damaged pictures are meaningless")

    def test_the_source_is_examined_once(self):
        calls = self.path("calls")
        fake = self.program("ffmpeg", f'case "$*" in *"-f null -") case "$*" in *clip.mp4*) echo x >> {calls};; esac;; esac\nexec {shutil.which("ffmpeg")} "$@"')
        scorer = ("--score-backend", "cuda", "--vmaf-bin", STAND_IN, "--ffmpeg-bin", fake)
        for crf in ("30", "32", "34"):
            self.tune("corpus", "-i", self.clip, "--preset", "ultrafast", "--crf", crf, "--crf", str(int(crf) + 1), "--score-scale", "none", *scorer, "-o", "rows.jsonl", "-y")
            self.assertEqual(self.opened(), [True, True])
        self.assertEqual(open(calls).read().count("x"), 1)

    def test_files_that_the_scorer_refuses_go_through_pipes(self):
        piped = self.corpus(self.clip, transport="pipe")
        for fault in ("refuse:1+", "short:1"):
            rows = self.corpus(self.clip, "--jobs", "1", fault=fault)
            self.equal(rows, piped)
            self.assertEqual(self.opened(), [True, False, False], fault)  # it is not tried again
            self.assertRegex(rows[0]["warnings"][0], "FFmpeg decoded the frames, because the scorer could not use the files: .*(opens no files|23 of 24)")
            self.assertEqual(rows[1]["warnings"], [])
        rows = self.corpus(self.clip, fault="refuse:1+", transport="direct", code=4)
        self.assertIn("opens no files", rows[0]["error"]["message"])
        self.assertEqual(set(self.opened()), {True})

    def test_a_scorer_that_dies(self):
        piped = self.corpus(self.clip, transport="pipe")
        for fault, scores in (("kill:1", 3), ("kill:2", 3), ("kill:1,kill:2", 4), ("kill:1,kill:3", 4)):
            rows = self.corpus(self.clip, "--jobs", "1", fault=fault)
            self.equal(rows, piped)
            self.assertEqual(len(self.scores), scores, fault)
        rows = self.corpus(self.clip, fault="kill:1+", code=4)
        self.assertEqual(len(rows), 2)
        self.assertNotIn(0, [row["exit_status"] for row in rows])

    def test_a_device_that_is_lost(self):
        piped = self.corpus(self.clip, transport="pipe")
        rows = self.corpus(self.clip, "--jobs", "1", fault="lose:1")
        self.equal(rows, piped)
        self.assertEqual(self.opened(), [True, False, False])
        rows = self.corpus(self.clip, fault="lose:1+", code=4)
        self.assertEqual({row["exit_status"] for row in rows}, {501})


if __name__ == "__main__":
    unittest.main()
