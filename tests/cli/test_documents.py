"""Documents: their content, where they go, and that they are written completely or not at all."""
import fcntl
import json
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as tree

from support import CommandTest, VMAF, read, without_fps

PSNR = ("-n", "--feature", "psnr=enable_apsnr=true")


class Layout(CommandTest):
    def test_the_four_formats_state_the_same_scores(self):
        out = {form: self.score(*PSNR, "--feature", "motion", "--subsample", "2", f"--{form}", "-o", "-").stdout
               for form in ("xml", "json", "csv", "sub")}
        document = json.loads(out["json"])
        frames = [(f["frameNum"], f["metrics"]) for f in document["frames"]]
        self.assertEqual([index for index, _ in frames], [0, 2])
        text = lambda value: "%.6f" % value
        root = tree.fromstring(out["xml"])
        self.assertEqual(root.find("params").attrib, {"qualityWidth": "64", "qualityHeight": "48"})
        for element, (index, metrics) in zip(root.find("frames"), frames):
            self.assertEqual(element.attrib, {"frameNum": str(index), **{k: text(v) for k, v in metrics.items()}})
        for element, (name, pools) in zip(root.find("pooled_metrics"), document["pooled_metrics"].items()):
            self.assertEqual(element.attrib, {"name": name, **{k: text(v) for k, v in pools.items()}})
        self.assertEqual(root.find("aggregate_metrics").attrib, {k: text(v) for k, v in document["aggregate_metrics"].items()})
        names = list(frames[0][1])
        rows = ["Frame," + "".join(n + "," for n in names)]
        rows += [f"{i}," + "".join(text(m[n]) + "," for n in names) for i, m in frames]
        self.assertEqual(out["csv"], "\n".join(rows) + "\n")
        lines = [f"{{{i}}}{{{i + 1}}}frame: {i}|" + "".join(f"{n}: {text(m[n])}|" for n in names) for i, m in frames]
        self.assertEqual(out["sub"], "\n".join(lines) + "\n")

    def test_default_run_lists_metrics_in_the_order_of_one_thread(self):
        wanted = ("integer_adm2 integer_aim integer_adm3 integer_adm_scale0 integer_adm_scale1 integer_adm_scale2 integer_adm_scale3 "
                  "VMAF_integer_feature_motion_sad_score integer_vif_scale0 integer_vif_scale1 integer_vif_scale2 integer_vif_scale3 "
                  "psnr_y psnr_cb psnr_cr integer_motion2 integer_motion3 vmaf").split()
        for threads in ("0", "3"):
            self.assertEqual(list(self.document("--feature", "psnr", "--threads", threads)["pooled_metrics"]), wanted)

    def test_identical_clips(self):
        run = self.vmaf("-r", self.ref, "-d", self.ref, "--feature", "psnr", "--json", "-o", "-")
        pooled = json.loads(run.stdout)["pooled_metrics"]
        self.assertEqual(pooled["integer_vif_scale0"]["mean"], 1)
        self.assertEqual(pooled["psnr_y"]["mean"], 60)

    def test_names_are_escaped(self):
        name = 'a<b>"&\\c'
        document = self.document("--model", "version=vmaf_v0.6.1:name=" + name)
        self.assertIn(name, document["pooled_metrics"])
        root = tree.fromstring(self.score("--model", "version=vmaf_v0.6.1:name=" + name.replace("<b>", ""), "--csv", "--json", "--csv", "--xml", "-o", "-").stdout.replace('a&quot;&amp;\\c=', "x="))
        self.assertEqual(root.find("pooled_metrics")[-1].attrib["name"], 'a"&\\c')

    def test_documents_are_utf8_whatever_names_are(self):
        name = b"version=vmaf_v0.6.1:name=a\xffb"
        out = subprocess.run([VMAF, "-r", self.ref, "-d", self.dist, "-m", name, "--json", "-o", "-"], stdout=subprocess.PIPE).stdout
        self.assertIn("a\ufffdb", json.loads(out.decode())["pooled_metrics"])

    def test_names_that_xml_does_not_allow_have_a_warning(self):
        for name in ("4k", "a b", "a<b"):
            model = ("-m", "version=vmaf_v0.6.1:name=" + name)
            self.assertIn("well-formed XML", self.score(*model, "-o", self.folder / "odd.xml").stderr)
            self.assertEqual(self.score(*model, "--json", "-o", self.folder / "odd.json").stderr, "")

    def test_the_locale_changes_nothing(self):
        for locale in ("de_DE.UTF-8", "C", "tr_TR.UTF-8"):
            env = {**os.environ, "LC_ALL": locale, "LANG": locale}
            self.assertEqual(self.score(*PSNR, "--csv", "-o", "-", env=env).stdout, self.score(*PSNR, "--csv", "-o", "-").stdout)

    def test_backend_used_is_the_last_key_of_json(self):
        text = self.score("-n", "--feature", "psnr", "--json", "-o", "-").stdout
        self.assertTrue(text.endswith('  "aggregate_metrics": {\n  },\n  "backend_used": "cpu"\n}\n'), text[-200:])
        for form in ("--xml", "--csv", "--sub"):
            self.assertNotIn("backend_used", self.score(*PSNR, form, "-o", "-").stdout)


