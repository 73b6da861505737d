"""Options: syntax, values, refusals and their messages."""
import json
import os
import pathlib
import subprocess
import unittest

from support import CommandTest, VMAF, read

NO_MODEL = ("-n", "--feature", "psnr")


class Syntax(CommandTest):
    def test_no_arguments_print_the_usage_and_fail(self):
        run = self.vmaf(expect=1)
        self.assertTrue(run.stderr.startswith("usage: vmaf"))

    def test_help_prints_the_usage(self):
        run = self.vmaf("--help")
        self.assertTrue(run.stdout.startswith("usage: vmaf"))
        self.assertIn("vmaf -r ref.y4m", run.stdout)
        self.assertEqual([line for line in run.stdout.splitlines() if len(line) > 80], [])
        self.assertEqual(run.stderr, "")

    def test_backends_are_listed_on_one_line_of_the_usage(self):
        lines = self.vmaf("--help").stdout.splitlines()
        at = [i for i, line in enumerate(lines) if line.strip().startswith("--backend")]
        self.assertEqual(len(at), 1)
        self.assertIn("auto|cpu|cuda|sycl|hip|metal", lines[at[0]])
        self.assertRegex(lines[at[0] + 1], r"built into this binary: ([a-z]+, )*cpu$")

    def test_version_goes_to_stderr_and_stops_parsing(self):
        for arguments in (["--version"], ["-v"], ["--vers", "--nonsense"], ["-q", "-v", "--width", "x"]):
            run = self.vmaf(*arguments)
            self.assertEqual(run.stderr, "3.2.0\n")
            self.assertEqual(run.stdout, "")

    def test_values_are_attached_in_every_way(self):
        wanted = self.score(*NO_MODEL, "--csv", "-o", "-").stdout
        for arguments in ([f"--reference={self.ref}", f"--distorted={self.dist}"], [f"-r{self.ref}", f"-d{self.dist}"],
                          ["--ref", self.ref, "--dist", self.dist], [f"--r={self.ref}", f"--d={self.dist}"],
                          ["word", "--ref", self.ref, "other", f"-qd{self.dist}"]):
            run = self.vmaf(*arguments, *NO_MODEL, "--csv", "-o-")
            self.assertEqual(run.stdout, wanted, arguments)
        self.assertIn("warning: 'other' is not an option and is ignored", run.stderr)

    def test_prefixes_mean_what_they_meant_before_we_added_options(self):
        raw = self.clip("prefix.yuv")
        run = self.vmaf("--r", raw, "--d", raw, "--w", "64", "--h", "48", "--p", "420", "--b", "8", "--no", "--fe", "psnr",
                        "--t", "1", "--cp", "0", "--g", "0", "--js", "--o", "-", "--q")
        self.assertEqual(len(json.loads(run.stdout)["frames"]), self.frames)

    def test_later_values_replace_earlier_ones(self):
        run = self.vmaf("-r", "/no/such", "-r", self.ref, "-d", self.dist, *NO_MODEL, "--json", "--csv", "-o", "-")
        self.assertTrue(run.stdout.startswith("Frame,"))

    def test_words_after_a_double_dash_are_not_options(self):
        self.score(*NO_MODEL, "-o", "-", "--", "--nonsense")

    def test_unknown_options_are_refused_with_the_nearest_name(self):
        self.refused(1, "--featrue", "psnr", says=["--featrue", "--feature"])
        self.refused(1, "--no_cpu", says=["--no_cpu", "--no_"])
        self.refused(1, "--thread_count=4", says="--thread")
        self.refused(1, "-x", says="-x")

    def test_ambiguous_prefixes_and_missing_values_are_refused(self):
        self.refused(1, "--frame", "3", says=["ambiguous", "--frame_cnt", "--frame_skip_ref"])
        self.refused(1, "--f", "3", says="ambiguous")
        self.refused(1, "--list_", says=["--list_models", "--list_features"])
        self.refused(1, "--quiet=1", says="takes no value")
        self.assertIn("needs a value", self.vmaf("-r", self.ref, "-d", self.dist, "--feature", expect=1).stderr)
        self.assertIn("needs a value", self.vmaf("-r", self.ref, "-d", expect=1).stderr)

    def test_missing_clips_and_incomplete_geometry_are_refused(self):
        self.assertIn("--reference", self.vmaf("-d", self.dist, expect=1).stderr)
        self.assertIn("--distorted", self.vmaf("-r", self.ref, expect=1).stderr)
        for part in (["-w", "64"], ["-w", "64", "-h", "48", "-p", "420"], ["-b", "8"], ["-w", "0", "-h", "48", "-p", "420", "-b", "8"]):
            self.refused(1, *part, says="--width, --height, --pixel_format and --bitdepth")

    def test_neural_options_are_refused(self):
        for option in (["--tiny-model", "x.onnx"], ["--tiny_model=x.onnx"], ["--dnn-ep", "cpu"], ["--tiny-fp16"],
                       ["--tiny_threads", "2"], ["--no-reference"], ["--tiny-model-verify"]):
            self.refused(1, *option, says="neural")

    def test_informative_options_need_no_clips(self):
        models = self.vmaf("--list_models").stdout
        self.assertIn("vmaf_v0.6.1neg", models)
        features = self.vmaf("--list_features").stdout
        for name in ("vif", "psnr", "vif_enhn_gain_limit", "a number from 1 to 100"):
            self.assertIn(name, features)


