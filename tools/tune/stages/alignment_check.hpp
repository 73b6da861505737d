// Whether two files show the same frames under the same numbers, looked at before they are scored (tune.md 6.7): the
// commonest way to get wrong scores is to compare frames that do not belong together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/alignment.hpp"
#include "stages/encode.hpp"
#include "stages/time_pairing.hpp"

namespace vmaf::tune {

// What was found for one stretch of frames.
struct AlignmentStretch {
    std::int64_t first = 0;  // frame of the reference
    std::int64_t offset = 0; // frames by which the distorted video is late there
    bool is_clear = false;   // the offset fits far better than none
    bool can_tell = false;   // there is enough structure and motion to judge
    bool is_same = true;     // the pictures are of the same thing at all
};

struct AlignmentReport {
    enum class Verdict { aligned, offset, drifting, different, unknown } verdict = Verdict::unknown;
    std::int64_t offset = 0; // for `offset`: frames by which the distorted video is late
    std::int64_t from = 0;   // for `drifting`: the reference frame from about which frames do not fit
    std::int64_t later_offset = 0;
    LevelChange levels = LevelChange::none;
    std::string sentence(const std::string &distorted, double fps) const; // for people; empty if all is well
};

// From the signatures of both, by number. `largest` is the largest offset that is looked for, in frames.
AlignmentReport judge_alignment(const std::vector<LumaSignature> &reference,
                                const std::vector<LumaSignature> &distorted, std::int64_t largest);

// Decodes small pictures of both. `unknown` where that fails: the score stage will say why.
// `order` says which frames belong together; null: those with the same number.
AlignmentReport check_alignment(const Programs &programs, const Source &reference, const std::string &reference_filter,
                                const Source &distorted, const FrameOrder *order = nullptr);

} // namespace vmaf::tune
