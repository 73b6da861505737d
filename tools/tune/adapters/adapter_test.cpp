// Argument vectors of every adapter, as in tune.md 4. The only test of hardware encoders, which cannot run here.
#include <gmock/gmock.h>
#include <map>

#include "adapters/adapter.hpp"
#include "base/error.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string joined(const Arguments &arguments) {
    std::string text;
    for (const std::string &a : arguments) text += (text.empty() ? "" : " ") + a;
    return text;
}

struct Expected {
    const char *encoder, *medium_default, *ultrafast_low, *placebo_high;
};

// Table 4.3 with the preset map 4.4: the default quality at medium, and both ends of the hard range.
constexpr Expected kExpected[] = {
    {"libx264", "-preset medium -crf 23", "-preset ultrafast -crf 0", "-preset placebo -crf 51"},
    {"libx265", "-preset medium -crf 28", "-preset ultrafast -crf 0", "-preset placebo -crf 51"},
    {"libsvtav1", "-preset 7 -crf 35", "-preset 13 -crf 0", "-preset 0 -crf 63"},
    {"libaom-av1", "-cpu-used 4 -crf 35 -b:v 0", "-cpu-used 9 -crf 0 -b:v 0", "-cpu-used 0 -crf 63 -b:v 0"},
    {"libvpx-vp9", "-deadline good -cpu-used 3 -crf 32 -b:v 0", "-deadline good -cpu-used 5 -crf 0 -b:v 0",
     "-deadline good -cpu-used 0 -crf 63 -b:v 0"},
    {"libvvenc", "-preset medium -qp 32", "-preset faster -qp 0", "-preset slower -qp 63"},
    {"librav1e", "-speed 6 -qp 80", "-speed 10 -qp 0", "-speed 0 -qp 255"},
    {"h264_nvenc", "-preset p4 -rc vbr -cq 23 -b:v 0", "-preset p1 -rc vbr -cq 0 -b:v 0",
     "-preset p7 -rc vbr -cq 51 -b:v 0"},
    {"hevc_nvenc", "-preset p4 -rc vbr -cq 23 -b:v 0", "-preset p1 -rc vbr -cq 0 -b:v 0",
     "-preset p7 -rc vbr -cq 51 -b:v 0"},
    {"av1_nvenc", "-preset p4 -rc vbr -cq 23 -b:v 0", "-preset p1 -rc vbr -cq 0 -b:v 0",
     "-preset p7 -rc vbr -cq 63 -b:v 0"},
    {"h264_qsv", "-preset medium -global_quality 23", "-preset veryfast -global_quality 1",
     "-preset veryslow -global_quality 51"},
    {"hevc_qsv", "-preset medium -global_quality 23", "-preset veryfast -global_quality 1",
     "-preset veryslow -global_quality 51"},
    {"av1_qsv", "-preset medium -global_quality 23", "-preset veryfast -global_quality 1",
     "-preset veryslow -global_quality 51"},
    {"h264_amf", "-quality balanced -rc cqp -qp_i 23 -qp_p 23", "-quality speed -rc cqp -qp_i 0 -qp_p 0",
     "-quality quality -rc cqp -qp_i 51 -qp_p 51"},
    {"hevc_amf", "-quality balanced -rc cqp -qp_i 23 -qp_p 23", "-quality speed -rc cqp -qp_i 0 -qp_p 0",
     "-quality quality -rc cqp -qp_i 51 -qp_p 51"},
    {"av1_amf", "-quality balanced -rc cqp -qp_i 23 -qp_p 23", "-quality speed -rc cqp -qp_i 0 -qp_p 0",
     "-quality quality -rc cqp -qp_i 51 -qp_p 51"},
    {"h264_videotoolbox", "-realtime 0 -q:v 50", "-realtime 1 -q:v 0", "-realtime 0 -q:v 100"},
    {"hevc_videotoolbox", "-realtime 0 -q:v 50", "-realtime 1 -q:v 0", "-realtime 0 -q:v 100"},
    {"av1_videotoolbox", "-realtime 0 -q:v 50", "-realtime 1 -q:v 0", "-realtime 0 -q:v 100"},
    {"prores_videotoolbox", "-realtime 0 -profile:v hq", "-realtime 1 -profile:v proxy", "-realtime 0 -profile:v xq"},
};