class Schema(CommandTest):
    """Documents of every kind match the installed schema."""
    frames = 12

    def test_documents_follow_it(self):
        for arguments in ((), ("--feature", "psnr", "--percentiles", "1,50,99.5"), ("-n", "--feature", "psnr=enable_apsnr=true"),
                          ("-m", "version=vmaf_b_v0.6.3"), ("-m", "auto"), ("--subsample", "5"), ("--frame_cnt", "1")):
            self.follows_schema(self.document(*arguments))
        self.follows_schema(json.loads(self.vmaf("-r", self.ref, "-d", self.ref, "-n", "--feature", "psnr_hvs", "--json", "-o", "-").stdout))

    def test_documents_of_parts_and_of_several_pairs_follow_it(self):
        size = {"size": "176x144", "frames": 2}
        ref, dist, worse = self.clip("p.y4m", **size), self.clip("q.y4m", distort="dct:24", **size), self.clip("w.y4m", distort="dct:40", **size)
        run = lambda *arguments: json.loads(self.vmaf("-r", ref, "-d", dist, "--json", "-o", "-", *arguments).stdout)
        for arguments, key in ((("--map", self.folder / "map.npy"), "map"), (("--region", "face=16,16,64,64", "--region", "b=0,0,32,32"), "regions")):
            document = run(*arguments)
            self.assertIn(key, document)
            self.follows_schema(document)
        folder = self.folder / "several"
        folder.mkdir()
        self.vmaf("-r", ref, "-d", dist, "-d", worse, "--json", "-o", folder)
        self.vmaf("--list", self.file("few.txt", f"{ref} {ref}\n"), "--json", "-o", folder)
        self.assertEqual(len(list(folder.iterdir())), 3)
        for path in folder.iterdir(): self.follows_schema(json.loads(path.read_text()))

    def test_other_documents_are_refused(self):
        for change in ({"frames": [{"frameNum": -1, "metrics": {}}]}, {"fps": "1"}, {"other": 1}):
            with self.assertRaises(AssertionError): self.follows_schema({**self.document(), **change})


