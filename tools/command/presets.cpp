// --aom_ctc and --nflx_ctc (cli-and-formats.md 7).
#include <algorithm>

#include "exit_code.hpp"
#include "options.hpp"

namespace vmaf::cli {

namespace {

void add(Options &options, const char *model, const char *name) {
    options.models.push_back(parse_model_argument("version=" + std::string(model) + ":name=" + name));
}

void add(Options &options, const char *feature) { options.features.push_back(parse_feature_argument(feature)); }

// "v1.0" to "v7.0" as a number; 0 for other texts.
int version_number(const std::string &text, int latest) {
    for (int n = 1; n <= latest; n++)
        if (text == "v" + std::to_string(n) + ".0") return n;
    return 0;
}

} // namespace

void apply_aom_preset(Options &options, const std::string &text) {
    const int version = version_number(text, 7);
    if (text == "proposed") throw usage_error("option --aom_ctc: 'proposed' is retired; use v1.0 to v7.0");
    if (version == 0) throw usage_error("option --aom_ctc: unknown version '" + text + "'; use v1.0 to v7.0");
    add(options, "vmaf_v0.6.1", "vmaf");
    add(options, "vmaf_v0.6.1neg", "vmaf_neg");
    add(options, "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5");
    add(options, "ciede");
    add(options, "float_ssim=enable_db=true:clip_db=true");
    add(options, "float_ms_ssim=enable_db=true:clip_db=true");
    add(options, "psnr_hvs");
    if (version >= 3) add(options, "cambi");
    if (version >= 6) options.may_differ_in_depth = true;
    if (version < 7) return;
    // The first float_ssim in the list, which may be the user's (cli-and-formats.md 7).
    const auto first = std::find_if(options.features.begin(), options.features.end(),
                                    [](const FeatureArgument &f) { return f.name == "float_ssim"; });
    *first = parse_feature_argument("float_ssim=scale=1:enable_db=true:clip_db=true");
}

void apply_nflx_preset(Options &options, const std::string &text) {
    if (version_number(text, 1) == 0) throw usage_error("option --nflx_ctc: unknown version '" + text + "'; use v1.0");
    add(options, "vmaf_4k_v0.6.1", "vmaf");
    add(options, "vmaf_4k_v0.6.1neg", "vmaf_neg");
    add(options, "psnr=enable_chroma=true:enable_apsnr=true");
    add(options, "float_ssim=enable_db=true:clip_db=true");
    add(options, "cambi");
}

} // namespace vmaf::cli
