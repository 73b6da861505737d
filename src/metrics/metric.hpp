// The engine's interface to metrics. `measure` looks at pixels and runs for many frames at once, on several threads or
// a device; `emit` turns the measured figures into scores, one frame at a time, in the order read. State across frames
// therefore lives in `emit` and needs no locks.
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

// Splits work inside one frame. With one thread the caller does everything.
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
    // Pictures of the previous call and of the one before it; null if missing or not requested by history().
    std::array<const Picture *, 2> earlier_ref{};
    std::array<const Picture *, 2> earlier_dist{};
    Parallel &parallel;
    const TileGrid *tiles = nullptr; // also sum these (maps.md); null: none
};

// The figures that `measure` passes to `emit`; each metric defines its entries. std::bit_cast carries 64-bit
// integers.
struct FrameResult {
    std::array<double, 64> values{};
    std::vector<std::int64_t> tiles; // Metric::tile_words() per tile of FrameInput::tiles
};

// Per-thread working memory of a metric.
class FrameScorer {
  public:
    virtual ~FrameScorer() = default;
    // Throws Error if the frame cannot be scored. Must not allocate in steady state.
    virtual void measure(const FrameInput &frame, FrameResult &result) = 0;
    // For a family: results[i] belongs to member i. The default suits families whose late options only emit() reads.
    virtual void measure_family(const FrameInput &frame, std::span<FrameResult> results) {
        measure(frame, results[0]);
        for (FrameResult &other : results.subspan(1)) other = results[0];
    }
};

// Where `emit` and `flush` put scores. Names are full feature names; those that the metric provides get the suffix of
// the instance's options (models.md 5.2), others are stored unchanged.
class ScoreSink {
  public:
    virtual ~ScoreSink() = default;
    virtual void score(std::string_view name, unsigned index, double value) = 0;
    virtual void aggregate(std::string_view name, double value) = 0;
};

// How many earlier pictures `measure` needs.
struct History {
    unsigned ref = 0, dist = 0; // 0..2
    bool from_zero = false;     // frames count from 0: the first of a stream must be number 0
};

// Planes that `measure` reads, a bit each.
inline constexpr unsigned kLuma = 1, kChromaPlanes = 6, kAllPlanes = 7;
struct PlanesRead {
    unsigned ref = kAllPlanes, dist = kAllPlanes;
};

// One configured instance of a metric.
class Metric {
  public:
    virtual ~Metric() = default;
    virtual History history() const { return {}; }
    // Planes that no metric reads may lack samples or contain anything.
    virtual PlanesRead planes_read() const { return {}; }
    // Called once before the first frame with the format of all pictures. Throws Error if such pictures cannot be
    // scored; the message names the metric and its requirement.
    virtual void prepare(const PictureFormat &format) = 0;
    virtual std::unique_ptr<FrameScorer> make_scorer(Isa isa) const = 0;
    // A scorer for a family: prepared metrics of one kind, starting with this one (OptionSpec::stage).
    virtual std::unique_ptr<FrameScorer> make_family_scorer(std::span<const Metric *const> members, Isa isa) const {
        (void)members;
        return make_scorer(isa);
    }
    // The same for a device (metrics/device_scorer.hpp). Throws Error with the reason if the device code does not
    // support the options or pictures.
    virtual std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const;
    // For a family; null if one pass of the device code cannot serve these members. The default suits families whose
    // late options only emit() reads.
    virtual std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Metric *const> members,
                                                                    Device &device) const;
    // A scorer that also fills FrameResult::tiles.
    virtual std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const;
    virtual void emit(unsigned index, const FrameResult &result, ScoreSink &sink) = 0;
    virtual void flush(ScoreSink &sink) { (void)sink; } // end of stream; called once, after at least one frame

    // Scores of parts of a picture (maps.md), in the order of local_scores(); empty if not defined. prepare() may leave
    // fewer.
    virtual std::span<const std::string_view> local_names() const { return {}; }
    virtual std::size_t tile_words() const { return 0; } // written by `measure` per tile
    // Whether sums of tiles are bits of doubles, not 64-bit integers.
    virtual bool has_real_tiles() const { return false; }
    // `sums`: the sums of all words over the area's tiles.
    virtual void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                              std::span<double> scores) const {
        (void)sums, (void)area, (void)scores;
    }
};

// The registry's description of a metric: constant data.
struct MetricInfo {
    std::string_view name;     // extractor name: "vif"
    std::string_view summary;  // one line for users
    std::string_view family{}; // metrics of one family measure alike (OptionSpec::stage); empty: its own name
    std::span<const OptionSpec> options;
    std::span<const std::string_view> provides; // full feature names, as models list them
    bool every_frame = false;                   // runs on all frames even when subsampling
    bool on_devices = false;                    // has device code
    bool holds_everywhere = false;              // every part of a frame has the frame's score (maps.md)
    std::unique_ptr<Metric> (*create)(const OptionValues &options) = nullptr;
};

} // namespace vmaf
