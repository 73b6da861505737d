// Prints the frames that a file gives on NVIDIA's decoder: number, time, first sample. For test_nvdec.py.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "io/libav/container.hpp"
#include "io/libav/part_decoder.hpp"

using namespace vmaf;

int main(int argc, char **argv) try {
    if (argc < 4) return 1;
    const libav::FrameKind kind{std::atoi(argv[2]), std::atoi(argv[3]), AV_PIX_FMT_NV12, 0};
    const long most = argc > 4 ? std::atol(argv[4]) : -1;
    const auto parts =
        libav::make_parts(std::make_shared<libav::Container>(VideoRequest{.path = argv[1]}), {"cuda", nullptr}, kind);
    const auto decoder = parts->make_decoder(nullptr);
    long count = 0;
    decoder->decode([&](const PartDecoder::Frame &frame) {
        std::printf("%llu %lld %d\n", static_cast<unsigned long long>(frame.number),
                    static_cast<long long>(frame.stamp.value_or(-1)),
                    static_cast<int>(*frame.surface.components[0].first));
        return ++count != most;
    });
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