class Percentiles(CommandTest):
    frames = 20

    def test_percentiles_are_scores_at_their_rank(self):
        document = self.document("--percentiles", "0,5,50,100,12.5")
        for name, pooled in document["pooled_metrics"].items():
            scores = sorted(frame["metrics"][name] for frame in document["frames"])
            self.assertEqual([pooled[p] for p in ("p0", "p5", "p50", "p100", "p12.5")], [scores[i] for i in (0, 1, 10, 19, 2)])
        xml = self.score("-o", "-", "--percentiles", "5").stdout
        self.assertRegex(xml, r'<metric name="vmaf" .*harmonic_mean="[0-9.]+" p5="[0-9.]+" />')

    def test_the_rank_is_exact(self):
        """29 / 100 * 100 is less than 29 in floating point, and 0.7 * 10 less than 7."""
        clips = [self.clip(name, distort, size="32x32", frames=100) for name, distort in (("r100.y4m", "none"), ("d100.y4m", "noise:8"))]
        run = self.vmaf("-r", clips[0], "-d", clips[1], "-n", "--feature", "psnr", "--json", "-o", "-", "--precision", "17", "--percentiles", ",".join(map(str, range(101))))
        document = json.loads(run.stdout)
        scores = sorted(frame["metrics"]["psnr_y"] for frame in document["frames"])
        self.assertEqual([document["pooled_metrics"]["psnr_y"][f"p{p}"] for p in range(101)], [*scores, scores[-1]])

    def test_a_percentile_has_one_name(self):
        pooled = self.document("--percentiles", "-0,0,5,5.0,05")["pooled_metrics"]["vmaf"]
        self.assertEqual([key for key in pooled if key.startswith("p")], ["p0", "p5"])

    def test_the_score_line_shows_percentiles(self):
        self.assertRegex(self.score("--percentiles", "1,50,95").stderr, r"\nvmaf_v0.6.1: 1 % low [0-9.]+, median [0-9.]+, p95 [0-9.]+\n")

    def test_invalid_percentiles_are_refused(self):
        for text in ("", "101", "-1", "nan", "1,,2", "5%"): self.refused(1, "--percentiles", text, says="0 to 100")


