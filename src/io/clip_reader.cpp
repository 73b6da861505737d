#include "io/clip_reader.hpp"

namespace vmaf {

void ClipReader::end_inside(std::uint64_t frame, std::uint64_t got) const {
    if (got == 0 && header_bytes_ == 0) return; // nothing has begun
    throw invalid(name() + " ends inside frame " + std::to_string(frame) + ": " + std::to_string(got) + " of its " +
                  std::to_string(stored_.bytes()) + " bytes are there; " + cut_off_advice());
}

void ClipReader::rethrow(std::uint64_t frame, const Error &e) const {
    if (e.code() != kBadSample) throw;
    throw invalid(name() + ": frame " + std::to_string(frame) + " has a " + e.what());
}

// Data from a pipe has no size to check a header against: waits for the first frame before allocating pictures of its
// size.
bool ClipReader::begin() {
    if (!begin_frame(source_, frames_)) return false;
    if (frames_ > 0 || is_file()) return true;
    const std::uint64_t got = source_.gather(stored_.bytes());
    if (got == stored_.bytes()) return true;
    end_inside(frames_, got);
    return false;
}

bool ClipReader::read(const Picture &picture) { return begin() && load(picture); }

Picture ClipReader::read(PicturePool &pool) {
    if (!begin()) return {};
    Picture picture = pool.fetch_or_add();
    return load(picture) ? picture : Picture();
}

bool ClipReader::load(const Picture &picture) {
    std::uint64_t got = 0;
    try {
        if (!loader_.load(source_, picture, got)) {
            end_inside(frames_, got);
            return false;
        }
    } catch (const Error &e) {
        rethrow(frames_, e);
    }
    frames_++;
    return true;
}

bool ClipReader::skip() {
    if (!begin_frame(source_, frames_) || source_.skip(stored_.bytes()) < stored_.bytes()) return false;
    frames_++;
    return true;
}

std::optional<std::uint64_t> ClipReader::frames_left() const {
    const auto bytes = source_.bytes_left();
    if (!bytes) return std::nullopt;
    return *bytes / (header_bytes_ + stored_.bytes());
}

std::optional<ClipReader::Place> ClipReader::find() {
    if (!begin_frame(source_, frames_)) return std::nullopt;
    const Place place{frames_, source_.position().value_or(0)};
    if (const std::uint64_t got = source_.skip(stored_.bytes()); got < stored_.bytes()) {
        end_inside(frames_, got);
        return std::nullopt;
    }
    frames_++;
    return place;
}

void ClipReader::read_at(const Place &place, const Picture &picture, FrameLoader &loader) const {
    try {
        loader.load_at(source_, place.offset, picture);
    } catch (const Error &e) {
        rethrow(place.frame, e);
    }
}

} // namespace vmaf
