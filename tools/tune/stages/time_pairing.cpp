#include "stages/time_pairing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace vmaf::tune {

std::vector<std::int64_t> frame_times(const Programs &programs, const Source &source) {
    std::vector<std::int64_t> times;
    if (source.kind != Source::Kind::container) {
        for (std::int64_t i = 0; i < source.frame_count(); i++)
            times.push_back(std::llround(double(i) * 1e9 / source.rate.value()));
        return times;
    }
    bool is_complete = true;
    RunOptions options;
    options.on_output_line = [&](std::string_view line) {
        const std::string text(line); // time,flags
        const std::size_t comma = std::min(text.find(','), text.size());
        if (text.find('D', comma) != std::string::npos) return; // decoded but never shown
        char *end = nullptr;
        const double seconds = std::strtod(text.c_str(), &end);
        if (end == text.c_str())
            is_complete = false;
        else
            times.push_back(std::llround(seconds * 1e9));
    };
    const ChildResult outcome =
        run_child({programs.ffprobe, "-v", "error", "-select_streams", "v:" + std::to_string(source.stream),
                   "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0", "-i", ffmpeg_path(source.path)},
                  options);
    if (!outcome.ok() || !is_complete || times.empty())
        throw invalid("'" + source.path + "' has no frame times; use --pair index");
    std::sort(times.begin(), times.end()); // packets are in decoding order
    for (const std::int64_t first = times.front(); std::int64_t & time : times) time -= first;
    return times;
}

FrameOrder pair_by_time(const std::vector<std::int64_t> &reference, const std::vector<std::int64_t> &distorted,
                        std::int64_t delay) {
    FrameOrder order;
    FramePairer pairer;
    std::size_t given_reference = 0, given_distorted = 0; // times passed on
    std::int64_t next_reference = 0, next_distorted = 0;  // frames not yet decided
    for (;;) {
        switch (pairer.next()) {
        case FramePairer::Decision::need_reference:
            if (given_reference < reference.size())
                pairer.reference(reference[given_reference++]);
            else
                pairer.end_reference();
            break;
        case FramePairer::Decision::need_distorted:
            if (given_distorted < distorted.size())
                pairer.distorted(distorted[given_distorted++] - delay);
            else
                pairer.end_distorted();
            break;
        case FramePairer::Decision::pair:
            order.reference.push_back(next_reference++);
            order.distorted.push_back(next_distorted++);
            break;
        case FramePairer::Decision::repeat:
            order.reference.push_back(next_reference++);
            order.distorted.push_back(next_distorted - 1);
            break;
        case FramePairer::Decision::drop_reference: next_reference++; break;
        case FramePairer::Decision::drop_distorted: next_distorted++; break;
        case FramePairer::Decision::end:
            order.counts = pairer.counts();
            order.is_out_of_step = pairer.is_out_of_step();
            return order;
        }
    }
}

} // namespace vmaf::tune