class FrameLines(CommandTest):
    frames = 20

    def test_lines_are_the_frames_of_the_document(self):
        for arguments in ((), ("--threads", "3"), ("--subsample", "3"), ("-n", "--feature", "psnr", "--feature", "float_motion"),
                          ("--frame_cnt", "1"), ("-m", "version=vmaf_b_v0.6.3"), ("--precision", "17")):
            lines = self.folder / "frames.ndjson"
            document = json.loads(self.score("--json", "-o", "-", "--ndjson", lines, *arguments).stdout)
            frames = [json.loads(line) for line in lines.read_text().splitlines()]
            self.assertEqual(json.dumps(frames), json.dumps(document["frames"]), arguments)

    def test_lines_come_while_frames_are_scored(self):
        content = pathlib.Path(self.dist).read_bytes()
        with subprocess.Popen([VMAF, "-r", self.ref, "-d", "-", "-n", "--feature", "psnr", "--ndjson", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
            run.stdin.write(content[:len(content) * 3 // 4])
            run.stdin.flush()
            self.assertEqual(json.loads(run.stdout.readline())["frameNum"], 0)
            run.stdin.write(content[len(content) * 3 // 4:])
            run.stdin.close()
            self.assertEqual(len(run.stdout.read().splitlines()), self.frames - 1)
            self.assertEqual(run.wait(), 0)

    def test_what_cannot_be_written_is_an_error(self):
        self.assertIn("No space left", self.score("--ndjson", "/dev/full", expect=255).stderr)
        self.refused(255, "--ndjson", "/no/such/folder/a.ndjson", says="/no/such/folder")
        self.refused(255, "--ndjson", self.ref, says="overwrite")
        self.refused(1, "--ndjson", "-", "-o", "-", says="both")


class AutomaticModel(CommandTest):
    def test_the_size_decides(self):
        self.assertIn("vmaf_v0.6.1: ", self.score("--model", "auto").stderr)
        large = self.clip("large.y4m", size="64x1800", frames=1)
        run = self.vmaf("-r", large, "-d", large, "--model", "auto", "--json", "-o", "-")
        self.assertEqual(json.loads(run.stdout)["chosen_models"], [{"name": "vmaf", "version": "vmaf_4k_v0.6.1"}])

    def test_pairs_of_a_list_decide_by_themselves(self):
        large = self.clip("large2.y4m", size="64x1800", frames=1)
        pairs = self.file("pairs.txt", f"{self.ref} {self.dist}\n{large} {large}\n")
        lines = self.vmaf("--list", pairs, "--model", "auto").stdout
        self.assertIn("vmaf_v0.6.1: ", lines)
        self.assertIn("vmaf_4k_v0.6.1: ", lines)


class Files(CommandTest):
    def test_a_document_replaces_an_earlier_one_whole(self):
        path = self.folder / "out.xml"
        path.write_text("old" * 100000)
        os.chmod(path, 0o644)
        run = self.score(*PSNR, "-o", path)
        self.assertEqual((run.stdout, run.stderr), ("", ""))
        self.assertTrue(path.read_text().endswith("</VMAF>\n"))
        self.assertEqual(path.stat().st_mode & 0o777, 0o644)
        path.unlink()

    def test_new_files_follow_the_umask(self):
        path = self.folder / "mask.xml"
        self.score(*PSNR, "-o", path, preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        path.unlink()

    def test_standard_output_and_pipes(self):
        wanted = self.score(*PSNR, "--csv", "-o", "-").stdout
        self.assertEqual(self.score(*PSNR, "--csv", "-o", "/dev/stdout").stdout, wanted)
        path = self.folder / "redirected"
        with open(path, "w") as out:
            out.write("before\n")
            out.flush()
            subprocess.check_call([VMAF, "-r", self.ref, "-d", self.dist, *PSNR, "--csv", "-o", "/dev/stdout"], stdout=out)
        self.assertEqual(path.read_text(), "before\n" + wanted)
        path.unlink()
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        fcntl.fcntl(write_end, getattr(fcntl, "F_SETPIPE_SZ", 1031), 4096)
        run = subprocess.Popen([VMAF, "-r", self.ref, "-d", self.dist, "-m", "version=vmaf_b_v0.6.3", "--json", "-o", "-"], stdout=write_end)
        os.close(write_end)
        time.sleep(0.3)
        with open(read_end) as pipe:
            self.assertEqual(len(json.load(pipe)["frames"]), self.frames)
        self.assertEqual(run.wait(), 0)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True)
        self.score(*PSNR, "--csv", "-o", fifo)
        self.assertEqual(reader.communicate()[0], wanted)
        fifo.unlink()

    def test_outputs_that_cannot_be_written_are_found_before_scoring(self):
        # The clip never ends: a run that scores would not return.
        for path in ("/no/such/folder/out.json", str(self.folder), "", str(self.folder) + "/"):
            endless = ["-r", "/dev/zero", "-d", "/dev/zero", "-w", "64", "-h", "48", "-p", "420", "-b", "8"]
            run = self.vmaf(*endless, *PSNR, "-o", path, expect=255)
            self.assertEqual(len(run.stderr.splitlines()), 1)
            self.assertIn("cannot write", run.stderr)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        self.assertIn("No space left", self.score(*PSNR, "-o", "/dev/full", expect=255).stderr)

    def test_a_limit_on_the_size_of_files_is_an_error(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        before = sorted(os.listdir(self.folder))
        self.assertIn("File too large", self.score(*PSNR, "-o", self.folder / "large.xml", expect=255, preexec_fn=limit).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_output_that_does_not_arrive_is_an_error_of_every_action(self):
        pairs = self.file("pairs.txt", f"{self.ref} {self.dist}\n{self.ref} {self.ref}\n")
        scoring = ("-r", self.ref, "-d", self.dist, *PSNR, "-o", "-")
        for action in (scoring, ("--list", pairs), ("--list", pairs, "--jobs", "2"), ("--help",), ("--list_models",), ("--list_features",), ("--capabilities",), ("--serve",)):
            for name in ("full", "closed", "pipe"):
                output, close = None, None
                if name == "full":
                    output = os.open("/dev/full", os.O_WRONLY)
                elif name == "pipe":  # no reader: quiet, like a program ended by SIGPIPE
                    end, output = os.pipe()
                    os.close(end)
                else:
                    close = lambda: os.close(1)
                run = subprocess.run([VMAF, *action], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, preexec_fn=close)
                if output is not None:
                    os.close(output)
                self.assertEqual(run.returncode, 141 if name == "pipe" else 255, (action, name, run.stderr))
                sentences = {"full": r"vmaf: cannot write .*standard output.*\n", "pipe": "", "closed": r"vmaf: cannot write .*standard output.*\n"}
                self.assertRegex(run.stderr, rf"\A{sentences[name]}\Z")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_score_that_cannot_be_printed_is_an_error(self):
        out = self.folder / "read.xml"
        for words, code in ((("-r", self.ref, "-d", self.dist), 255), (("-r", self.ref, "-d", self.dist, "-o", out), 0), (("--version",), 255)):
            with open("/dev/full", "w") as full:
                self.assertEqual(subprocess.run([VMAF, *words], stderr=full).returncode, code, words)
        out.unlink()

    def test_a_clip_is_not_overwritten(self):
        copy = self.file("copy.y4m", read(self.dist))
        run = self.vmaf("-r", self.ref, "-d", copy, *PSNR, "-o", copy, expect=255)
        self.assertIn("overwrite", run.stderr)
        self.assertEqual(read(copy), read(self.dist))

    def test_interrupting_leaves_nothing(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
            before = sorted(os.listdir(self.folder))
            run = subprocess.Popen([VMAF, "-r", "/dev/zero", "-d", "/dev/zero", "-w", "64", "-h", "48", "-p", "420", "-b", "8",
                                    *PSNR, "-o", self.folder / "never.xml"], stderr=subprocess.PIPE)
            self.until_ready(run)
            run.send_signal(number)
            _, errors = run.communicate(timeout=600)
            self.assertEqual(run.returncode, code, errors)
            self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_signals_that_the_caller_ignores_stay_ignored(self):
        ignore = lambda: [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGHUP, signal.SIGINT)]
        run = subprocess.Popen([VMAF, "-r", self.ref, "-d", "-", *PSNR, "--csv", "-o", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=ignore)
        self.until_ready(run)
        run.send_signal(signal.SIGHUP)
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(read(self.dist), timeout=600)
        self.assertEqual((run.returncode, errors), (0, b""))
        self.assertEqual(out.decode(), self.score(*PSNR, "--csv", "-o", "-").stdout)

    def test_closed_standard_descriptors_are_not_reused(self):
        out = self.folder / "closed.csv"
        close = lambda: os.closerange(0, 3)
        run = subprocess.run([VMAF, "-r", self.ref, "-d", self.dist, *PSNR, "--csv", "-o", out], preexec_fn=close)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(out.read_text(), self.score(*PSNR, "--csv", "-o", "-").stdout)
        for arguments in (["-r", self.ref, "-d", "-"], ["-r", self.ref, "-d", self.dist, "-o", "-"], ["--help"]):
            self.assertEqual(subprocess.run([VMAF, *arguments], preexec_fn=close).returncode, 255)

    def test_interrupting_a_run_that_waits_for_its_pipe(self):
        run = subprocess.Popen([VMAF, "-r", self.ref, "-d", "-", *PSNR], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.until_ready(run)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=600)
        self.assertEqual(run.returncode, 130)


class ScoreLines(CommandTest):
    def test_without_a_document_the_score_is_printed(self):
        for quiet in ([], ["-q"]):
            run = self.score(*quiet)
            self.assertRegex(run.stderr, r"^vmaf_v0\.6\.1: \d+\.\d{6}\n$")
            self.assertEqual(run.stdout, "")

    def test_with_a_document_nothing_is_printed_in_a_pipe(self):
        self.assertEqual(self.score("-o", self.folder / "quiet.xml").stderr, "")

    def test_lines_follow_precision_and_name_paths(self):
        mean = self.document("--precision", "max")["pooled_metrics"]["vmaf"]["mean"]
        self.assertEqual(self.score("--precision", "9").stderr, "vmaf_v0.6.1: %.9g\n" % mean)

    def test_collections_get_a_line_of_their_own(self):
        run = self.score("--model", "version=vmaf_b_v0.6.3:name=b", "--model", "version=vmaf_v0.6.1")
        number = r"-?\d+\.\d{6}"
        self.assertRegex(run.stderr, rf"^vmaf_b_v0\.6\.3: {number}\nvmaf_v0\.6\.1: {number}\n"
                                     rf"vmaf_b_v0\.6\.3: {number}, ci\.p95: \[{number}, {number}\], stddev: {number}\n$")


if __name__ == "__main__":
    unittest.main()
