#include "stages/frame_feed.hpp"

namespace vmaf::tune {

namespace {

constexpr std::size_t kPiece = 1 << 18, kPipeBytes = 1 << 20;

} // namespace

FrameFeed::FrameFeed(Request request) : request_(std::move(request)) {
    system::Pipe pipe = system::make_pipe(kPipeBytes); // fewer context switches
    output_ = std::move(pipe.read);
    input_ = std::move(pipe.write);
    thread_.require("feed frames to the scorer", [this] { work(); });
}

void FrameFeed::work() {
    // Moves data in pieces, unless whole frames must be skipped or repeated.
    const bool is_chosen = !request_.order.empty();
    std::vector<std::byte> piece(is_chosen ? request_.frame_bytes : std::min(request_.frame_bytes, kPiece));
    std::size_t next = 0;
    std::uint64_t bytes = 0;
    bool is_wanted = true;
    while (is_wanted) {
        const std::size_t count = system::read_full(request_.from.get(), piece);
        const std::span part(piece.data(), count);
        if (is_chosen && count < piece.size()) break;
        if (count == 0) break;
        const auto number = static_cast<std::int64_t>(bytes / request_.frame_bytes);
        bytes += count;
        if (request_.keep && !request_.keep->add(part)) request_.keep.reset();
        const auto pass_on = [&] { is_wanted = is_wanted && system::write_full(input_.get(), part); };
        if (!is_chosen) pass_on();
        for (; is_chosen && next < request_.order.size() && request_.order[next] == number; next++) pass_on();
        if (is_chosen && next == request_.order.size() && !request_.keep) break; // no more frames are wanted
    }
    has_seen_all_ = is_wanted;
    frames_seen_ = static_cast<std::int64_t>(bytes / request_.frame_bytes);
    input_.reset();
    request_.from.reset(); // a decoder that continues gets a broken pipe
}

void FrameFeed::keep_frames() {
    wait();
    if (request_.keep && has_seen_all_) request_.keep->finish();
}

} // namespace vmaf::tune
