// Pairs of video files on a device: decoding and scoring speed.
//
//   video_bench read DEVICE REFERENCE DISTORTED [DECODERS]    pairs per second, discarding pictures
//   video_bench score DEVICE REFERENCE DISTORTED [DECODERS]   also scores the default model's features, and counts
//                                                             copies to the host
//   video_bench frames DEVICE REFERENCE DISTORTED [DECODERS]  a checksum of each pair of pictures, for tests
//   video_bench kept DEVICE REFERENCE DISTORTED [DECODERS]    the same of a second run, for which the first kept the
//                                                             reference on the device
//
// DEVICE is cuda, host32, host64, or none: decoded by the processor into host memory. DECODERS: per file; "upload": one
// software decoder, into memory that the device copies from; "copy": the same through host pictures. Reads both files
// twice, so that the second figure excludes the start-up of device, decoders and memory.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/picture_memory.hpp"
#include "io/video_pairs.hpp"
#include "session/session.hpp"
#include "support/devices.hpp"
#include "system/log.hpp"
#include "system/program.hpp"

namespace {

using namespace vmaf;

constexpr unsigned kDecoders = 8;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// FNV-1a over the samples.
std::uint64_t checksum(const Picture &picture) {
    std::uint64_t sum = 14695981039346656037ull;
    const PictureFormat &format = picture.format();
    for (unsigned p = 0; p < format.planes() && picture.data(p); p++)
        for (unsigned y = 0; y < format.plane_height(p); y++) {
            const std::byte *const row = picture.data(p) + std::ptrdiff_t{y} * picture.stride_bytes(p);
            for (unsigned x = 0; x < format.plane_width(p) * format.bytes_per_sample(); x++)
                sum = (sum ^ static_cast<std::uint64_t>(row[x])) * 1099511628211ull;
        }
    return sum;
}

struct Run {
    std::string mode, device_name;
    std::shared_ptr<Device> device;
    unsigned decoders = kDecoders;
    bool is_uploaded = false, is_copied = false;
    std::shared_ptr<KeptClips> kept;
    VideoPairsRequest request;

    bool prints_frames() const { return mode == "frames" || mode == "kept"; }
};

PairsUse use_of(const Run &run, bool reads_chroma) {
    PairsUse use;
    use.reads_chroma = reads_chroma;
    use.decoders = run.decoders;
    use.kept = run.kept;
    if (!run.device) return use;
    use.device = run.device;
    if (run.is_uploaded || run.is_copied) {
        use.memory = device_memory(run.device, Memory::pinned_host);
        use.frames_ahead = 4;
        if (run.is_copied) use.device = nullptr;
        return use;
    }
    use.decoding_device = run.device_name == "cuda" ? "cuda" : kProcessor;
    return use;
}

int go(const Run &run, const char *when) {
    const bool prints = run.mode == "frames" || (run.mode == "kept" && std::string(when) == "again");
    VideoPairs pairs(run.request);
    pairs.skip(0, 0);
    std::unique_ptr<Session> session;
    if (run.mode == "score") {
        session = std::make_unique<Session>(SessionConfig{.threads = run.device ? 0u : 2u});
        if (run.device) session->use_device({.device = run.device});
        for (const char *feature : {"vif", "adm", "motion"}) session->use_feature(feature, {});
        session->prepare(pairs.format());
    }
    const double begin = seconds_now();
    pairs.start(use_of(run, run.prints_frames()));
    unsigned count = 0;
    double first = 0;
    HostCopies before{};
    while (auto pair = pairs.next()) {
        if (count == 0) {
            first = seconds_now();
            if (run.device) before = run.device->host_copies();
        }
        if (pair->reference.memory() != pair->distorted.memory())
            throw invalid("one picture is on the device, the other is not");
        if (prints)
            std::printf("%u %016llx %016llx\n", count, static_cast<unsigned long long>(checksum(pair->reference)),
                        static_cast<unsigned long long>(checksum(pair->distorted)));
        else if (!run.prints_frames() && run.device && !run.is_copied && pair->reference.memory() != Memory::device)
            throw invalid("pictures do not stay on the device");
        if (session) session->read(std::move(pair->reference), std::move(pair->distorted), count);
        count++;
    }
    pairs.finish();
    if (session) session->flush();
    const double end = seconds_now();
    pairs.check_whole();
    if (run.kept && !run.kept->bytes()) throw invalid("the reference was not kept");
    if (run.prints_frames()) return 0;
    std::printf("%s %s: %u pairs in %.3f s, %.0f pairs/s; the first after %.3f s, %.0f pairs/s behind it\n",
                run.mode.c_str(), when, count, end - begin, count / (end - begin), first - begin,
                (count - 1) / (end - first));
    if (session && run.device) {
        const HostCopies after = run.device->host_copies();
        std::printf("copied to the host: %llu copies of less than 64 KiB (%.1f KiB a pair), %llu larger (%llu bytes)\n",
                    static_cast<unsigned long long>(after.small - before.small),
                    static_cast<double>(after.small_bytes - before.small_bytes) / 1024 / std::max(count, 1u),
                    static_cast<unsigned long long>(after.large - before.large),
                    static_cast<unsigned long long>(after.large_bytes - before.large_bytes));
        if (after.large != before.large) return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    set_log_level(LogLevel::info);
    try {
        const std::vector<std::string> words(argv + 1, argv + argc);
        if (words.size() < 4)
            throw invalid("usage: video_bench read|score|frames|kept DEVICE REFERENCE DISTORTED [DECODERS]");
        Run run{.mode = words[0], .device_name = words[1], .device = {}, .request = {}};
        if (words[1] != "none") {
            run.device = open_test_device(words[1]);
            if (!run.device) throw invalid("no device '" + words[1] + "' on this machine");
        }
        run.is_uploaded = words.size() > 4 && words[4] == "upload";
        run.is_copied = words.size() > 4 && words[4] == "copy";
        const bool is_decoded_there = words[1] == "cuda" && !run.is_uploaded && !run.is_copied;
        if (words.size() > 4 && !run.is_uploaded && !run.is_copied)
            run.decoders = static_cast<unsigned>(std::stoul(words[4]));
        run.request.reference = {.path = words[2],
                                 .threads = system::usable_processors(),
                                 .hwaccel = is_decoded_there ? "cuda" : "none",
                                 .may_stay_on_device = is_decoded_there,
                                 .may_be_uploaded = run.is_uploaded};
        run.request.distorted = run.request.reference;
        run.request.distorted.path = words[3];
        const auto say = [](const std::string &line) { std::fprintf(stderr, "%s\n", line.c_str()); };
        run.request.say_step = run.request.say_warning = say;
        if (run.mode == "frames") return go(run, "");
        if (run.mode == "kept")
            run.request.kept = run.kept =
                std::make_shared<KeptClips>(KeptClips::Memory{0, [] { return std::optional(std::uint64_t{1} << 30); }});
        const int first = go(run, "first");
        return first ? first : go(run, "again");
    } catch (const std::exception &e) {
        std::fprintf(stderr, "video_bench: %s\n", e.what());
        return 2;
    }
}
