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
    const auto take = [&](const std::string &line) { // time,flags
        if (line.find('D', std::min(line.find(','), line.size())) != std::string::npos)
            return; // decoded but never shown
        char *end = nullptr;
        const double seconds = std::strtod(line.c_str(), &end);
        if (end == line.c_str())
            is_complete = false;
        else
            times.push_back(std::llround(seconds * 1e9));
    };
    const ChildResult outcome =
        each_packet(programs.ffprobe, source.path, "v:" + std::to_string(source.stream), "pts_time,flags", take);
    if (!outcome.ok() || !is_complete || times.empty())
        throw invalid("'" + source.path + "' has no frame times; use --pair index");
    std::ranges::sort(times); // packets are in decoding order
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
