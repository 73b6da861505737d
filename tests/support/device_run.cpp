#include "support/device_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "metrics/device_scorer.hpp"
#include "metrics/registry.hpp"

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

void put(const Picture &picture, int x, int y, double value) {
    const unsigned largest = (1u << picture.format().bits) - 1;
    const auto sample = static_cast<unsigned>(std::clamp(value, 0.0, double(largest)));
    std::byte *row = picture.data(0) + y * picture.stride_bytes(0);
    if (picture.format().bits == 8)
        row[x] = static_cast<std::byte>(sample);
    else
        reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(sample);
}

} // namespace

PicturePair texture_pair(const PictureFormat &format, unsigned seed) {
    PicturePair pair{Picture::allocate(format), Picture::allocate(format)};
    const double unit = double(1u << format.bits) / 256.0;
    const int w = static_cast<int>(format.width), h = static_cast<int>(format.height);
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
            put(pair.ref, x, y, r * unit);
            put(pair.dist, x, y, d * unit);
        }
    }
    return pair;
}

PicturePair extreme_pair(const PictureFormat &format, unsigned seed) {
    PicturePair pair{Picture::allocate(format), Picture::allocate(format)};
    const unsigned largest = (1u << format.bits) - 1;
    Random random(seed + 1);
    for (int y = 0; y < static_cast<int>(format.height); y++)
        for (int x = 0; x < static_cast<int>(format.width); x++) {
            put(pair.ref, x, y, random() & 1 ? largest : 0);
            put(pair.dist, x, y, random() % 4 ? (random() & 1 ? largest : 0) : random() % (largest + 1));
        }
    return pair;
}

std::vector<PicturePair> pairs_for(const PictureFormat &format) {
    std::vector<PicturePair> pairs = {texture_pair(format, 1), texture_pair(format, 4), extreme_pair(format, 2)};
    pairs.push_back({pairs[0].dist, pairs[0].ref});
    pairs.push_back({pairs[0].ref, pairs[0].ref});
    return pairs;
}

std::vector<FrameResult> results_on_cpu(const Metric &metric, const std::vector<PicturePair> &pairs, Isa isa) {
    std::vector<FrameResult> results(pairs.size());
    const auto scorer = metric.make_scorer(isa);
    Parallel alone;
    for (std::size_t i = 0; i < pairs.size(); i++) {
        FrameInput input{static_cast<unsigned>(i), pairs[i].ref, pairs[i].dist, {}, {}, alone};
        for (std::size_t k = 0; k < 2 && k < i; k++) input.earlier_ref[k] = &pairs[i - 1 - k].ref;
        scorer->measure(input, results[i]);
    }
    return results;
}

std::vector<FrameResult> results_on_device(const Metric &metric, const std::vector<PicturePair> &pairs,
                                           Device &device) {
    const auto scorer = metric.make_device_scorer(device);
    const auto count = static_cast<unsigned>(pairs.size());
    const PictureFormat &format = pairs[0].ref.format();
    const std::size_t row_bytes = std::size_t{format.width} * format.bytes_per_sample();
    const std::size_t pitch = (row_bytes + 63) / 64 * 64, plane = pitch * format.height;
    const auto pictures = device.allocate(2 * count * plane), staging = device.allocate_pinned(2 * count * plane);
    const auto scratch = device.allocate(std::max<std::size_t>(scorer->scratch_bytes(count), 4) / 4 * 4);
    const std::size_t sums_bytes = std::max<std::size_t>(count * scorer->sums() * sizeof(DeviceSum), 8);
    const auto sums = device.allocate(sums_bytes), host_sums = device.allocate_pinned(sums_bytes);
    const auto queue = device.make_queue();
    const Device::Scope scope(device);
    queue->clear(scratch->data(), scratch->size());
    queue->clear(sums->data(), sums_bytes);
    const auto slot = [&](unsigned frame, bool dist) { return (2 * frame + dist) * plane; };
    for (unsigned i = 0; i < count; i++)
        for (const bool dist : {false, true}) {
            const Picture &picture = dist ? pairs[i].dist : pairs[i].ref;
            for (unsigned y = 0; y < format.height; y++)
                std::memcpy(staging->data() + slot(i, dist) + y * pitch,
                            picture.data(0) + std::ptrdiff_t{y} * picture.stride_bytes(0), row_bytes);
            queue->upload(pictures->data() + slot(i, dist), static_cast<std::ptrdiff_t>(pitch),
                          staging->data() + slot(i, dist), static_cast<std::ptrdiff_t>(pitch),
                          {row_bytes, format.height});
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
            frame.ref[0] = pictures->data() + slot(i, false);
            frame.dist[0] = pictures->data() + slot(i, true);
            for (unsigned k = 0; k < 2 && k < i; k++)
                frame.earlier_ref[k][0] = pictures->data() + slot(i - 1 - k, false);
        }
        scorer->enqueue(*queue, batch);
    }
    queue->download(host_sums->data(), 0, sums->data(), 0, {sums_bytes, 1});
    queue->finish();
    std::vector<FrameResult> results(count);
    for (unsigned i = 0; i < count; i++)
        scorer->collect(reinterpret_cast<const DeviceSum *>(host_sums->data()) + i * scorer->sums(), results[i]);
    return results;
}

