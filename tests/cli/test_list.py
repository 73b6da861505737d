"""--list, and several --distorted: many pairs in one run."""
import json
import os
import subprocess
import unittest

from support import CommandTest, read, without_fps

NO_MODEL = ("-n", "--feature", "psnr")


class Lists(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.worse = cls.clip("worse clip.y4m", distort="dct:90")
        cls.small = cls.clip("small.y4m", size="32x32")

    def listed(self, text, *arguments, expect=0, **popen):
        return self.vmaf("--list", self.file("pairs.txt", text), *arguments, expect=expect, **popen)

    def folder_of(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder

    def test_documents_are_those_of_single_runs(self):
        out = self.folder_of("same")
        single = self.folder / "single.json"
        lines = f"# comment\n{self.ref} {self.dist}\n\n{self.ref}\t{self.worse}\r\n{self.ref} '{self.ref}' \"{out}/own name.json\"\n"
        for jobs in ("1", "3", "auto"):
            run = self.listed(lines, "--json", "-o", out, "--jobs", jobs)
            self.assertEqual(run.stderr, "")
            self.assertEqual(sorted(os.listdir(out)), ["dist.json", "own name.json", "worse clip.json"])
            for distorted, name in ((self.dist, "dist"), (self.worse, "worse clip"), (self.ref, "own name")):
                self.vmaf("-r", self.ref, "-d", distorted, "--json", "-o", single)
                self.assertEqual(without_fps((out / f"{name}.json").read_text()), without_fps(single.read_text()))
        score = json.loads((out / "dist.json").read_text())["pooled_metrics"]["vmaf"]["mean"]
        self.assertIn(f"{self.dist}\tvmaf_v0.6.1: {score:.6f}\n", run.stdout)

    def test_a_pair_that_fails_does_not_stop_the_others(self):
        out = self.folder_of("failing")
        run = self.listed(f"{self.ref} /no/such.y4m\n{self.ref} {self.small}\n{self.ref} {self.dist}\n", "--csv", "-o", out,
                          *NO_MODEL, expect=2)
        self.assertEqual(os.listdir(out), ["dist.csv"])
        problems = run.stderr.splitlines()
        self.assertEqual(len(problems), 3, run.stderr)
        problems[:2] = sorted(problems[:2])  # pairs run side by side
        self.assertIn("line 1 of", problems[0])
        self.assertIn("/no/such.y4m", problems[0])
        self.assertIn("line 2 of", problems[1])
        self.assertIn("32x32", problems[1])
        self.assertIn("2 of 3 pairs could not be scored", problems[2])

    def test_lines_about_a_pair_say_where_it_stands(self):
        short = self.clip("short.y4m", frames=2)
        run = self.listed(f"{self.ref} {self.dist}\n{self.ref} {short}\n", *NO_MODEL, "--jobs", "2")
        self.assertRegex(run.stderr, r"^vmaf: line 2 of '.*pairs.txt': the distorted clip .* ended .*common part is scored\n$")

    def test_backslashes_are_for_blanks_and_quotes_and_part_of_other_names(self):
        worse = str(self.worse).replace(" ", "\\ ")
        run = self.listed(f"{self.ref} {worse}\n{self.ref} no\\such\\clip.y4m\n", *NO_MODEL, expect=2)
        self.assertEqual(run.stderr.count("\n"), 2, run.stderr)
        self.assertIn("no\\such\\clip.y4m", run.stderr)

    def test_a_byte_order_mark_is_no_part_of_a_name(self):
        self.listed(f"\ufeff{self.ref} {self.dist}\r\n", "-o", self.folder_of("marked"))

    def test_the_list_may_come_from_standard_input(self):
        run = self.vmaf("--list", "-", input=f"{self.ref} {self.dist}")
        self.assertEqual(run.stdout.count("\n"), 1)

    def test_lists_that_make_no_sense_are_refused_before_anything_is_scored(self):
        out = self.folder_of("refused")
        pair = f"{self.ref} {self.dist}"
        for text, says in ((f"{pair}\n{self.ref}\n", "line 2"), (f"{pair} a b\n", "4 fields"), (f"{self.ref} 'open\n", "quote"),
                           ("# nothing\n\n", "no pair"), (f"{pair}\n{pair}\n", "that of line 1 of"), (f"- {self.dist}\n", "standard input"),
                           (f"{self.ref} end\\\n", "backslash"), (f"{self.ref}\t\tx\n", "empty")):
            run = self.listed(text, "-o", out, expect=1)
            self.assertEqual(len(run.stderr.splitlines()), 1)
            self.assertIn(says, run.stderr)
            self.assertEqual((run.stdout, os.listdir(out)), ("", []))
        before = read(self.ref)
        self.assertIn("overwrite", self.listed(f"{pair} {out}/../ref.y4m\n", expect=255).stderr)
        self.assertIn("overwrite", self.listed(f"{self.ref} '{self.worse}' {self.dist}\n{pair}\n", expect=255).stderr)
        self.assertIn("overwrite", self.listed(f"{pair} {self.folder}/pairs.txt\n", expect=255).stderr)
        self.assertEqual(read(self.ref), before)
        self.assertIn("folder", self.listed(pair, "-o", self.folder / "none.json", expect=255).stderr)
        self.assertIn("'-' is not one", self.listed(pair, "-o", "-", expect=255).stderr)
        self.assertIn("the list: ", self.vmaf("--list", self.folder, expect=255).stderr)
        self.assertIn("the list: cannot open", self.vmaf("--list", self.folder / "none", expect=255).stderr)
        self.assertIn("longer than 64 MB", self.vmaf("--list", "/dev/zero", expect=255).stderr)

    @unittest.skipIf(os.name == "nt", "links need rights there")
    def test_no_document_takes_the_place_of_a_clip_under_another_name(self):
        other = self.folder / "other.json"
        os.link(self.worse, other)
        before = read(self.worse)
        lines = f"{self.ref} {self.dist} {other}\n{self.ref} '{self.worse}'\n"
        run = self.listed(lines, "--json", expect=255)
        self.assertIn("line 1", run.stderr)
        self.assertIn("would overwrite", run.stderr)
        self.assertEqual((read(other), read(self.worse)), (before, before))
        other.unlink()

    def test_several_encodes_of_one_reference(self):
        out = self.folder_of("encodes")
        single = self.folder / "single.json"
        encodes = (("-r", self.ref, "-d", self.dist, "-d", self.worse, "--distorted", self.ref))
        for jobs in ((), ("--jobs", "2")):
            run = self.vmaf(*encodes, "--json", "-o", out, *jobs)
            self.assertEqual(run.stderr, "")
            self.assertEqual(sorted(os.listdir(out)), ["dist.json", "ref.json", "worse clip.json"])
            for distorted, name in ((self.dist, "dist"), (self.worse, "worse clip"), (self.ref, "ref")):
                self.vmaf("-r", self.ref, "-d", distorted, "--json", "-o", single)
                self.assertEqual(without_fps((out / f"{name}.json").read_text()), without_fps(single.read_text()))
            score = json.loads((out / "dist.json").read_text())["pooled_metrics"]["vmaf"]["mean"]
            self.assertIn(f"{self.dist}\tvmaf_v0.6.1: {score:.6f}\n", run.stdout)

    def test_encodes_that_share_a_reference_score_as_alone(self):
        """Raw files and YUV4MPEG2, 8 and 10 bit, with various features and numbers of threads; one encode is short."""
        single = self.folder / "single.json"
        neg = ("--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg:name=neg", "--feature", "psnr",
               "--feature", "vif=vif_skip_scale0=true", "--feature", "adm=adm_enhn_gain_limit=1.2")
        for kind, depth in (("yuv", 8), ("y4m", 10)):
            size = {"size": "144x112", "depth": depth}
            ref = self.clip(f"shared{depth}.{kind}", frames=5, **size)
            encodes = [self.clip(f"e{depth}_{i}.{kind}", distort=f"dct:{20 * i}", frames=3 if i == 2 else 5, **size) for i in (1, 2, 3)]
            raw = ("--width", "144", "--height", "112", "-p", "420", "-b", str(depth)) if kind == "yuv" else ()
            for features in ((), neg):
                documents = []
                for encode in encodes:
                    self.vmaf("-r", ref, "-d", encode, *raw, *features, "--json", "-o", single)
                    documents.append(without_fps(single.read_text()))
                for options in (("--threads", "1"), ("--threads", "2"), ("--threads", "auto"), ("--cpumask", "48"), ("--jobs", "2")):
                    out = self.folder_of("-".join(map(str, (kind, len(features), *options))).replace("-", ""))
                    run = self.vmaf("-r", ref, *(word for e in encodes for word in ("-d", e)), *raw, *features, *options, "--json", "-o", out)
                    self.assertRegex(run.stderr, "^vmaf: '.*_2.*ended before the reference clip .*common part is scored\\n$")
                    self.assertEqual([without_fps((out / f"e{depth}_{i}.json").read_text()) for i in (1, 2, 3)], documents, options)

    def test_an_encode_that_fails_does_not_stop_the_others(self):
        out = self.folder_of("failing encodes")
        run = self.vmaf("-r", self.ref, "-d", "/no/such.y4m", "-d", self.small, "-d", self.dist, "--csv", "-o", out, *NO_MODEL,
                        expect=2)
        self.assertEqual(os.listdir(out), ["dist.csv"])
        lines = run.stderr.splitlines()
        problems = sorted(lines[:-1]) + lines[-1:]  # encodes of one reference end in any order
        self.assertEqual(len(problems), 3, run.stderr)
        self.assertTrue(problems[0].startswith("vmaf: '/no/such.y4m': "), run.stderr)
        self.assertIn("small.y4m': ", problems[1])
        self.assertIn("2 of 3 pairs could not be scored", problems[2])

    def test_encodes_need_a_folder_and_documents_of_their_own(self):
        file, out = self.folder / "one.json", self.folder_of("own documents")
        run = self.vmaf("-r", self.ref, "-d", self.dist, "-d", self.worse, "--json", "-o", file, expect=255)
        self.assertIn("names the folder", run.stderr)
        self.assertFalse(file.exists())
        again = str(out / ".." / "dist.y4m")
        self.assertIn("different names", self.vmaf("-r", self.ref, "-d", self.dist, "-d", again, "-o", out, expect=1).stderr)
        self.assertIn("standard input", self.vmaf("-r", "-", "-d", self.dist, "-d", self.worse, expect=1).stderr)
        self.assertIn("--ndjson", self.vmaf("-r", self.ref, "-d", self.dist, "-d", self.worse, "--ndjson", file, expect=1).stderr)
        self.assertEqual(os.listdir(out), [])

    def test_options_that_contradict_are_refused(self):
        self.assertIn("--list", self.listed("a b\n", "-r", self.ref, expect=1).stderr)
        self.assertIn("--jobs", self.score("--jobs", "2", expect=1).stderr)
        for jobs in ("0", "257", "x", ""):
            self.assertIn("--jobs", self.listed("a b\n", "--jobs", jobs, expect=1).stderr)

    def test_a_backend_that_cannot_be_used_ends_the_run_at_once(self):
        out = self.folder_of("backend")
        run = self.listed(f"{self.ref} {self.dist}\n", "--backend", "sycl", "-o", out, "--json", expect=100)
        self.assertEqual((len(run.stderr.splitlines()), os.listdir(out)), (1, []))

    def test_hundreds_of_pairs(self):
        out = self.folder_of("many")
        lines = "".join(f"{self.ref} {self.dist} {out}/{i}.csv\n" for i in range(200))
        self.listed(lines, "--csv", *NO_MODEL, "--jobs", "8")
        self.assertEqual({read(out / name) for name in os.listdir(out)}, {read(out / "0.csv")})
        self.assertEqual(len(os.listdir(out)), 200)

    @unittest.skipUnless("MANY_PAIRS" in os.environ, "there is no example")
    def test_the_example_of_the_c_api_gives_the_same_scores(self):
        run = subprocess.run([os.environ["MANY_PAIRS"], self.ref, self.dist, self.ref, "/no/such", self.ref, self.worse],
                             capture_output=True, text=True, timeout=600)
        listed = self.listed(f"{self.ref}\t{self.dist}\n{self.ref}\t{self.worse}\n")
        # Pairs of one reference run in parallel and print their lines as they end.
        self.assertEqual(sorted(run.stdout.splitlines()), sorted(listed.stdout.replace("vmaf_v0.6.1: ", "").splitlines()))
        self.assertEqual((run.returncode, run.stderr), (1, f"cannot score {self.ref} and /no/such\n"))


if __name__ == "__main__":
    unittest.main()
