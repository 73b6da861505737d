// Which frames of two clips belong together, by the times at which they are shown. Knows nothing of files or pictures:
// times go in, decisions come out.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace vmaf {

// What becomes of a frame of the reference that the distorted clip has no frame for.
enum class MissingFrames { skip, repeat };

struct PairingCounts {
    std::uint64_t pairs = 0;
    std::uint64_t unpaired_reference = 0, unpaired_distorted = 0; // between the first and the last pair
    std::uint64_t before_reference = 0, before_distorted = 0;     // before the first pair
    std::uint64_t repeated = 0;                                   // of the pairs: with the distorted frame before
};

class FramePairer {
  public:
    explicit FramePairer(MissingFrames missing = MissingFrames::skip) : missing_(missing) {}

    enum class Decision {
        need_reference, // give the next frame's time, or the end
        need_distorted,
        pair,           // the first frame of both; both are used up
        repeat,         // the first frame of the reference with the last distorted frame of a pair
        drop_reference, // its first frame has no partner
        drop_distorted,
        end, // a clip has no frames left
    };

    // Times in nanoseconds on a common clock, rising.
    void reference(std::int64_t time) { reference_.times.push_back(time); }
    void distorted(std::int64_t time) { distorted_.times.push_back(time); }
    void end_reference() { reference_.is_ended = true; }
    void end_distorted() { distorted_.is_ended = true; }

    Decision next();
    const PairingCounts &counts() const { return counts_; }

    // At the end: the clip that goes on.
    enum class Longer { reference, distorted };
    std::optional<Longer> longer() const;

    // Both clips have many frames without partner: their times run past each other.
    bool is_out_of_step() const;

  private:
    struct Clip {
        std::deque<std::int64_t> times;
        bool is_ended = false;
        std::int64_t interval = 0;        // between the last two frames; 0: not known
        std::optional<std::int64_t> last; // frame that was used up

        bool is_decidable() const { return times.size() >= 2 || (is_ended && !times.empty()); }
        std::int64_t gap() const { return times.size() >= 2 ? times[1] - times[0] : interval; }
        std::int64_t shortest_gap() const;
        void take();
    };

    Decision drop(Clip &clip);

    MissingFrames missing_;
    Clip reference_, distorted_;
    PairingCounts counts_;
    PairingCounts pending_; // unpaired since the last pair; they count once another pair follows
};

} // namespace vmaf