std::string device_difference(std::string_view metric, const OptionTexts &options,
                              const std::vector<PicturePair> &pairs, Device &device, Isa isa) {
    const MetricInfo &info = *find_metric(metric);
    const auto instance = info.create(OptionValues(info.name, info.options, options));
    instance->prepare(pairs[0].ref.format());
    const auto wanted = results_on_cpu(*instance, pairs, isa), got = results_on_device(*instance, pairs, device);
    for (std::size_t i = 0; i < pairs.size(); i++)
        for (std::size_t k = 0; k < wanted[i].values.size(); k++) {
            std::int64_t a, b;
            std::memcpy(&a, &wanted[i].values[k], sizeof a);
            std::memcpy(&b, &got[i].values[k], sizeof b);
            if (a != b)
                return "frame " + std::to_string(i) + ", value " + std::to_string(k) + ": " + std::to_string(b) +
                       " on " + device.info().arch + ", " + std::to_string(a) + " on the CPU";
        }
    return {};
}

std::string DeviceCase::name() const {
    std::string text = metric + " " + std::to_string(format.width) + "x" + std::to_string(format.height) + " " +
                       std::to_string(format.bits) + " bit";
    for (const auto &[option, value] : options) text += " " + option + "=" + value;
    return text;
}

std::vector<DeviceCase> device_cases(std::string_view metric) {
    std::vector<DeviceCase> cases;
    const auto add = [&](unsigned w, unsigned h, unsigned bits, const OptionTexts &options = {}) {
        cases.push_back({std::string(metric), options, {PixelFormat::yuv400p, bits, w, h}});
    };
    using Sizes = std::vector<std::pair<unsigned, unsigned>>;
    if (metric == "vif") {
        for (unsigned bits = 8; bits <= 16; bits++) add(87, 65, bits);
        for (const auto &[w, h] : Sizes{{16, 16}, {17, 31}, {239, 16}, {240, 33}, {241, 17}, {519, 35}})
            for (const unsigned bits : {8u, 10u}) add(w, h, bits);
        // Thin pictures: levels shorter than their filter, or of one row or column.
        for (const auto &[w, h] : Sizes{{8, 8}, {8, 70}, {15, 9}, {70, 8}, {100, 15}, {13, 40}})
            for (const unsigned bits : {8u, 12u}) add(w, h, bits);
        for (const char *limit : {"1", "1.05", "1.2", "3", "50"})
            for (const unsigned bits : {8u, 12u}) add(131, 75, bits, {{"vif_enhn_gain_limit", limit}});
    } else if (metric == "adm") {
        for (unsigned bits = 8; bits <= 16; bits++) add(91, 67, bits);
        for (const auto &[w, h] : Sizes{{17, 17},
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
            for (const unsigned bits : {8u, 10u}) add(w, h, bits);
        const std::vector<OptionTexts> settings = {
            {{"adm_enhn_gain_limit", "1"}},
            {{"adm_enhn_gain_limit", "1.2"}},
            {{"adm_enhn_gain_limit", "33"}},
            {{"adm_csf_mode", "1"}},
            {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.05"}, {"adm_csf_diag_scale", "50"}},
            {{"adm_csf_mode", "2"}},
            {{"adm_csf_mode", "3"}, {"adm_enhn_gain_limit", "1.1"}},
            {{"adm_csf_mode", "2"}, {"adm_norm_view_dist", "4"}},
            {{"adm_norm_view_dist", "4.5"}},
            {{"adm_skip_aim", "true"}}};
        for (const OptionTexts &options : settings)
            for (const unsigned bits : {8u, 16u}) add(131, 77, bits, options);
        add(20, 4200, 8); // more than 2048 band rows: the low parts of two sums no longer share a word
    } else {
        for (unsigned bits = 8; bits <= 16; bits++)
            for (const char *five : {"false", "true"}) add(131, 37, bits, {{"motion_five_frame_window", five}});
        for (const auto &[w, h] :
             Sizes{{3, 3}, {4, 5}, {120, 8}, {121, 9}, {124, 10}, {127, 33}, {479, 7}, {480, 8}, {481, 9}, {8, 100}})
            for (const unsigned bits : {8u, 10u, 16u}) add(w, h, bits);
    }
    return cases;
}

} // namespace vmaf
