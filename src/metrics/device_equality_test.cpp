// The device code of every metric that has some gives the figures of the scalar code, bit for bit. Run on the host
// device in both of its forms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "device/host/host_device.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/registry.hpp"

namespace vmaf {
namespace {

using Results = std::vector<FrameResult>;

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

void put(const Picture &picture, int x, int y, double value) {
    const unsigned largest = (1u << picture.format().bits) - 1;
    const auto sample = static_cast<unsigned>(std::min(std::max(value, 0.0), double(largest)));
    std::byte *row = picture.data(0) + y * picture.stride_bytes(0);
    if (picture.format().bits == 8)
        row[x] = static_cast<std::byte>(sample);
    else
        reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(sample);
}

struct Pair {
    Picture ref, dist;
};

// Waves and noise, with zones that lead into every branch: equal pictures, gain, inverted contrast, flat reference, ...
Pair texture(const PictureFormat &format, unsigned seed) {
    Pair pair{Picture::allocate(format), Picture::allocate(format)};
    const double unit = double(1u << format.bits) / 256.0;
    const int w = static_cast<int>(format.width), h = static_cast<int>(format.height);
    Random random(seed + 1);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const int zone = (y * 12 / h * 3 + x * 7 / w + static_cast<int>(seed)) % 9;
            const double n1 = random.centred(), n2 = random.centred();
            double r = 120 + 50 * std::sin(x * 0.11 + 9 * std::sin(y * 0.013) + seed) +
                       35 * std::sin(y * 0.31 + x * 0.05) + 60 * n1 * std::sin(x * 0.004 + y * 0.006);
            if (zone == 5) r = 90 + (x / 40 % 3) * 30;
            if (zone == 6) r = 130 + 3 * n1 + 2 * std::sin(x * 0.02);
            double d = 120 + std::floor((r - 120) * 0.8 / 6) * 6 + 9 * n2;
            if (zone == 1) d = r;
            if (zone == 2) d = 1.4 * r - 50;
            if (zone == 3) d = 240 - r;
            if (zone == 7) d = r + 250 * n2;
            if (zone == 8) d = 3 + 0.02 * r;
            put(pair.ref, x, y, r * unit);
            put(pair.dist, x, y, d * unit);
        }
    return pair;
}

// Black, white and random samples: reaches the wraps that specifications mention.
Pair extremes(const PictureFormat &format, unsigned seed) {
    Pair pair{Picture::allocate(format), Picture::allocate(format)};
    const unsigned largest = (1u << format.bits) - 1;
    Random random(seed + 1);
    for (int y = 0; y < static_cast<int>(format.height); y++)
        for (int x = 0; x < static_cast<int>(format.width); x++) {
            put(pair.ref, x, y, random() & 1 ? largest : 0);
            put(pair.dist, x, y, random() % 4 ? (random() & 1 ? largest : 0) : random() % (largest + 1));
        }
    return pair;
}

Results on_cpu(const Metric &metric, const std::vector<Pair> &pairs) {
    Results results(pairs.size());
    const auto scorer = metric.make_scorer(Isa::scalar);
    Parallel alone;
    for (std::size_t i = 0; i < pairs.size(); i++) {
        FrameInput input{static_cast<unsigned>(i), pairs[i].ref, pairs[i].dist, {}, {}, alone};
        for (std::size_t k = 0; k < 2 && k < i; k++) input.earlier_ref[k] = &pairs[i - 1 - k].ref;
        scorer->measure(input, results[i]);
    }
    return results;
}

// Two batches: one frame, then the others.
Results on_device(const Metric &metric, const std::vector<Pair> &pairs, Device &device) {
    const auto scorer = metric.make_device_scorer(device);
    const auto count = static_cast<unsigned>(pairs.size());
    const PictureFormat &format = pairs[0].ref.format();
    const std::size_t pitch = (format.width * format.bytes_per_sample() + 63) / 64 * 64;
    const std::size_t plane = pitch * format.height;
    const auto pictures = device.allocate(2 * count * plane);
    const auto scratch = device.allocate(std::max<std::size_t>(scorer->scratch_bytes(count), 4));
    const std::size_t sums_bytes = std::max<std::size_t>(count * scorer->sums() * sizeof(DeviceSum), 8);
    const auto sums = device.allocate(sums_bytes), host_sums = device.allocate_pinned(sums_bytes);
    const auto queue = device.make_queue();
    const Device::Scope scope(device);
    queue->clear(scratch->data(), scratch->size() / 4 * 4);
    queue->clear(sums->data(), sums_bytes);
    const auto at = [&](unsigned frame, bool dist) { return pictures->data() + (2 * frame + dist) * plane; };
    for (unsigned i = 0; i < count; i++) {
        const CopyShape shape{format.width * format.bytes_per_sample(), format.height};
        queue->upload(at(i, false), static_cast<std::ptrdiff_t>(pitch), pairs[i].ref.data(0),
                      pairs[i].ref.stride_bytes(0), shape);
        queue->upload(at(i, true), static_cast<std::ptrdiff_t>(pitch), pairs[i].dist.data(0),
                      pairs[i].dist.stride_bytes(0), shape);
    }
    for (unsigned first = 0, last; first < count; first = last) {
        last = first == 0 ? 1 : count;
        DeviceBatch batch;
        batch.count = last - first;
        batch.pitch_bytes[0] = static_cast<std::ptrdiff_t>(pitch);
        batch.scratch = scratch->data();
        batch.sums_stride = scorer->sums();
        batch.sums = reinterpret_cast<DeviceSum *>(sums->data()) + first * batch.sums_stride;
        for (unsigned i = first; i < last; i++) {
            DeviceFrame &frame = batch.frames[i - first];
            frame.index = i;
            frame.ref[0] = at(i, false);
            frame.dist[0] = at(i, true);
            for (unsigned k = 0; k < 2 && k < i; k++) frame.earlier_ref[k][0] = at(i - 1 - k, false);
        }
        scorer->enqueue(*queue, batch);
    }
    queue->download(host_sums->data(), 0, sums->data(), 0, {sums_bytes, 1});
    queue->finish();
    Results results(count);
    for (unsigned i = 0; i < count; i++)
        scorer->collect(reinterpret_cast<const DeviceSum *>(host_sums->data()) + i * scorer->sums(), results[i]);
    return results;
}

void expect_equal(std::string_view name, const OptionTexts &options, const std::vector<Pair> &pairs) {
    const MetricInfo &info = *find_metric(name);
    const PictureFormat &format = pairs[0].ref.format();
    const auto metric = info.create(OptionValues(info.name, info.options, options));
    metric->prepare(format);
    const Results wanted = on_cpu(*metric, pairs);
    for (const unsigned group_width : {32u, 64u}) {
        const auto device = open_host_device(group_width);
        const Results got = on_device(*metric, pairs, *device);
        for (std::size_t i = 0; i < pairs.size(); i++)
            for (std::size_t k = 0; k < wanted[i].values.size(); k++) {
                std::int64_t a, b;
                std::memcpy(&a, &wanted[i].values[k], sizeof a);
                std::memcpy(&b, &got[i].values[k], sizeof b);
                EXPECT_EQ(a, b) << name << " " << format.width << "x" << format.height << " " << format.bits
                                << " bit, groups of " << group_width << ", frame " << i << ", value " << k;
            }
    }
}

void expect_equal(std::string_view name, const OptionTexts &options, const PictureFormat &format,
                  bool all_content = true) {
    std::vector<Pair> pairs = {texture(format, 1), texture(format, 4)};
    if (all_content) {
        pairs.push_back(extremes(format, 2));
        pairs.push_back({pairs[0].dist, pairs[0].ref});
        pairs.push_back({pairs[0].ref, pairs[0].ref});
    }
    expect_equal(name, options, pairs);
}

PictureFormat luma(unsigned width, unsigned height, unsigned bits) {
    return {PixelFormat::yuv400p, bits, width, height};
}

TEST(DeviceEquality, VifAtEveryDepth) {
    for (unsigned bits = 8; bits <= 16; bits++) expect_equal("vif", {}, luma(87, 65, bits));
}
TEST(DeviceEquality, VifAtSizesAroundTilesAndOfThinPictures) {
    for (const auto &[w, h] : {std::pair{16u, 16u},
                               {17, 31},
                               {239, 16},
                               {240, 33},
                               {241, 17},
                               {519, 35},
                               {8, 8},
                               {8, 70},
                               {15, 9},
                               {70, 8},
                               {100, 15},
                               {13, 40}})
        for (const unsigned bits : {8u, 10u}) expect_equal("vif", {}, luma(w, h, bits));
}
TEST(DeviceEquality, VifWithGainLimits) {
    for (const char *limit : {"1", "1.05", "1.2", "3", "50"})
        for (const unsigned bits : {8u, 12u})
            expect_equal("vif", {{"vif_enhn_gain_limit", limit}}, luma(131, 75, bits));
}
TEST(DeviceEquality, AdmAtEveryDepth) {
    for (unsigned bits = 8; bits <= 16; bits++) expect_equal("adm", {}, luma(91, 67, bits));
}
TEST(DeviceEquality, AdmAtSizesAroundTilesAndOfSmallPictures) {
    for (const auto &[w, h] : {std::pair{17u, 17u},
                               {18, 32},
                               {31, 17},
                               {33, 33},
                               {34, 47},
                               {35, 33},
                               {223, 65},
                               {224, 66},
                               {225, 67},
                               {451, 131},
                               {517, 40}})
        for (const unsigned bits : {8u, 10u}) expect_equal("adm", {}, luma(w, h, bits));
}
TEST(DeviceEquality, AdmWithEveryOptionThatKernelsSee) {
    for (const OptionTexts &options :
         std::vector<OptionTexts>{{{"adm_enhn_gain_limit", "1"}},
                                  {{"adm_enhn_gain_limit", "1.2"}},
                                  {{"adm_enhn_gain_limit", "33"}},
                                  {{"adm_csf_mode", "1"}},
                                  {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.05"}, {"adm_csf_diag_scale", "50"}},
                                  {{"adm_csf_mode", "2"}},
                                  {{"adm_csf_mode", "3"}, {"adm_enhn_gain_limit", "1.1"}},
                                  {{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "4"}},
                                  {{"adm_norm_view_dist", "4.5"}},
                                  {{"adm_skip_aim", "true"}}})
        for (const unsigned bits : {8u, 16u}) expect_equal("adm", options, luma(131, 77, bits));
}
// More than 2048 band rows: the low parts of two sums no longer share a word.
TEST(DeviceEquality, AdmOfVeryTallPictures) {
    expect_equal("adm", {}, {texture(luma(20, 4200, 8), 1), texture(luma(20, 4200, 8), 3)});
}

TEST(DeviceEquality, MotionAtEveryDepthAndDistance) {
    for (unsigned bits = 8; bits <= 16; bits++)
        for (const char *five : {"false", "true"})
            expect_equal("motion", {{"motion_five_frame_window", five}}, luma(131, 37, bits));
}
TEST(DeviceEquality, MotionAtSizesAroundTilesAndOfSmallPictures) {
    for (const auto &[w, h] :
         {std::pair{3u, 3u}, {4, 5}, {120, 8}, {121, 9}, {124, 10}, {127, 33}, {479, 7}, {480, 8}, {481, 9}, {8, 100}})
        for (const unsigned bits : {8u, 10u, 16u}) expect_equal("motion", {}, luma(w, h, bits));
}

} // namespace
} // namespace vmaf
