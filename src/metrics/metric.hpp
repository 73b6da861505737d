// What a metric is to the engine. Work on a frame has two parts: `measure` looks at pixels, runs for many frames at
// once on several threads or on a device; `emit` turns the measured figures into scores, one frame at a time, in the
// order in which frames were given. State that spans frames therefore lives in `emit` and needs no locks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cpu/cpu.hpp"
#include "metrics/options.hpp"
#include "metrics/tiles.hpp"
#include "picture/picture.hpp"

namespace vmaf {

class Device;
class DeviceScorer;

// Splits work inside one frame. With one thread everything runs in the caller.
class Parallel {
  public:
    virtual ~Parallel() = default;
    virtual unsigned threads() const { return 1; }
    // Calls task(0) ... task(count - 1), in any order and on any thread, and returns when all are done.
    virtual void run(unsigned count, const std::function<void(unsigned)> &task) {
        for (unsigned i = 0; i < count; i++) task(i);
    }
};

struct FrameInput {
    unsigned index; // the caller's frame number
    const Picture &ref;
    const Picture &dist;
    // Pictures of the previous call and of the one before it; null where there is none or history() did not ask.
    std::array<const Picture *, 2> earlier_ref{};
    std::array<const Picture *, 2> earlier_dist{};
    Parallel &parallel;
    const TileGrid *tiles = nullptr; // sums of these are wanted, too (maps.md); null: no
};

// The figures `measure` hands to `emit`; each metric gives its entries a meaning. std::bit_cast carries 64-bit
// integers.
struct FrameResult {
    std::array<double, 64> values{};
    std::vector<std::int64_t> tiles; // Metric::tile_words() for each tile of FrameInput::tiles
};

// Per-thread working memory of a metric.
class FrameScorer {
  public:
    virtual ~FrameScorer() = default;
    // Throws Error when the frame cannot be scored. Must not allocate in steady state.
    virtual void measure(const FrameInput &frame, FrameResult &result) = 0;
    // For a family: results[i] belongs to its member i. This one is for families whose late options only emit() reads.
    virtual void measure_family(const FrameInput &frame, std::span<FrameResult> results) {
        measure(frame, results[0]);
        for (FrameResult &other : results.subspan(1)) other = results[0];
    }
};

// Where `emit` and `flush` put scores. Names are full feature names; those the metric provides get the suffix of the
// instance's options (models.md 5.2), others are stored as they are.
class ScoreSink {
  public:
    virtual ~ScoreSink() = default;
    virtual void score(std::string_view name, unsigned index, double value) = 0;
    virtual void aggregate(std::string_view name, double value) = 0;
};

// How many earlier pictures `measure` wants to see.
struct History {
    unsigned ref = 0, dist = 0; // 0..2
    bool from_zero = false;     // frames are counted from 0: the first of a stream must have that number
};

// Planes that `measure` looks at, one bit each.
inline constexpr unsigned kLuma = 1, kChromaPlanes = 6, kAllPlanes = 7;
struct PlanesRead {
    unsigned ref = kAllPlanes, dist = kAllPlanes;
};

// One configured instance of a metric.
class Metric {
  public:
    virtual ~Metric() = default;
    virtual History history() const { return {}; }
    // What no metric looks at need not have samples, and may hold anything.
    virtual PlanesRead planes_read() const { return {}; }
    // Called once, before the first frame, with the format of all pictures. Throws Error when such pictures cannot be
    // scored; the sentence names the metric and what it needs.
    virtual void prepare(const PictureFormat &format) = 0;
    virtual std::unique_ptr<FrameScorer> make_scorer(Isa isa) const = 0;
    // One scorer for a family: prepared metrics of one kind, of which this is the first (OptionSpec::stage).
    virtual std::unique_ptr<FrameScorer> make_family_scorer(std::span<const Metric *const> members, Isa isa) const {
        (void)members;
        return make_scorer(isa);
    }
    // The same for a device (metrics/device_scorer.hpp). Throws Error, with the reason, where the options or the
    // pictures are beyond the metric's device code.
    virtual std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const;
    // One for a family; null where one pass of the device's code does not serve these members. This one is for families
    // whose late options only emit() reads.
    virtual std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Metric *const> members,
                                                                    Device &device) const;
    // One that fills FrameResult::tiles, too.
    virtual std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const;
    virtual void emit(unsigned index, const FrameResult &result, ScoreSink &sink) = 0;
    virtual void flush(ScoreSink &sink) { (void)sink; } // end of stream; called once, after at least one frame

    // Scores of parts of a picture (maps.md). Which, in the order of local_scores(); none where they are not defined.
    virtual std::span<const std::string_view> local_names() const { return {}; }
    virtual std::size_t tile_words() const { return 0; } // that `measure` leaves for each tile
    // Sums of tiles are 64-bit integers, or the bits of doubles.
    virtual bool has_real_tiles() const { return false; }
    // `sums`: the words of all tiles of the area, added up.
    virtual void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                              std::span<double> scores) const {
        (void)sums, (void)area, (void)scores;
    }
};

// The registry's view of a metric. Everything here is constant data.
struct MetricInfo {
    std::string_view name;     // extractor name: "vif"
    std::string_view summary;  // one line for people
    std::string_view family{}; // metrics with the same one measure alike (OptionSpec::stage); empty: its own name
    std::span<const OptionSpec> options;
    std::span<const std::string_view> provides; // full feature names, as models list them
    bool every_frame = false;                   // runs on all frames, also when subsampling
    bool on_devices = false;                    // has device code
    bool holds_everywhere = false;              // a frame's score is also that of each of its parts (maps.md)
    std::unique_ptr<Metric> (*create)(const OptionValues &options) = nullptr;
};

} // namespace vmaf
