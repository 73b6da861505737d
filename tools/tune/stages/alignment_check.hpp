// Checks before scoring that two files show the same frames under the same numbers (tune.md 6.7): comparing the wrong
// frames is the most common cause of wrong scores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/alignment.hpp"
#include "stages/encode.hpp"
#include "stages/time_pairing.hpp"

namespace vmaf::tune {

// The finding for one stretch of frames.
struct AlignmentStretch {
    std::int64_t first = 0;  // first reference frame
    std::int64_t offset = 0; // by how many frames the distorted video is late there
    bool is_clear = false;   // the offset matches far better than none
    bool can_tell = false;   // there is enough structure and motion to judge
    bool is_same = true;     // the pictures match at all
};

struct AlignmentReport {
    enum class Verdict { aligned, offset, drifting, different, unknown } verdict = Verdict::unknown;
    std::int64_t offset = 0; // for `offset`: by how many frames the distorted video is late
    std::int64_t from = 0;   // for `drifting`: the reference frame near which frames stop matching
    std::int64_t later_offset = 0;
    LevelChange levels = LevelChange::none;
    std::string sentence(const std::string &distorted, double fps) const; // for users; empty if all is well
};

// From the signatures of both, by number. `largest` is the largest offset searched, in frames.
AlignmentReport judge_alignment(const std::vector<LumaSignature> &reference,
                                const std::vector<LumaSignature> &distorted, std::int64_t largest);

// Decodes small pictures of both. `unknown` if that fails: the score stage will report why. `order` tells which frames
// match; null: equal numbers.
AlignmentReport check_alignment(const Programs &programs, const Source &reference, const std::string &reference_filter,
                                const Source &distorted, const FrameOrder *order = nullptr);

} // namespace vmaf::tune
