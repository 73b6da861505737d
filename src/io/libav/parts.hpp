// Splits a file into parts that can be decoded independently: from one access point to another, with nothing shown out
// of order in between. The next free decoder takes the next part.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/libav/access_points.hpp"
#include "io/libav/container.hpp"

namespace vmaf::libav {

struct Part {
    std::uint64_t first = 0;          // number of its first frame
    std::vector<Packet> packets;      // in order
    std::vector<std::int64_t> stamps; // of the shown frames, in order
    bool is_rest = false; // continues to the end of the file: read_rest() returns more packets; stamps are unknown
};

// Packets from one key frame to the next.
struct PacketGroup {
    std::vector<Packet> packets;
    std::int64_t first = 0, earliest = 0, latest = 0; // times: of the key frame, of all
    bool is_start = false;                            // decoding can start here
    bool is_plain = true;                             // each packet has a time and is shown
};

class PartSource {
  public:
    explicit PartSource(std::shared_ptr<Container> container)
        : container_(std::move(container)), points_(container_->parameters()) {}

    // Thread-safe. Empty at the end. Throws Error for damage.
    std::optional<Part> take();
    bool read_rest(AVPacket *packet);
    // Why the file could not be cut at all key frames, so far.
    std::string remark() const;
    // The first frame of the part that take() last tried to read.
    std::uint64_t position() const;
    const std::shared_ptr<Container> &container() const { return container_; }

  private:
    using Group = PacketGroup;
    bool read(AVPacket *packet);
    std::optional<Group> read_group();
    void add(Group &group, const AVPacket &packet, bool is_start);
    bool is_too_large() const { return held_bytes_ > kMostBytes; }
    static void append(Part &part, Group group);
    void finish(Part &part, bool is_rest, const char *why);

    static constexpr std::size_t kMostPackets = 1500; // searched for the next place to cut
    static constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;

    std::shared_ptr<Container> container_;
    mutable std::mutex mutex_;
    AccessPoints points_;
    std::optional<Group> next_;    // read, but not yet in a part
    std::optional<Group> started_; // the first packet of the next group, if already read
    Packet packet_ = new_packet();
    std::uint64_t frames_ = 0, held_bytes_ = 0;
    bool has_begun_ = false, is_read_ = false, has_rest_ = false;
    std::exception_ptr failure_; // the error after the last packet
    std::string remark_;
};

} // namespace vmaf::libav
