#include "support/device_run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "support/metric_run.hpp"

namespace vmaf {

namespace {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
    unsigned operator()() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<unsigned>(state_ >> 20);
    }
    double centred() { return ((*this)() & 0xffff) / 65536.0 - 0.5; }

  private:
    std::uint64_t state_;
};

void put(const Picture &picture, unsigned plane, int x, int y, double value) {
    const unsigned largest = (1u << picture.format().bits) - 1;
    const auto sample = static_cast<unsigned>(std::clamp(value, 0.0, double(largest)));
    std::byte *row = picture.data(plane) + y * picture.stride_bytes(plane);
    if (picture.format().bits == 8)
        row[x] = static_cast<std::byte>(sample);
    else
        reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(sample);
}

void fill_texture(const PicturePair &pair, unsigned plane, unsigned seed) {
    const PictureFormat &format = pair.ref.format();
    const double unit = double(1u << format.bits) / 256.0;
    const int w = static_cast<int>(format.plane_width(plane)), h = static_cast<int>(format.plane_height(plane));
    Random random(seed + 1);
    for (int y = 0; y < h; y++) {
        const double bend = 9 * std::sin(y * 0.013) + seed;
        for (int x = 0; x < w; x++) {
            const int zone = (y * 12 / h * 3 + x * 7 / w + static_cast<int>(seed)) % 9;
            const double n1 = random.centred(), n2 = random.centred();
            double r = 120 + 50 * std::sin(x * 0.11 + bend) + 35 * std::sin(y * 0.31 + x * 0.05) +
                       60 * n1 * std::sin(x * 0.004 + y * 0.006);
            if (zone == 5) r = 90 + (x / 40 % 3) * 30;
            if (zone == 6) r = 130 + 3 * n1 + 2 * std::sin(x * 0.02);
            double d = 120 + std::floor((r - 120) * 0.8 / 6) * 6 + 9 * n2;
            if (zone == 1) d = r;
            if (zone == 2) d = 1.4 * r - 50;
            if (zone == 3) d = 240 - r;
            if (zone == 7) d = r + 250 * n2;
            if (zone == 8) d = 3 + 0.02 * r;
            put(pair.ref, plane, x, y, r * unit);
            put(pair.dist, plane, x, y, d * unit);
        }
    }
}

void fill_extremes(const PicturePair &pair, unsigned plane, unsigned seed) {
    const PictureFormat &format = pair.ref.format();
    const unsigned largest = (1u << format.bits) - 1;
    Random random(seed + 1);
    for (int y = 0; y < static_cast<int>(format.plane_height(plane)); y++)
        for (int x = 0; x < static_cast<int>(format.plane_width(plane)); x++) {
            put(pair.ref, plane, x, y, random() & 1 ? largest : 0);
            put(pair.dist, plane, x, y, random() % 4 ? (random() & 1 ? largest : 0) : random() % (largest + 1));
        }
}

// Every plane has different content.
template <class Fill> PicturePair filled_pair(const PictureFormat &format, unsigned seed, Fill fill) {
    PicturePair pair{Picture::allocate(format), Picture::allocate(format)};
    for (unsigned p = 0; p < format.planes(); p++) fill(pair, p, seed + 100 * p);
    return pair;
}

} // namespace

PicturePair texture_pair(const PictureFormat &format, unsigned seed) { return filled_pair(format, seed, fill_texture); }

PicturePair extreme_pair(const PictureFormat &format, unsigned seed) {
    return filled_pair(format, seed, fill_extremes);
}

std::vector<PicturePair> pairs_for(const PictureFormat &format) {
    std::vector<PicturePair> pairs = {texture_pair(format, 1), texture_pair(format, 4), extreme_pair(format, 2)};
    pairs.push_back({pairs[0].dist, pairs[0].ref});
    pairs.push_back({pairs[0].ref, pairs[0].ref});
    return pairs;
}

std::vector<FrameResult> results_on_cpu(const Metric &metric, const std::vector<PicturePair> &pairs, Isa isa,
                                        const TileGrid *tiles) {
    std::vector<FrameResult> results(pairs.size());
    std::vector<Picture> ref, dist;
    for (const PicturePair &pair : pairs) {
        ref.push_back(pair.ref);
        dist.push_back(pair.dist);
    }
    const auto scorer = metric.make_scorer(isa);
    Parallel alone;
    for (unsigned i = 0; i < pairs.size(); i++) {
        FrameInput input = frame_input(metric, ref, dist, i, alone);
        input.tiles = tiles;
        scorer->measure(input, results[i]);
    }
    return results;
}