TEST(Adapters, GiveTheArgumentsOfTheTable) {
    EXPECT_EQ(adapters().size(), std::size(kExpected));
    for (const Expected &e : kExpected) {
        const Adapter *adapter = find_adapter(e.encoder);
        ASSERT_NE(adapter, nullptr) << e.encoder;
        EXPECT_EQ(joined(adapter->codec_arguments("medium", adapter->default_q)), e.medium_default) << e.encoder;
        EXPECT_EQ(joined(adapter->codec_arguments("ultrafast", adapter->hard.low)), e.ultrafast_low) << e.encoder;
        EXPECT_EQ(joined(adapter->codec_arguments("placebo", adapter->hard.high)), e.placebo_high) << e.encoder;
    }
}

TEST(Adapters, RefuseQualitiesOutsideTheHardRangeAndUnknownPresets) {
    for (const Adapter &adapter : adapters()) {
        EXPECT_THROW(adapter.codec_arguments("medium", adapter.hard.low - 1), Error) << adapter.name;
        EXPECT_THROW(adapter.codec_arguments("medium", adapter.hard.high + 1), Error) << adapter.name;
        EXPECT_THROW(adapter.codec_arguments("warp9", adapter.default_q), Error) << adapter.name;
        EXPECT_GE(adapter.search.low, adapter.hard.low) << adapter.name;
        EXPECT_LE(adapter.search.high, adapter.hard.high) << adapter.name;
        EXPECT_TRUE(adapter.native_preset(adapter.probe_preset)) << adapter.name;
        EXPECT_NO_THROW(adapter.codec_arguments(adapter.probe_preset, adapter.probe_q)) << adapter.name;
        EXPECT_FALSE(adapter.configure_switch.empty()) << adapter.name;
    }
}