class Values(CommandTest):
    def test_numbers_are_read_like_strtoul(self):
        wanted = self.score(*NO_MODEL, "--csv", "-o", "-", "--frame_cnt", "2").stdout
        for two in ("2", "0x2", "02", "  2", "+2", str(2**32 + 2), "-4294967294"):
            self.assertEqual(self.score(*NO_MODEL, "--csv", "-o", "-", "--frame_cnt", two).stdout, wanted, two)

    def test_other_texts_are_refused(self):
        for option in ("--width", "--height", "--threads", "--subsample", "--cpumask", "-c", "--gpumask", "--frame_cnt",
                       "--frame_skip_ref", "--frame_skip_dist", "--sycl_device", "--bitdepth"):
            for text in ("x", "", "1.5", "4k", "-", "08"):
                with self.subTest(option=option, text=text):
                    self.refused(1, option, text)
        self.refused(1, "--threads", "100000", says="--threads")
        self.refused(1, "--pixel_format", "421", says=["421", "420, 422, 444"])
        self.refused(1, "--bitdepth", "9", says="8, 10, 12 or 16")

    def test_precision_sets_the_digits(self):
        value = lambda *a: self.score(*NO_MODEL, "--csv", "-o", "-", "--frame_cnt", "1", *a).stdout.splitlines()[1].split(",")[1]
        full = float(value("--precision", "max"))
        self.assertEqual(value("--precision", "17"), "%.17g" % full)
        self.assertEqual(value("--precision", "full"), "%.17g" % full)
        self.assertEqual(value("--precision", "3"), "%.3g" % full)
        self.assertEqual(value("--precision=1"), "%.1g" % full)
        self.assertEqual(value("--precision", "legacy"), "%.6f" % full)
        self.assertEqual(value(), "%.6f" % full)
        for text in ("0", "18", "-1", "+5", "0x5", "3.0", "", "MAX", "all", "100000000000000000001"):
            self.refused(1, "--precision", text, says="--precision")

    def test_presets_bring_models_and_features(self):
        names = lambda *a: list(self.vmaf_document(*a)["frames"][0]["metrics"])
        v1 = names("--aom_ctc", "v1.0")
        for name in ("vmaf", "vmaf_neg", "psnr_y", "ciede2000", "float_ssim", "float_ms_ssim", "psnr_hvs"):
            self.assertIn(name, v1)
        self.assertNotIn("cambi", v1)
        self.assertIn("cambi", names("--aom_ctc", "v3.0"))
        v7 = names("--aom_ctc", "v7.0")
        self.assertEqual([n for n in names("--aom_ctc", "v6.0")], v7)
        nflx = names("--nflx_ctc", "v1.0")
        for name in ("vmaf", "vmaf_neg", "psnr_cb", "float_ssim", "cambi"):
            self.assertIn(name, nflx)

    def vmaf_document(self, *arguments):
        ref, dist = self.clip("preset_r.y4m", size="352x288", frames=1), self.clip("preset_d.y4m", "dct:50", "352x288", 1)
        return json.loads(self.vmaf("-r", ref, "-d", dist, "--json", "-o", "-", *arguments).stdout)

    def test_unknown_presets_are_refused(self):
        for arguments in (["--aom_ctc", "v8.0"], ["--aom_ctc", "proposed"], ["--aom_ctc", ""], ["--nflx_ctc", "v2.0"]):
            self.refused(1, *arguments, says=arguments[0])

    def test_presets_take_part_in_the_check_of_names(self):
        self.refused(1, "--aom_ctc", "v1.0", "--model", "version=vmaf_v0.6.1", says=["'vmaf'", "name="])

    def test_limits(self):
        self.refused(1, "-n", *["--feature", "psnr"] * 33, says="at most 32")
        many = [x for i in range(33) for x in ("--model", f"version=vmaf_v0.6.1:name=m{i}")]
        self.refused(1, *many, says="at most 32")
        overloads = ":".join("adm.adm_csf_scale=1" for _ in range(33))
        self.refused(1, "--model", "version=vmaf_v0.6.1:" + overloads, says="at most 32")
        self.score("-n", *["--feature", "psnr"] * 32)


