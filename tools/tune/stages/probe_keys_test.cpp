#include "stages/probe_keys.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <set>

namespace vmaf::tune {
namespace {

ProbeSetup setup_of_clip() {
    ProbeSetup setup;
    setup.programs.ffmpeg_version = "5.1";
    setup.source.id = "fast-1";
    setup.source.pix_fmt = "yuv420p";
    setup.encode.adapter = find_adapter("libx264");
    setup.score.metrics = {*metric_choice("vmaf")};
    setup.samples = {{setup.source, {}, 0, 10}};
    return setup;
}

struct Key {
    std::string encode, score;
};
Key key_of(const ProbeSetup &setup, double q = 30, const std::string &encoder_version = "libx264-164") {
    const std::string encode = encode_key(setup, setup.samples[0], q, encoder_version, setup.encode.threads);
    return {encode, score_key(setup, encode)};
}

TEST(ProbeKeys, EveryPartOfAnEncodeChangesBothKeys) {
    const Key base = key_of(setup_of_clip());
    std::set<std::string> seen = {base.encode};
    const auto expect_new = [&](const char *what, const Key &key) {
        EXPECT_TRUE(seen.insert(key.encode).second) << what;
        EXPECT_NE(key.score, base.score) << what;
    };
    const auto changed = [&](const char *what, const std::function<void(ProbeSetup &)> &change) {
        ProbeSetup setup = setup_of_clip();
        change(setup);
        expect_new(what, key_of(setup));
    };
    expect_new("quality", key_of(setup_of_clip(), 30.1));
    expect_new("version of the encoder", key_of(setup_of_clip(), 30, "libx264-165"));
    changed("source", [](auto &s) { s.samples[0].source.id = "fast-2"; });
    changed("start of the clip", [](auto &s) { s.samples[0].window = {1, 24}; });
    changed("length of the clip", [](auto &s) { s.samples[0].window = {1, 25}; });
    changed("filter", [](auto &s) { s.encode.vfilter = "hflip"; });
    changed("encoder", [](auto &s) { s.encode.adapter = find_adapter("libx265"); });
    changed("preset", [](auto &s) { s.encode.preset = "slow"; });
    changed("version of ffmpeg", [](auto &s) { s.programs.ffmpeg_version = "6.0"; });
    changed("key frames", [](auto &s) { s.encode.keyint = 50; });
    changed("HDR", [](auto &s) { s.samples[0].source.hdr.transfer = Hdr::Transfer::pq; });
    changed("user's options", [](auto &s) { s.encode.user_arguments = {"-tune", "film"}; });
    changed("user's input options", [](auto &s) { s.encode.user_input_arguments = {"-tune", "film"}; });
    changed("pixel format", [](auto &s) { s.encode.out_pix_fmt = "yuv444p"; });
    changed("threads of the encoder", [](auto &s) { s.encode.threads = 1; });
    changed("passes", [](auto &s) {
        s.encode.two_pass = true;
        s.encode.bitrate_kbps = 500;
    });
    Adapter other = *find_adapter("libx264");
    other.version = "another";
    changed("version of the adapter", [&](auto &s) { s.encode.adapter = &other; });
}

TEST(ProbeKeys, EveryPartOfAScoreChangesItsKeyOnly) {
    const Key base = key_of(setup_of_clip());
    std::set<std::string> seen = {base.score};
    const auto changed = [&](const char *what, const std::function<void(ProbeSetup &)> &change) {
        ProbeSetup setup = setup_of_clip();
        change(setup);
        const Key key = key_of(setup);
        EXPECT_EQ(key.encode, base.encode) << what;
        EXPECT_TRUE(seen.insert(key.score).second) << what;
    };
    changed("metric", [](auto &s) { s.score.metrics = {*metric_choice("psnr")}; });
    changed("further metric", [](auto &s) { s.score.metrics.push_back(*metric_choice("psnr")); });
    changed("model", [](auto &s) { s.score.model = "vmaf_4k_v0.6.1"; });
    changed("backend", [](auto &s) { s.score.backend = "cuda"; });
    changed("scaling", [](auto &s) { s.score.scale = "none"; });
    changed("scaler", [](auto &s) { s.score.scaler = "lanczos"; });
    changed("filter of the reference", [](auto &s) { s.score.reference_filter = "hflip"; });
    changed("subsampling", [](auto &s) { s.score.subsample = 2; });
    changed("film grain", [](auto &s) { s.score.drop_film_grain = false; });
    changed("delay", [](auto &s) { s.score.dist_delay = 1; });
    changed("scorer", [](auto &s) { s.score.scorer_identity = "another"; });
    // Transport, number of threads and pooling do not change keys.
    ProbeSetup same = setup_of_clip();
    same.score.transport = ScoreTransport::file;
    same.score.threads = 7;
    same.pool = "harmonic";
    EXPECT_EQ(key_of(same).score, base.score);
}

TEST(ProbeKeys, SourcesWithoutIdentityHaveNone) {
    ProbeSetup setup = setup_of_clip();
    setup.samples[0].source.id.clear();
    EXPECT_EQ(key_of(setup).encode, "");
    EXPECT_EQ(key_of(setup).score, "");
}

} // namespace
} // namespace vmaf::tune
