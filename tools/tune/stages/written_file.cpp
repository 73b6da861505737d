#include "stages/written_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/error.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

// The first line with one of the signs, without the name of the reporting part of FFmpeg.
template <class Signs> std::string line_with(const std::string &messages, const Signs &signs) {
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        const bool names_a_file = line.starts_with("Input #") || line.starts_with("Output #") || line.starts_with(" ");
        if (names_a_file ||
            std::ranges::none_of(signs, [&](std::string_view sign) { return line.find(sign) != std::string::npos; }))
            continue;
        return line.substr(line.starts_with("[") ? std::min(line.find("] ") + 2, line.size()) : 0);
    }
    return {};
}

} // namespace

std::string storage_failure(const ChildResult &outcome) {
    struct Cause {
        std::string_view sign, sentence;
    };
    static constexpr Cause kCauses[] = {
        {"No space left on device", "the disk is full"},
        {"Disk quota exceeded", "the disk quota is used up"},
        {"File too large", "the file is larger than the file system or the limit on file sizes (ulimit -f) allows"},
        {"Read-only file system", "the file system is read-only"}};
    for (const Cause &cause : kCauses)
        if (!line_with(outcome.error_tail, std::array{cause.sign}).empty()) return std::string(cause.sentence);
    if (!outcome.ok()) return {}; // the status explains what went wrong
    constexpr std::string_view kMuxer[] = {"Error writing trailer", "av_interleaved_write_frame()",
                                           "Error muxing",          "Error submitting a packet to the muxer",
                                           "Error closing",         "Unable to re-open",
                                           "Error writing to"};
    const std::string line = line_with(outcome.error_tail, kMuxer);
    return line.empty() ? line : "FFmpeg says \"" + line + "\"";
}

FrameWish frames_wished(const Source &source, const Window &window, const std::string &vfilter) {
    // Filters may change the count, and with a variable rate only the container knows it.
    if (!vfilter.empty() || (source.vfr && !source.frames)) return {};
    return {window.full() ? source.frame_count() : window.frames, !window.full() || source.kind == Source::Kind::raw};
}

std::string reading_failure(const Programs &programs, const std::string &path) {
    const ChildResult outcome = each_packet(programs.ffprobe, path, "", "stream_index", [](const std::string &) {});
    constexpr std::string_view kSigns[] = {"prematurely",       "partial file",        "runcat",
                                           "nvalid data found", "moov atom not found", "parsing failed"};
    const std::string line = line_with(outcome.error_tail, kSigns);
    if (!line.empty() || outcome.ok()) return line;
    return "ffprobe ended with status " + std::to_string(outcome.code);
}

WrittenFile check_written(const Programs &programs, const ChildResult &outcome, const std::string &path,
                          const FrameWish &wish) {
    using Fault = WrittenFile::Fault;
    WrittenFile file;
    const auto fault = [&](Fault kind, const std::string &sentence) {
        file.fault = kind;
        file.sentence = sentence;
        return file;
    };
    if (const std::string why = storage_failure(outcome); !why.empty()) return fault(Fault::storage, why);
    std::error_code error;
    if (!fs::exists(path, error) || fs::file_size(path, error) == 0)
        return fault(Fault::content, "the encoder ended well but wrote nothing");
    const bool may_be_empty = outcome.error_tail.find("video:0kB") != std::string::npos ||
                              outcome.error_tail.find("video:0KiB") != std::string::npos;
    try {
        file.packets = video_packets(programs.ffprobe, path);
    } catch (const Error &e) { // a file without pictures may still be unreadable
        if (!may_be_empty) return fault(Fault::content, e.what());
    }
    const std::int64_t frames = file.packets.packets;
    if (frames == 0)
        return fault(Fault::content, may_be_empty ? "FFmpeg shows no picture of the source; is it cut off, or do its "
                                                    "times leave all of them out?"
                                                  : "the encode has no video packets");
    if (frames < wish.given)
        return fault(Fault::storage,
                     "the file has " + counted(frames, "frame") + ", FFmpeg wrote " + std::to_string(wish.given));
    const std::int64_t slack = wish.is_exact ? 0 : 2 + wish.frames / 50;
    if (wish.frames > 0 && std::llabs(frames - wish.frames) > slack)
        return fault(Fault::content, "the encode has " + counted(frames, "frame") + ", " +
                                         (wish.is_exact ? "" : "about ") + std::to_string(wish.frames) +
                                         " were expected; is the source damaged or cut off?");
    return file;
}

} // namespace vmaf::tune
