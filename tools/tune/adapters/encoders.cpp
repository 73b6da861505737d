// The table of known encoders (tune.md 4).
#include "adapters/adapter.hpp"

namespace vmaf::tune {

std::vector<Adapter> known_encoders(); // for adapter.cpp

std::vector<Adapter> known_encoders() {
    using F = EncoderFamily;
    constexpr bool no = false, yes = true;
    // clang-format off
    return {
        // name, family, knob, search, accepted, step, default, higher is better, probe, container, 10 bits, hardware, switch
        {"libx264", F::x264, "crf", {10, 46}, {0, 51}, 0.1, 23, no, "ultrafast", 28, "mkv", no, no, "--enable-libx264"},
        {"libx265", F::x265, "crf", {10, 46}, {0, 51}, 0.1, 28, no, "ultrafast", 28, "mkv", no, no, "--enable-libx265"},
        {"libsvtav1", F::svtav1, "crf", {5, 63}, {0, 63}, 1, 35, no, "veryfast", 35, "mkv", yes, no, "--enable-libsvtav1"},
        {"libaom-av1", F::aom, "crf", {0, 63}, {0, 63}, 1, 35, no, "ultrafast", 35, "mkv", yes, no, "--enable-libaom"},
        {"libvpx-vp9", F::vp9, "crf", {0, 63}, {0, 63}, 1, 32, no, "ultrafast", 32, "mkv", no, no, "--enable-libvpx"},
        {"libvvenc", F::vvenc, "qp", {17, 50}, {0, 63}, 1, 32, no, "faster", 32, "mkv", no, no, "--enable-libvvenc"},
        {"librav1e", F::rav1e, "qp", {0, 255}, {0, 255}, 1, 80, no, "ultrafast", 100, "mkv", yes, no, "--enable-librav1e"},
        {"h264_nvenc", F::nvenc, "cq", {15, 40}, {0, 51}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-nvenc"},
        {"h264_qsv", F::qsv, "global_quality", {1, 51}, {1, 51}, 1, 23, no, "veryfast", 23, "mkv", no, yes, "--enable-libvpl"},
        {"h264_amf", F::amf, "qp", {15, 40}, {0, 51}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-amf"},
        {"h264_videotoolbox", F::videotoolbox, "q:v", {0, 100}, {0, 100}, 1, 50, yes, "ultrafast", 60, "mov", no, yes, "--enable-videotoolbox"},
        {"hevc_nvenc", F::nvenc, "cq", {15, 40}, {0, 51}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-nvenc"},
        {"hevc_qsv", F::qsv, "global_quality", {1, 51}, {1, 51}, 1, 23, no, "veryfast", 23, "mkv", no, yes, "--enable-libvpl"},
        {"hevc_amf", F::amf, "qp", {15, 40}, {0, 51}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-amf"},
        {"hevc_videotoolbox", F::videotoolbox, "q:v", {0, 100}, {0, 100}, 1, 50, yes, "ultrafast", 60, "mov", no, yes, "--enable-videotoolbox"},
        {"av1_nvenc", F::nvenc, "cq", {15, 40}, {0, 63}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-nvenc"},
        {"av1_qsv", F::qsv, "global_quality", {1, 51}, {1, 51}, 1, 23, no, "veryfast", 23, "mkv", no, yes, "--enable-libvpl"},
        {"av1_amf", F::amf, "qp", {15, 40}, {0, 51}, 1, 23, no, "ultrafast", 28, "mkv", no, yes, "--enable-amf"},
        {"av1_videotoolbox", F::videotoolbox, "q:v", {0, 100}, {0, 100}, 1, 50, yes, "ultrafast", 60, "mov", no, yes, "--enable-videotoolbox"},
        {"prores_videotoolbox", F::prores, "profile", {0, 5}, {0, 5}, 1, 3, yes, "ultrafast", 0, "mov", no, yes, "--enable-videotoolbox"},
    };
    // clang-format on
}

} // namespace vmaf::tune