DeviceRun::DeviceRun(const DeviceScorer &scorer, const std::vector<PicturePair> &pairs, Device &device)
    : scorer_(scorer), format_(pairs[0].ref.format()), layout_(host_layout(format_)), device_(device),
      count_(static_cast<unsigned>(pairs.size())), queue_(device.make_queue()) {
    picture_bytes_ = round_up<std::size_t>(layout_.bytes + kOverreadBytes, 256);
    pictures_ = device.allocate(2 * count_ * picture_bytes_);
    staging_ = device.allocate_pinned(2 * count_ * picture_bytes_);
    scratch_ = device.allocate(std::max<std::size_t>(count_ * scorer.scratch().bytes(), 64));
    results_ = device.allocate(std::max<std::size_t>(count_ * scorer.results().bytes(), 64));
    host_results_ = device.allocate_pinned(results_->size());
    const Device::Scope scope(device);
    queue_->clear(scratch_->data(), scratch_->size());
    queue_->clear(results_->data(), results_->size());
    for (unsigned i = 0; i < count_; i++)
        for (const bool dist : {false, true}) {
            const Picture &picture = dist ? pairs[i].dist : pairs[i].ref;
            std::byte *const to = staging_->data() + place(i, dist);
            std::memset(to, 0x5a, picture_bytes_); // padding belongs to no plane
            for (unsigned p = 0; p < format_.planes(); p++)
                for (unsigned y = 0; y < format_.plane_height(p); y++)
                    std::memcpy(to + layout_.offset[p] + y * layout_.stride[p],
                                picture.data(p) + std::ptrdiff_t(y) * picture.stride_bytes(p),
                                std::size_t{format_.plane_width(p)} * format_.bytes_per_sample());
        }
    queue_->upload(pictures_->data(), 0, staging_->data(), 0, {2 * count_ * picture_bytes_, 1});
    queue_->finish();
}

DeviceFrame::Planes DeviceRun::planes_of(unsigned frame, bool dist, unsigned mask) const {
    DeviceFrame::Planes planes{};
    for (unsigned p = 0; p < format_.planes(); p++)
        if (mask >> p & 1) planes[p] = pictures_->data() + place(frame, dist) + layout_.offset[p];
    return planes;
}

DeviceBatch DeviceRun::batch(unsigned first, unsigned last) const {
    const PlaneUse &use = scorer_.planes();
    DeviceBatch batch;
    batch.count = last - first;
    for (std::size_t p = 0; p < 3; p++) batch.pitch_bytes[p] = static_cast<std::ptrdiff_t>(layout_.stride[p]);
    batch.bytes_per_sample = format_.bytes_per_sample();
    batch.scratch = scratch_->data();
    batch.scratch_stride = scorer_.scratch().bytes();
    batch.results_stride = scorer_.results().bytes();
    batch.results = results_->data() + first * batch.results_stride;
    for (unsigned i = first; i < last; i++) {
        DeviceFrame &frame = batch.frames[i - first];
        frame.index = i;
        frame.ref = planes_of(i, false, use.ref);
        frame.dist = planes_of(i, true, use.dist);
        for (unsigned k = 0; k < 2 && k < i; k++) {
            frame.earlier_ref[k] = planes_of(i - 1 - k, false, use.earlier_ref);
            frame.earlier_dist[k] = planes_of(i - 1 - k, true, use.earlier_dist);
        }
    }
    return batch;
}

std::vector<std::vector<FrameResult>> DeviceRun::results(std::size_t members) {
    const Device::Scope scope(device_);
    queue_->download(host_results_->data(), 0, results_->data(), 0, {results_->size(), 1});
    queue_->finish();
    std::vector results(count_, std::vector<FrameResult>(members));
    for (unsigned i = 0; i < count_; i++)
        scorer_.collect_family({i, host_results_->data() + i * scorer_.results().bytes()}, results[i]);
    return results;
}

namespace {

std::vector<std::vector<FrameResult>> run_on_device(const DeviceScorer &scorer, std::size_t members,
                                                    const std::vector<PicturePair> &pairs, Device &device) {
    DeviceRun run(scorer, pairs, device);
    const auto count = static_cast<unsigned>(pairs.size());
    {
        const Device::Scope scope(device);
        scorer.enqueue(run.queue(), run.batch(0, 1));
        if (count > 1) scorer.enqueue(run.queue(), run.batch(1, count));
    }
    return run.results(members);
}

} // namespace

std::vector<FrameResult> results_on_device(const Metric &metric, const std::vector<PicturePair> &pairs, Device &device,
                                           const TileGrid *tiles) {
    const auto scorer = tiles ? metric.make_tiling_device_scorer(device, *tiles) : metric.make_device_scorer(device);
    std::vector<FrameResult> results;
    for (auto &of_frame : run_on_device(*scorer, 1, pairs, device)) results.push_back(std::move(of_frame[0]));
    return results;
}

std::vector<std::vector<FrameResult>> family_results_on_device(std::span<const Metric *const> members,
                                                               const std::vector<PicturePair> &pairs, Device &device) {
    const auto scorer = members[0]->make_family_device_scorer(members, device);
    if (!scorer) throw Error(ENOTSUP, "no scorer for this family");
    return run_on_device(*scorer, members.size(), pairs, device);
}

bool same_figure(double a, double b, double relative) {
    if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
    return relative > 0 && std::fabs(a - b) <= relative * std::max(std::fabs(a), std::fabs(b));
}

