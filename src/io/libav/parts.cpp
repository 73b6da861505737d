#include "io/libav/parts.hpp"

#include <algorithm>

namespace vmaf::libav {

void PartSource::add(Group &group, const AVPacket &packet, bool is_start) {
    Packet copy = new_packet();
    if (av_packet_ref(copy.get(), &packet) < 0) throw std::bad_alloc();
    const bool has_time = packet.pts != AV_NOPTS_VALUE;
    if (group.packets.empty()) {
        group.first = group.earliest = group.latest = packet.pts;
        group.is_start = is_start;
    }
    group.earliest = std::min(group.earliest, packet.pts);
    group.latest = std::max(group.latest, packet.pts);
    std::size_t bytes = 0;
    group.is_plain = group.is_plain && has_time && !(packet.flags & AV_PKT_FLAG_DISCARD) &&
                     !av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &bytes);
    group.packets.push_back(std::move(copy));
    held_bytes_ += static_cast<std::uint64_t>(packet.size);
}

// Damage ends the file here; the reader that gets there reports it.
bool PartSource::read(AVPacket *packet) try {
    is_read_ = is_read_ || !container_->read(packet, frames_);
    // Demuxers often report an error and continue with invented data.
    if (const std::string heard = container_->complaint(); !is_read_ && !heard.empty())
        throw container_->damaged(frames_, heard);
    return !is_read_;
} catch (...) {
    failure_ = std::current_exception();
    is_read_ = true;
    return false;
}

// Empty at the end.
std::optional<PartSource::Group> PartSource::read_group() {
    std::optional<Group> group = std::move(started_);
    started_.reset();
    while (!is_read_) {
        if (!read(packet_.get())) break;
        const bool is_start = points_.is_start(*packet_);
        const bool is_key = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
        if (group && is_key) {
            started_.emplace();
            add(*started_, *packet_, is_start);
            break;
        }
        if (!group) group.emplace();
        add(*group, *packet_, is_start);
        if (group->packets.size() >= kMostPackets || is_too_large()) break;
    }
    return group;
}

void PartSource::append(Part &part, Group group) {
    for (Packet &packet : group.packets) {
        part.stamps.push_back(packet->pts);
        part.packets.push_back(std::move(packet));
    }
}

void PartSource::finish(Part &part, bool is_rest, const char *why) {
    part.is_rest = has_rest_ = is_rest;
    if (is_rest && started_) {
        append(part, std::move(*started_));
        started_.reset();
    }
    if (is_rest)
        remark_ = container_->name() + " is decoded in one piece" +
                  (part.first ? " from frame " + std::to_string(part.first) + " on" : "") + ", since " + why;
    std::sort(part.stamps.begin(), part.stamps.end());
    if (!is_rest && std::adjacent_find(part.stamps.begin(), part.stamps.end()) != part.stamps.end())
        throw container_->damaged(part.first, "two frames have the same time");
    frames_ += part.stamps.size();
}

std::optional<Part> PartSource::take() {
    const std::lock_guard lock(mutex_);
    if (has_rest_) return std::nullopt;
    held_bytes_ = 0;
    if (!has_begun_) {
        has_begun_ = true;
        next_ = read_group();
    }
    if (!next_ && failure_) std::rethrow_exception(failure_);
    if (!next_) return std::nullopt;
    Part part;
    part.first = frames_;
    Group own = std::move(*next_);
    next_.reset();
    std::int64_t latest = own.latest;
    const char *why = nullptr; // why it can no longer be cut
    if (!points_.is_known())
        why = "key frames of its codec need not be places to begin at";
    else if (!own.is_plain || !own.is_start || own.earliest < own.first)
        why = "frames are not shown as they are stored";
    append(part, std::move(own));
    while (!why) {
        if (part.packets.size() >= kMostPackets || is_too_large()) {
            why = "places where decoding can begin are too far apart";
            break;
        }
        std::optional<Group> behind = read_group();
        if (!behind) break;
        if (behind->is_plain && behind->is_start && behind->earliest == behind->first && behind->first > latest) {
            next_ = std::move(behind);
            break;
        }
        if (!behind->is_plain) why = "some of its frames have no time, are not shown, or are coded in another way";
        latest = std::max(latest, behind->latest);
        append(part, std::move(*behind));
    }
    finish(part, why != nullptr, why);
    return part;
}

bool PartSource::read_rest(AVPacket *packet) {
    const std::lock_guard lock(mutex_);
    if (!read(packet)) {
        if (failure_) std::rethrow_exception(failure_);
        return false;
    }
    frames_++;
    return true;
}

std::string PartSource::remark() const {
    const std::lock_guard lock(mutex_);
    return remark_;
}

std::uint64_t PartSource::position() const {
    const std::lock_guard lock(mutex_);
    return frames_;
}

} // namespace vmaf::libav
