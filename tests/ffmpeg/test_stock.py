"""An unpatched FFmpeg with our library scores like our command."""
import re

from clips import FilterTest


class StockFilter(FilterTest):
    def test_the_library_asks_for_no_other_package(self):
        self.assertNotIn("Requires", self.library.pkgconfig.read_text())

    def test_default_model(self):
        self.assert_equal_scores({})

    def test_extra_feature(self):
        self.assert_equal_scores({"feature": "name=psnr"}, ["--feature", "psnr"])

    def test_features_with_options(self):
        self.assert_equal_scores({"feature": "name=psnr:enable_chroma=false|name=float_ssim:scale=1|name=cambi|name=psnr_hvs"},
                                 ["--feature", "psnr=enable_chroma=false", "--feature", "float_ssim=scale=1",
                                  "--feature", "cambi", "--feature", "psnr_hvs"])

    def test_features_that_the_models_do_not_use(self):
        names = ["ciede", "ssimulacra2", "float_ms_ssim", "speed_chroma"]
        self.assert_equal_scores({"feature": "|".join("name=" + name for name in names)},
                                 [word for name in names for word in ("--feature", name)])

    def test_built_in_model(self):
        self.assert_equal_scores({"model": "version=vmaf_v0.6.1neg"}, ["-m", "version=vmaf_v0.6.1neg"])

    def test_two_named_models(self):
        models = ["version=vmaf_v0.6.1:name=hd", "version=vmaf_4k_v0.6.1:name=uhd"]
        self.assert_equal_scores({"model": "|".join(models)}, ["-m", models[0], "-m", models[1]], models=("hd", "uhd"))

    def test_model_file(self):
        path = self.folder / "a model, really.json"
        path.write_bytes((self.models / "vmaf_float_v0.6.1.json").read_bytes())
        self.assert_equal_scores({"model": f"path={path}"}, ["-m", f"path={path}"])

    def test_phone_transform(self):
        text = "version=vmaf_v0.6.1:enable_transform={}"
        transformed = self.assert_equal_scores({"model": text.format("true")}, ["-m", "version=vmaf_v0.6.1:enable_transform"])
        plain = self.assert_equal_scores({"model": text.format("false")})
        self.assertNotEqual(transformed.split("pooled")[0], plain.split("pooled")[0])

    def test_unclipped_model(self):
        self.assert_equal_scores({"model": "version=vmaf_v0.6.1:disable_clip=true"}, ["-m", "version=vmaf_v0.6.1:disable_clip"])

    def test_overloaded_feature(self):
        text = "version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.0:adm.adm_enhn_gain_limit=1.0"
        self.assert_equal_scores({"model": text}, ["-m", text])

    def test_threads(self):
        self.assert_equal_scores({"n_threads": 4}, ["--threads", "0"])

    def test_subsampling(self):
        self.assert_equal_scores({"n_subsample": 2, "n_threads": 2}, ["--subsample", "2"])

    def test_pooling(self):
        # 5.1 mistakes harmonic_mean for mean; patch 0001 fixes that.
        for pool in ("min", "mean") if self.base == "n5.1" else ("min", "mean", "harmonic_mean"):
            with self.subTest(pool):
                self.assert_equal_scores({"pool": pool}, pool=pool)

    def test_chroma_formats(self):
        for form in ("422", "444"):
            with self.subTest(form):
                self.assert_equal_scores({"feature": "name=psnr|name=ciede"}, ["--feature", "psnr", "--feature", "ciede"],
                                         properties={"form": form})

    def test_deep_samples(self):
        if self.base == "n5.1":
            self.skipTest("FFmpeg 5.1 copies half of each row above 8 bits; patch 0001 fixes that")
        for depth in (10, 12):
            self.assert_equal_scores({"feature": "name=psnr"}, ["--feature", "psnr"], properties={"depth": depth})

    def test_every_document_format(self):
        ref, dis = self.pair()
        for form in ("xml", "json", "csv", "sub", "no_such_format"):
            written, _ = self.filter_document({"feature": "name=psnr"}, ref, dis, log_fmt=form)
            expected = self.command_document(ref, dis, "--feature", "psnr", form="xml" if form == "no_such_format" else form)
            drop = re.compile(r'\sfps="[^"]*"|\s*"fps": [^\n]*|,?\s*"backend_used": "cpu"|\sbackend_used="cpu"'
                              r'|\s*<backend_used[^\n]*|\n# backend_used[^\n]*')
            self.assertEqual(drop.sub("", written), drop.sub("", expected), form)

    def test_scaled_and_shifted_input(self):
        """What the manual recommends for pairs of different size and start gives the scores of the prepared pair."""
        ref, dis = self.pair()
        document, printed = self.filter_document({}, ref, dis, graph="[0:v]scale=240:180:flags=bicubic,settb=AVTB,"
                                                 "setpts=PTS-STARTPTS[d];[1:v]settb=AVTB,setpts=PTS-STARTPTS[r];[d][r]libvmaf")
        plain, expected = self.filter_document({}, ref, dis)
        self.assertEqual(printed, expected)

    def test_failures_are_clean(self):
        ref, dis = self.pair()
        for options in ({"model": "version=no_such_model"}, {"model": "path=/no/such/file.json"},
                        {"feature": "name=no_such_feature"}):
            run = self.run_filter(options, ref, dis, expect=None)
            self.assertGreater(run.returncode, 0, f"{options}: {run.stdout}")
            self.assertNotIn("VMAF score", run.stdout)
        run = self.run_filter({}, *self.pair(size="16x16", frames=2), expect=None)
        self.assertGreater(run.returncode, 0, run.stdout)
        self.assertIn("at least", run.stdout)  # the library's message

    def test_quiet_means_silent(self):
        self.assertEqual(self.run_filter({}, *self.pair(), before=("-v", "quiet")).stdout, "")


class DeprecatedOptions(FilterTest):
    """The option syntax of FFmpeg 5.1 and 6.0. These register their features before the models', so the order of columns is
    another one."""

    def setUp(self):
        if self.base != "n5.1":
            self.skipTest("FFmpeg 6.1 removed them")

    def test_metrics(self):
        self.assert_equal_scores({"psnr": 1, "ssim": 1, "ms_ssim": 1},
                                 ["--feature", "psnr=enable_chroma=false", "--feature", "float_ssim", "--feature", "float_ms_ssim"],
                                 ordered=False)

    def test_model_file_adds_its_features_only(self):
        features = ["float_adm", "float_motion", "float_vif"]
        self.assert_equal_scores({"model_path": self.models / "vmaf_float_v0.6.1.json"},
                                 [word for name in features for word in ("--feature", name)], ordered=False)

    def test_phone_switches_do_nothing_without_a_model_file(self):
        for option in ("phone_model", "enable_transform"):
            self.assert_equal_scores({option: 1})

    def test_confidence_interval(self):
        document, printed = self.filter_document({"model_path": self.models / "vmaf_b_v0.6.3.json", "enable_conf_interval": 1},
                                                 *self.pair())
        self.assertEqual(len(printed), 1)
        self.assertIn('"vmaf"', document)
