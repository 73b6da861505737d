// A pair of pictures on its way through the metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/reference_halves.hpp"
#include "picture/picture.hpp"
#include "session/local_scores.hpp"

namespace vmaf {

class MetricFamily;
class MetricUse;

struct PicturePair {
    Picture ref, dist;
    std::shared_ptr<ReferenceHalves> halves{}; // of ref; null: not shared with other encodes
};

struct Frame {
    unsigned index = 0;
    Picture ref, dist;
    std::array<Picture, 2> earlier_ref, earlier_dist;
    std::shared_ptr<ReferenceHalves> halves;        // of ref; null: not shared with other encodes
    std::array<std::uint64_t, 2> earlier_numbers{}; // ReferenceUse::earlier
    std::vector<MetricUse *> uses;                  // the metrics that score this frame, in order of registration
    struct Part {
        MetricFamily *family;
        std::size_t first; // of its results
    };
    std::vector<Part> parts; // work for the CPU
    std::vector<FrameResult> results;
    std::vector<std::size_t> result_of_use;          // by index in `uses`
    std::shared_ptr<const LocalScores::Areas> areas; // null: no local scores wanted
    std::vector<double> local_figures;
    struct ScorerResults {
        std::size_t first, count;
    };
    std::vector<ScorerResults> results_of_scorer; // device results, per scorer

    // FrameQueue's:
    std::atomic<std::size_t> unmeasured{0}; // pending results; all from the device count as one
    std::atomic<bool> failed{false};        // a metric failed; the frame has no scores
    bool measured = false;                  // guarded by the queue's mutex

    void release_pictures() {
        ref = dist = Picture();
        earlier_ref.fill({});
        earlier_dist.fill({});
        halves.reset();
    }
};

} // namespace vmaf
