// Matches frames of two clips by their presentation times. Independent of files and pictures: takes times, returns
// decisions.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace vmaf {

// What to do with a reference frame that has no distorted frame.
enum class MissingFrames { skip, repeat };

struct PairingCounts {
    std::uint64_t pairs = 0;
    std::uint64_t unpaired_reference = 0, unpaired_distorted = 0; // between the first and the last pair
    std::uint64_t before_reference = 0, before_distorted = 0;     // before the first pair
    std::uint64_t repeated = 0;                                   // pairs that repeat the previous distorted frame
};

class FramePairer {
  public:
    explicit FramePairer(MissingFrames missing = MissingFrames::skip) : missing_(missing) {}

    enum class Decision {
        need_reference, // provide the next frame's time, or the end
        need_distorted,
        pair,           // the first frame of both; both are consumed
        repeat,         // the first reference frame with the last paired distorted frame
        drop_reference, // its first frame has no partner
        drop_distorted,
        end, // a clip has no frames left
    };

    // Ascending times in nanoseconds on a common clock.
    void reference(std::int64_t time) { reference_.times.push_back(time); }
    void distorted(std::int64_t time) { distorted_.times.push_back(time); }
    void end_reference() { reference_.is_ended = true; }
    void end_distorted() { distorted_.is_ended = true; }

    Decision next();
    const PairingCounts &counts() const { return counts_; }

    // At the end: which clip continues.
    enum class Longer { reference, distorted };
    std::optional<Longer> longer() const;

    // Whether both clips have many frames without a partner: their times diverge.
    bool is_out_of_step() const;

  private:
    struct Clip {
        std::deque<std::int64_t> times;
        bool is_ended = false;
        std::int64_t interval = 0;        // between the last two frames; 0: unknown
        std::optional<std::int64_t> last; // the last consumed frame

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