namespace {

// Cells, and a region with other edges.
TileGrid grid_of(const DeviceCase &c) {
    const int width = int(c.format.width), height = int(c.format.height);
    std::vector<PictureArea> areas = {snapped_area({width / 3, 5, width - 3, height / 2}, width, height)};
    for (const int x : cell_edges(width, c.cell)) areas.push_back({x, 0, width, height});
    for (const int y : cell_edges(height, c.cell)) areas.push_back({0, y, width, height});
    return {width, height, areas};
}

// Local scores per tile. Empty if all agree.
std::string tile_difference(const DeviceCase &c, const Metric &metric, const TileGrid &grid, const FrameResult &wanted,
                            const FrameResult &got) {
    const std::size_t words = metric.tile_words(), count = metric.local_names().size();
    if (got.tiles.size() != words * grid.count()) return "no tiles";
    for (std::size_t i = 0; i < got.tiles.size() && metric.has_real_tiles(); i += 2) { // before numbers of samples
        const double a = std::bit_cast<double>(wanted.tiles[i]), b = std::bit_cast<double>(got.tiles[i]);
        if (!same_figure(a, b, c.tolerance))
            return "tile " + std::to_string(i / words) + ", word " + std::to_string(i % words) + " is " +
                   std::to_string(b) + ", on the CPU " + std::to_string(a);
    }
    std::vector<double> a(count), b(count);
    for (std::size_t tile = 0; tile < grid.count(); tile++) {
        const int x = int(tile) % grid.columns(), y = int(tile) / grid.columns();
        const PictureArea area{grid.x(x), grid.y(y), grid.x(x + 1), grid.y(y + 1)};
        metric.local_scores(std::span(wanted.tiles).subspan(tile * words, words), area, a);
        metric.local_scores(std::span(got.tiles).subspan(tile * words, words), area, b);
        for (std::size_t i = 0; i < count; i++)
            if (!same_figure(a[i], b[i], c.tolerance))
                return "tile " + std::to_string(x) + "," + std::to_string(y) + " of " + std::to_string(grid.columns()) +
                       "x" + std::to_string(grid.rows()) + ": " + std::string(metric.local_names()[i]) + " is " +
                       std::to_string(b[i]) + ", on the CPU " + std::to_string(a[i]);
    }
    return {};
}

} // namespace

namespace {

std::unique_ptr<Metric> prepared(const DeviceCase &c, const OptionTexts &options) {
    const MetricInfo &info = *find_metric(c.metric);
    auto instance = info.create(OptionValues(info.name, info.options, options));
    instance->prepare(c.format);
    return instance;
}

// Empty if all figures agree.
std::string figure_difference(const DeviceCase &c, std::size_t frame, const FrameResult &wanted, const FrameResult &got,
                              const Device &device) {
    for (std::size_t k = 0; k < wanted.values.size(); k++) {
        const double a = wanted.values[k], b = got.values[k];
        if (same_figure(a, b, c.tolerance)) continue;
        char text[200];
        std::snprintf(text, sizeof text, "frame %zu, value %zu: %.17g (%lld) on %s, %.17g (%lld) on the CPU", frame, k,
                      b, std::bit_cast<long long>(b), device.info().arch.c_str(), a, std::bit_cast<long long>(a));
        return text;
    }
    return {};
}

std::string family_difference(const DeviceCase &c, const std::vector<PicturePair> &pairs, Device &device, Isa isa) {
    std::vector<std::unique_ptr<Metric>> owned = {};
    owned.push_back(prepared(c, c.options));
    for (const OptionTexts &options : c.others) owned.push_back(prepared(c, options));
    std::vector<const Metric *> members;
    for (const auto &metric : owned) members.push_back(metric.get());
    const auto got = family_results_on_device(members, pairs, device);
    for (std::size_t member = 0; member < members.size(); member++) {
        const auto wanted = results_on_cpu(*members[member], pairs, isa);
        for (std::size_t i = 0; i < pairs.size(); i++)
            if (const std::string text = figure_difference(c, i, wanted[i], got[i][member], device); !text.empty())
                return "member " + std::to_string(member) + ", " + text;
    }
    return {};
}

} // namespace

std::string device_difference(const DeviceCase &c, const std::vector<PicturePair> &pairs, Device &device, Isa isa) {
    if (!c.others.empty()) return family_difference(c, pairs, device, isa);
    const auto instance = prepared(c, c.options);
    const TileGrid grid = c.cell ? grid_of(c) : TileGrid();
    const TileGrid *const tiles = c.cell ? &grid : nullptr;
    const auto wanted = results_on_cpu(*instance, pairs, isa, tiles);
    const auto got = results_on_device(*instance, pairs, device, tiles);
    for (std::size_t i = 0; i < pairs.size(); i++) {
        if (tiles)
            if (const std::string text = tile_difference(c, *instance, grid, wanted[i], got[i]); !text.empty())
                return "frame " + std::to_string(i) + ", " + text;
        if (std::string text = figure_difference(c, i, wanted[i], got[i], device); !text.empty()) return text;
    }
    return {};
}

} // namespace vmaf