class Models(CommandTest):
    def test_malformed_texts_are_refused(self):
        for text in ("", "version", "version=", "version=vmaf_v0.6.1:", ":version=vmaf_v0.6.1", "version=vmaf_v0.6.1::name=a",
                     "nosuch=1", "path", "name", "=x"):
            with self.subTest(text=text):
                self.refused(1, "--model", text, says="--model")

    def test_a_model_needs_a_version_or_a_path(self):
        self.refused(1, "--model", "vmaf_v0.6.1", says=["version=vmaf_v0.6.1", "path=vmaf_v0.6.1"])
        self.refused(255, "--model", "name=x", says=["version=", "path="])

    def test_unknown_versions_and_files_are_named(self):
        self.refused(255, "--model", "version=vmaf_v0.6.2", says=["vmaf_v0.6.2", "vmaf_v0.6.1"])
        self.refused(255, "--model", "path=/no/such.json", says="/no/such.json")
        self.refused(255, "--model", f"path={self.folder}", says=str(self.folder))

    def test_broken_model_files_are_refused(self):
        for i, text in enumerate(("", "{", "[]", "{}", "null", '{"model_dict": 1}', '{"model_dict": {}}', "[" * 100000,
                                  '{"model_dict": {"model_type": "LIBSVMNUSVR", "model": "x"}}', "\0\1\2", '{"0": {}, "1": {}}')):
            with self.subTest(text=text[:40]):
                self.refused(255, "--model", "path=" + self.file(f"broken{i}", text), says=f"broken{i}")

    def test_pipes_and_devices_are_no_models(self):
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        for path in (pipe, "/dev/zero"):
            self.refused(255, "--model", f"path={path}", says="not a regular file")

    def test_a_model_that_gives_no_number_is_refused(self):
        model = json.loads(read(pathlib.Path(__file__).parents[2] / "models/vmaf_v0.6.1.json"))
        for slope in (1e-308, 0):  # inf, nan
            model["model_dict"]["slopes"][0], model["model_dict"]["intercepts"][0] = slope, -1e3
            self.refused(255, "--model", "path=" + self.file("large.json", json.dumps(model)), says="gives no number for frame 0")

    def test_two_models_need_two_names(self):
        self.refused(1, "--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg", says="'vmaf'")
        names = self.document("--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg:name=neg")["pooled_metrics"]
        self.assertEqual(list(names)[-2:], ["vmaf", "neg"])

    def test_names_of_other_scores_are_refused(self):
        for name in ("psnr_y", "integer_motion2", "VMAF_integer_feature_motion2_score"):
            self.refused(1, "--feature", "psnr", "--model", "version=vmaf_v0.6.1:name=" + name, says=["a feature", name])
        for name in ("b_0001", "b_ci_p95_lo"):
            self.refused(1, "--model", "version=vmaf_b_v0.6.3:name=b", "--model", "version=vmaf_v0.6.1:name=" + name, says="model 'b'")
        self.score("-n", "--feature", "psnr", "--model", "version=vmaf_v0.6.1:name=psnr_y")

    def test_text_after_a_second_equals_sign_is_dropped(self):
        self.assertIn("a", self.document("--model", "version=vmaf_v0.6.1:name=a=b")["pooled_metrics"])

    def test_overloads_change_the_features(self):
        metrics = self.document("--model", "version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.0")["pooled_metrics"]
        self.assertIn("integer_vif_scale0_egl_1", metrics)
        run = self.score("--model", "version=vmaf_v0.6.1:cambi.topk=0.1:vif.nosuch=1")
        self.assertIn("cambi", run.stderr)
        self.assertIn("nosuch", run.stderr)
        self.refused(255, "--model", "version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=0.5", says=["vif_enhn_gain_limit", "1 to 100"])

    def test_collections_predict_members_and_confidence(self):
        document = self.document("--model", "version=vmaf_b_v0.6.3:name=b")
        names = list(document["pooled_metrics"])
        at = names.index("b")
        self.assertEqual(names[at + 1:], [f"b_{i:04}" for i in range(1, 21)] + ["b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi"])

    def test_no_prediction_uses_the_features_of_models_only(self):
        document = self.document("-n", "--model", "version=vmaf_v0.6.1")
        self.assertIn("integer_adm2", document["pooled_metrics"])
        self.assertNotIn("vmaf", document["pooled_metrics"])


