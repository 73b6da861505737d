// Prints the frames that NVIDIA's decoder outputs for a file: number, time, first sample. For test_nvdec.py.
//   nvdec_frames FILE WIDTH HEIGHT [MOST [DECODERS]]
// Several decoders share the parts of the file, one thread each.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/libav/container.hpp"
#include "io/libav/part_decoder.hpp"

using namespace vmaf;

int main(int argc, char **argv) try {
    if (argc < 4) return 1;
    const libav::FrameKind kind{std::atoi(argv[2]), std::atoi(argv[3]), AV_PIX_FMT_NV12, 0};
    const long most = argc > 4 ? std::atol(argv[4]) : -1, decoders = argc > 5 ? std::atol(argv[5]) : 1;
    const auto parts =
        libav::make_parts(std::make_shared<libav::Container>(VideoRequest{.path = argv[1]}), {"cuda", nullptr}, kind);
    std::mutex mutex;
    std::map<std::uint64_t, std::string> lines;
    std::exception_ptr failure; // the first one
    const auto decode_parts = [&] {
        try {
            const auto decoder = parts->make_decoder(nullptr);
            decoder->decode([&](const PartDecoder::Frame &frame) {
                std::string line = std::to_string(frame.number) + " " + std::to_string(frame.stamp.value_or(-1));
                for (const ComponentView &view : frame.surface.components) // the second sample of the second row
                    line += " " + std::to_string(static_cast<int>(*(view.first + view.down + view.across)));
                const std::lock_guard lock(mutex);
                if (!lines.emplace(frame.number, line).second) throw std::runtime_error("a frame came twice: " + line);
                return static_cast<long>(lines.size()) != most;
            });
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (long i = 1; i < decoders; i++) threads.emplace_back(decode_parts);
    decode_parts();
    for (std::thread &thread : threads) thread.join();
    for (const auto &[number, line] : lines) std::puts(line.c_str());
    if (failure) std::rethrow_exception(failure);
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
