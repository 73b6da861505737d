#include "stages/frame_feed.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/thread.hpp"
#include "process/descriptors.hpp"

namespace vmaf::tune {

namespace {

constexpr std::size_t kPiece = 1 << 18;

} // namespace

FrameFeed::FrameFeed(Request request) : request_(std::move(request)) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(errno, std::string("no pipe: ") + std::strerror(errno));
    output_.reset(ends[0]);
    input_.reset(ends[1]);
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20); // fewer switches between the two; the default does as well
    thread_ = start_thread("feed frames to the scorer", [this] { work(); });
}

void FrameFeed::work() {
    // Frames are moved in pieces, except where whole ones must be left out or repeated.
    const bool is_chosen = !request_.order.empty();
    std::vector<std::byte> piece(is_chosen ? request_.frame_bytes : std::min(request_.frame_bytes, kPiece));
    std::size_t next = 0;
    std::uint64_t bytes = 0;
    bool is_wanted = true;
    while (is_wanted) {
        const std::size_t count = read_full(request_.from.get(), piece);
        const std::span part(piece.data(), count);
        if (is_chosen && count < piece.size()) break;
        if (count == 0) break;
        const auto number = static_cast<std::int64_t>(bytes / request_.frame_bytes);
        bytes += count;
        if (request_.keep && !request_.keep->add(part)) request_.keep.reset();
        const auto pass_on = [&] { is_wanted = is_wanted && write_full(input_.get(), part); };
        if (!is_chosen) pass_on();
        for (; is_chosen && next < request_.order.size() && request_.order[next] == number; next++) pass_on();
        if (is_chosen && next == request_.order.size() && !request_.keep) break; // nothing more is wanted
    }
    has_seen_all_ = is_wanted;
    frames_seen_ = static_cast<std::int64_t>(bytes / request_.frame_bytes);
    input_.reset();
    request_.from.reset(); // a decoder that still writes is told so
}

void FrameFeed::wait() {
    if (thread_.joinable()) thread_.join();
}

void FrameFeed::keep_frames() {
    wait();
    if (request_.keep && has_seen_all_) request_.keep->finish();
}

} // namespace vmaf::tune