// 4.4, all columns: one list of presets works for every encoder.
TEST(Adapters, MapTheSharedPresetsAndKeepNativeOnes) {
    const std::map<std::string, std::vector<std::string>> expected = {
        {"libx264",
         {"placebo", "veryslow", "veryslow", "slower", "slow", "medium", "fast", "faster", "veryfast", "superfast",
          "ultrafast"}},
        {"libsvtav1", {"0", "1", "1", "3", "5", "7", "9", "11", "13", "13", "13"}},
        {"libaom-av1", {"0", "1", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
        {"libvpx-vp9", {"0", "0", "0", "1", "2", "3", "4", "5", "5", "5", "5"}},
        {"libvvenc",
         {"slower", "slower", "slower", "slower", "slow", "medium", "fast", "faster", "faster", "faster", "faster"}},
        {"hevc_nvenc", {"p7", "p7", "p7", "p6", "p5", "p4", "p3", "p2", "p1", "p1", "p1"}},
        {"hevc_qsv",
         {"veryslow", "veryslow", "veryslow", "slower", "slow", "medium", "fast", "faster", "veryfast", "veryfast",
          "veryfast"}},
        {"hevc_amf",
         {"quality", "quality", "quality", "quality", "quality", "balanced", "speed", "speed", "speed", "speed",
          "speed"}},
        {"hevc_videotoolbox", {"0", "0", "0", "0", "0", "0", "1", "1", "1", "1", "1"}},
        {"librav1e", {"0", "1", "1", "3", "4", "6", "7", "8", "9", "10", "10"}}};
    const char *names[] = {"placebo", "slowest", "veryslow", "slower",    "slow",     "medium",
                           "fast",    "faster",  "veryfast", "superfast", "ultrafast"};
    for (const auto &[encoder, natives] : expected)
        for (std::size_t i = 0; i < natives.size(); i++)
            EXPECT_EQ(find_adapter(encoder)->native_preset(names[i]), natives[i]) << encoder << names[i];
    EXPECT_EQ(find_adapter("h264_nvenc")->native_preset("p6"), "p6");
    EXPECT_EQ(find_adapter("libsvtav1")->native_preset("-1"), "-1");
    EXPECT_EQ(find_adapter("libsvtav1")->native_preset("14"), std::nullopt);
    EXPECT_EQ(find_adapter("av1_amf")->native_preset("balanced"), "balanced");
}

TEST(Adapters, KnowTheDirectionOfTheirKnob) {
    for (const Adapter &adapter : adapters())
        EXPECT_EQ(adapter.higher_is_better, adapter.name.ends_with("videotoolbox")) << adapter.name;
}

TEST(Adapters, GiveSvtAv1FractionsThroughItsOwnParameters) {
    EXPECT_EQ(joined(find_adapter("libsvtav1")->codec_arguments("medium", 30.25)),
              "-preset 7 -crf 30 -svtav1-params crf=30.25");
    EXPECT_EQ(joined(find_adapter("libx264")->codec_arguments("slow", 23.5)), "-preset slow -crf 23.5");
}

TEST(Adapters, TagHevcForApplesContainersOnly) {
    EXPECT_EQ(joined(find_adapter("libx265")->extra_arguments("mp4")), "-tag:v hvc1");
    EXPECT_THAT(find_adapter("libx265")->extra_arguments("mkv"), IsEmpty());
    EXPECT_EQ(joined(find_adapter("libvpx-vp9")->extra_arguments("mkv")), "-row-mt 1");
}

Hdr hdr(Hdr::Transfer transfer) {
    Hdr h;
    h.transfer = transfer;
    h.primaries = "bt2020";
    h.mastering_display = "G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,1)";
    h.content_light = "1000,400";
    return h;
}

// 4.7
TEST(Adapters, SignalHdrAsEachEncoderWantsIt) {
    const std::string pq = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv";
    const std::string hlg = "-color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc -color_range tv";
    const std::string display = hdr(Hdr::Transfer::pq).mastering_display;
    const std::string fractions = "G(0.17,0.797)B(0.131,0.046)R(0.708,0.292)WP(0.3127,0.329)L(1000,0.0001)";
    const std::map<std::string, std::pair<std::string, std::string>> expected = {
        {"libx264", {pq, hlg}},
        {"libaom-av1", {pq, hlg}},
        {"libvvenc", {pq, hlg}},
        {"libvpx-vp9", {pq, hlg}},
        {"librav1e", {pq, hlg}},
        {"libx265",
         {pq + " -x265-params colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited:master-display=" +
              display + ":max-cll=1000,400:hdr10-opt=1",
          hlg +
              " -x265-params "
              "colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:range=limited:master-display=" +
              display + ":max-cll=1000,400"}},
        {"libsvtav1",
         {pq +
              " -svtav1-params "
              "color-primaries=9:transfer-characteristics=16:matrix-coefficients=9:color-range=0:mastering-display=" +
              fractions + ":content-light=1000,400",
          hlg +
              " -svtav1-params "
              "color-primaries=9:transfer-characteristics=18:matrix-coefficients=9:color-range=0:mastering-display=" +
              fractions + ":content-light=1000,400"}},
        {"hevc_nvenc",
         {"-pix_fmt p010le -profile:v main10 " + pq + " -master_display " + display + " -max_cll 1000,400",
          "-pix_fmt p010le -profile:v main10 " + hlg + " -master_display " + display + " -max_cll 1000,400"}},
        {"hevc_qsv", {"-pix_fmt p010le -profile:v main10 " + pq, "-pix_fmt p010le -profile:v main10 " + hlg}},
        {"hevc_amf", {"-pix_fmt p010le -profile:v main10 " + pq, "-pix_fmt p010le -profile:v main10 " + hlg}},
        {"hevc_videotoolbox", {"-pix_fmt p010le -profile:v main10 " + pq, "-pix_fmt p010le -profile:v main10 " + hlg}},
        {"av1_nvenc", {"-pix_fmt p010le " + pq, "-pix_fmt p010le " + hlg}},
        {"av1_qsv", {"-pix_fmt p010le " + pq, "-pix_fmt p010le " + hlg}},
        {"av1_amf", {"-pix_fmt p010le " + pq, "-pix_fmt p010le " + hlg}}};
    for (const Adapter &adapter : adapters()) {
        const auto found = expected.find(adapter.name);
        EXPECT_EQ(adapter.has_hdr_arguments(), found != expected.end()) << adapter.name;
        EXPECT_EQ(joined(adapter.hdr_arguments(hdr(Hdr::Transfer::pq))),
                  found == expected.end() ? "" : found->second.first)
            << adapter.name;
        EXPECT_EQ(joined(adapter.hdr_arguments(hdr(Hdr::Transfer::hlg))),
                  found == expected.end() ? "" : found->second.second)
            << adapter.name;
        EXPECT_THAT(adapter.hdr_arguments({}), IsEmpty());
    }
}

// 19.1: every adapter, every preset, both ends of its range; assembled from the columns of 4.3 and 4.4.
TEST(Adapters, GiveExactArgumentsForEveryPresetAndBothEnds) {
    const std::map<std::string, std::string> forms = {{"libx264", "-preset P -crf Q"},
                                                      {"libx265", "-preset P -crf Q"},
                                                      {"libsvtav1", "-preset P -crf Q"},
                                                      {"libaom-av1", "-cpu-used P -crf Q -b:v 0"},
                                                      {"libvpx-vp9", "-deadline good -cpu-used P -crf Q -b:v 0"},
                                                      {"libvvenc", "-preset P -qp Q"},
                                                      {"librav1e", "-speed P -qp Q"},
                                                      {"nvenc", "-preset P -rc vbr -cq Q -b:v 0"},
                                                      {"qsv", "-preset P -global_quality Q"},
                                                      {"amf", "-quality P -rc cqp -qp_i Q -qp_p Q"},
                                                      {"videotoolbox", "-realtime P -q:v Q"},
                                                      {"prores_videotoolbox", "-realtime P -profile:v Q"}};
    const auto filled = [](std::string form, const std::string &preset, const std::string &q) {
        for (std::size_t at = 0; (at = form.find_first_of("PQ", at)) != std::string::npos;) {
            const std::string &value = form[at] == 'P' ? preset : q;
            form.replace(at, 1, value);
            at += value.size();
        }
        return form;
    };
    std::size_t checked = 0;
    for (const Adapter &adapter : adapters()) {
        auto form = forms.find(adapter.name);
        if (form == forms.end()) form = forms.find(adapter.name.substr(adapter.name.find('_') + 1));
        ASSERT_NE(form, forms.end()) << adapter.name;
        for (const char *preset : {"placebo", "slowest", "veryslow", "slower", "slow", "medium", "fast", "faster",
                                   "veryfast", "superfast", "ultrafast"})
            for (const double q : {adapter.hard.low, adapter.hard.high}) {
                const std::string value = adapter.name != "prores_videotoolbox" ? number_text(q)
                                          : q == 0                              ? "proxy"
                                                                                : "xq";
                EXPECT_EQ(joined(adapter.codec_arguments(preset, q)),
                          filled(form->second, *adapter.native_preset(preset), value));
                checked++;
            }
        for (const int pass : {1, 2}) {
            const std::string number = std::to_string(pass);
            const std::string expected = adapter.name == "libx265" ? "-x265-params pass=" + number + ":stats=/t/s\\:x"
                                         : adapter.name.ends_with("nvenc") ? "-multipass fullres"
                                                                           : "-pass " + number + " -passlogfile /t/s:x";
            if (adapter.two_pass() != Adapter::TwoPass::no) {
                EXPECT_EQ(joined(adapter.two_pass_arguments(pass, "/t/s:x")), expected) << adapter.name;
            }
        }
    }
    EXPECT_EQ(checked, adapters().size() * 22);
}

TEST(Adapters, KeepHdrAndTwoPassTogetherInOneParameterString) {
    const Adapter *x265 = find_adapter("libx265");
    Arguments all = x265->hdr_arguments(hdr(Hdr::Transfer::hlg));
    append(all, x265->two_pass_arguments(2, "/t/s"));
    append(all, {"-x265-params", "aq-mode=3:range=full"});
    EXPECT_THAT(joined(merged_params(all)),
                HasSubstr("-x265-params colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:range=full:"
                          "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,1):"
                          "max-cll=1000,400:pass=2:stats=/t/s:aq-mode=3"));
}

TEST(Adapters, FollowTheEncodersVersion) {
    const Adapter &svt = *find_adapter("libsvtav1");
    EXPECT_EQ(adapter_for_version(svt, "libsvtav1-1.4.1").step, 1);
    const Adapter newer = adapter_for_version(svt, "libsvtav1-4.0.0");
    EXPECT_EQ(newer.step, 0.25);
    EXPECT_EQ(newer.hard.high, 70);
    EXPECT_EQ(joined(newer.codec_arguments("medium", 68)), "-preset 7 -crf 63 -svtav1-params crf=68");
    EXPECT_EQ(adapter_for_version(*find_adapter("libx264"), "libx264-164").step, 0.1);
}

// 4.8: a bitrate replaces the knob.
TEST(Adapters, EncodeInTwoPassesWhereTheEncoderCan) {
    using T = Adapter::TwoPass;
    EXPECT_EQ(find_adapter("libx264")->two_pass(), T::bitrate_only);
    EXPECT_EQ(find_adapter("libvpx-vp9")->two_pass(), T::quality_too);
    EXPECT_EQ(find_adapter("hevc_nvenc")->two_pass(), T::one_run);
    EXPECT_EQ(find_adapter("hevc_qsv")->two_pass(), T::no);
    EXPECT_EQ(joined(find_adapter("libx264")->bitrate_arguments("slow", 1500)), "-preset slow -b:v 1500k");
    EXPECT_EQ(joined(find_adapter("libaom-av1")->bitrate_arguments("slow", 1500)), "-cpu-used 3 -b:v 1500k");
    EXPECT_EQ(joined(find_adapter("libx264")->two_pass_arguments(1, "/tmp/s")), "-pass 1 -passlogfile /tmp/s");
    EXPECT_EQ(joined(find_adapter("libx265")->two_pass_arguments(2, "/tmp/s")), "-x265-params pass=2:stats=/tmp/s");
}

TEST(Adapters, MergeParameterStringsSoThatNoneIsLost) {
    EXPECT_THAT(merged_params({"-x265-params", "a=1:b=2", "-preset", "slow", "-x265-params", "b=3:c=4"}),
                ElementsAre("-x265-params", "a=1:b=3:c=4", "-preset", "slow"));
    EXPECT_THAT(merged_params({"-svtav1-params", "a=x\\:y", "-svtav1-params", "b=1"}),
                ElementsAre("-svtav1-params", "a=x\\:y:b=1"));
}

// 4.10, with lines as FFmpeg 5.1 prints them.
TEST(Adapters, ReadTheEncodersVersionFromItsLog) {
    EXPECT_EQ(
        find_adapter("libx264")->encoder_version("[libx264 @ 0x1] 264 - core 164 r3095 baee400 - H.264/MPEG-4 AVC"),
        "libx264-164");
    EXPECT_EQ(find_adapter("libx265")->encoder_version("x265 [info]: HEVC encoder version 3.5+1-f0c1022b6\n"),
              "libx265-3.5+1-f0c1022b6");
    EXPECT_EQ(find_adapter("libsvtav1")->encoder_version("Svt[info]: SVT [version]:\tSVT-AV1 Encoder Lib v1.4.1\n"),
              "libsvtav1-1.4.1");
    EXPECT_EQ(find_adapter("libaom-av1")->encoder_version("[libaom-av1 @ 0x5] v3.6.0\n"), "libaom-av1-3.6.0");
    EXPECT_EQ(find_adapter("libvpx-vp9")->encoder_version("[libvpx-vp9 @ 0x5] v1.12.0\n"), "libvpx-vp9-1.12.0");
    EXPECT_EQ(find_adapter("h264_nvenc")->encoder_version("anything"), "unknown");
}

} // namespace
} // namespace vmaf::tune