class Features(CommandTest):
    def test_malformed_texts_are_refused(self):
        for text in ("", "=x", "psnr=", "psnr=enable_chroma", "psnr=enable_chroma=", "psnr=enable_chroma=true:",
                     "psnr=enable_chroma=true:enable_chroma=false"):
            with self.subTest(text=text):
                self.refused(1, "--feature", text, says="feature")

    def test_unknown_names_are_refused_with_the_nearest(self):
        self.refused(255, "--feature", "psrn", says=["psrn", "psnr"])
        self.refused(255, "--feature", "psnr=enable_croma=true", says=["psnr", "enable_croma", "enable_chroma"])
        self.refused(255, "--feature", "null=x=1", says=["null", "x"])

    def test_unknown_options_are_refused_with_the_one_that_is_meant(self):
        for word, meant in (("egl", "adm_enhn_gain_limit"), ("adm_enhn", "adm_enhn_gain_limit"), ("gain", "adm_enhn_gain_limit"), ("debgu", "debug")):
            self.refused(255, "-n", "--feature", f"float_adm={word}=1", says=f"did you mean '{meant}'")
        self.refused(255, "-n", "--feature", "float_adm=nope=1", says="has no option 'nope' (--list_features shows all)")

    def test_values_out_of_range_name_feature_option_and_range(self):
        for value in ("0.5", "101", "x", "nan", "-1", "inf", "1e9"):
            with self.subTest(value=value):
                self.refused(255, "--feature", f"vif=vif_enhn_gain_limit={value}",
                             says=["'vif'", "'vif_enhn_gain_limit'", "1 to 100"])
        self.refused(255, "--feature", "psnr=enable_chroma=1", says=["'psnr'", "'enable_chroma'", "true or false"])

    def test_every_numeric_option_of_every_feature_is_checked(self):
        capabilities = json.loads(self.vmaf("--capabilities").stdout)
        feature, checked = None, 0
        for line in self.vmaf("--list_features").stdout.splitlines():
            words = line.split()
            if words and words[0] in capabilities["features"] and not line.startswith(" "):
                feature = words[0]
            elif feature and line.startswith("    ") and not line.startswith("     ") and "number" in line:
                self.refused(255, "-n", "--feature", f"{feature}={words[0]}=-1e30", says=[feature, words[0]])
                checked += 1
        self.assertGreater(checked, 10)

    def test_the_first_of_two_equal_features_counts(self):
        metrics = self.document("-n", "--feature", "psnr", "--feature", "psnr=enable_chroma=false")["pooled_metrics"]
        self.assertIn("psnr_cb", metrics)
        metrics = self.document("-n", "--feature", "psnr=enable_chroma=false", "--feature", "psnr")["pooled_metrics"]
        self.assertNotIn("psnr_cb", metrics)


class Programs(CommandTest):
    def test_capabilities(self):
        run = self.vmaf("--capabilities")
        self.assertEqual(run.stderr, "")
        c = json.loads(run.stdout)
        self.assertEqual(c["schema"], 1)
        self.assertEqual(c["version"], "3.2.0")
        self.assertEqual(c["implementation"], "vmaf-turbo")
        self.assertIsInstance(c["build_id"], str)
        self.assertEqual(c["backends"][-1], "cpu")
        order = ["cuda", "sycl", "hip", "metal", "cpu"]
        self.assertEqual(c["backends"], [b for b in order if c["details"][b]["built"]])
        self.assertIn(c["auto"], c["backends"])
        self.assertTrue(c["details"]["cpu"]["usable"])
        self.assertIn("vif", c["features"])
        self.assertIn("cpu", c["features"]["vif"])
        self.assertIn("vmaf_v0.6.1", c["models"])
        scalar = json.loads(self.vmaf("--capabilities", "--cpumask", "255", "--no_cuda").stdout)
        self.assertEqual(scalar["details"]["cpu"]["isa_used"], "scalar")


if __name__ == "__main__":
    unittest.main()
