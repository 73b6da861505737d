// The device pipeline, on the host device with the metric that looks back.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <future>
#include <thread>

#include "base/error.hpp"
#include "device/dispatch.hpp"
#include "device/host/host_device.hpp"
#include "metrics/registry.hpp"
#include "session/device_pipeline.hpp"
#include "session/extractor_name.hpp"
#include "session/frame.hpp"

namespace vmaf::device_pipeline_test {
namespace {

constexpr PictureFormat kFormat{PixelFormat::yuv420p, 8, 40, 24};

Picture noise(unsigned seed, const PictureFormat &format = kFormat) {
    const Picture picture = Picture::allocate(format);
    for (unsigned y = 0; y < format.height; y++)
        for (unsigned x = 0; x < format.width; x++)
            picture.data(0)[std::ptrdiff_t{y} * picture.stride_bytes(0) + x] =
                static_cast<std::byte>(seed = seed * 1664525 + 1013904223, seed >> 24);
    return picture;
}

// A picture that claims to be in another kind of memory.
class Relabelled final : public PictureBuffer {
  public:
    Relabelled(const Picture &from, Memory as) : PictureBuffer(from.format()), from_(from) {
        memory = as;
        for (unsigned p = 0; p < 3; p++) {
            data[p] = from.data(p);
            stride[p] = from.stride_bytes(p);
        }
    }

  private:
    Picture from_;
};
Picture relabelled(const Picture &picture, Memory as) { return Picture(new Relabelled(picture, as)); }

struct Score final : Frame {
    Score() { results.resize(2); }
};

// `count` frames starting at number `first`.
std::vector<Score> frames_from(unsigned first, unsigned count) {
    std::vector<Score> scores(count);
    for (unsigned i = 0; i < count; i++) scores[i].index = first + i;
    return scores;
}

class Collecting final : public DevicePipeline::Receiver {
  public:
    std::span<FrameResult> results_of(Frame &frame, std::size_t scorer) override {
        return std::span(frame.results).subspan(scorer, 1);
    }
    void measured(Frame &frame) override {
        EXPECT_FALSE(frame.measured);
        frame.measured = true;
        count++;
    }
    void refused(Frame &, std::exception_ptr) override { refusals++; }
    void failed(std::exception_ptr) override { failures++; }
    std::atomic<unsigned> count{0}, refusals{0}, failures{0};
};

std::unique_ptr<Metric> prepared(std::string_view name, const OptionTexts &options = {}) {
    const MetricInfo &info = *find_metric(name);
    auto metric = info.create(OptionValues(info.name, info.options, options));
    metric->prepare(kFormat);
    return metric;
}

// Sums of motion between consecutive pictures, from the scalar code.
std::vector<double> expected_motion(const std::vector<Picture> &pictures, unsigned distance) {
    const auto metric = prepared("motion", {{"motion_five_frame_window", distance == 2 ? "true" : "false"}});
    const auto scorer = metric->make_scorer(Isa::scalar);
    std::vector<double> sums;
    Parallel alone;
    for (unsigned i = 0; i < pictures.size(); i++) {
        FrameInput input{i, pictures[i], pictures[i], {}, {}, alone};
        for (unsigned k = 0; k < 2 && k < i; k++) input.earlier_ref[k] = &pictures[i - 1 - k];
        FrameResult result;
        scorer->measure(input, result);
        sums.push_back(result.values[0]);
    }
    return sums;
}

// Frame i is in memories[i % size].
void expect_motion_with(unsigned threads, unsigned frames, unsigned batches_at_once, unsigned batch, unsigned distance,
                        bool serial, const std::vector<Memory> &memories, bool shares_memory = false) {
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < frames; i++) pictures.push_back(noise(i + 1));
    std::shared_ptr<Device> device = open_host_device(32, shares_memory);
    const auto metric = prepared("motion", {{"motion_five_frame_window", distance == 2 ? "true" : "false"}});
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    scorers.push_back(metric->make_device_scorer(*device));
    Collecting receiver;
    std::vector<Score> scores = frames_from(0, frames);
    WorkerPool pool(threads);
    {
        DevicePipeline pipeline(device, kFormat, std::move(scorers),
                                {.batches_at_once = batches_at_once, .batch = batch, .wait_after = {serial}}, receiver);
        for (unsigned i = 0; i < frames; i++) {
            const Picture picture = relabelled(pictures[i], memories[i % memories.size()]);
            pool.reserve(1);
            pipeline.submit(scores[i], picture, picture, 1, pool);
        }
    }
    EXPECT_EQ(receiver.count, frames);
    EXPECT_EQ(receiver.refusals + receiver.failures, 0u);
    const std::vector<double> expected = expected_motion(pictures, distance);
    for (unsigned i = 0; i < frames; i++)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(scores[i].results[0].values[0]),
                  std::bit_cast<std::uint64_t>(expected[i]))
            << "frame " << i << ", " << batches_at_once << " at once, batches of " << batch;
}

// Copied by the caller's thread, and by several others.
void expect_motion(unsigned frames, unsigned batches_at_once, unsigned batch, unsigned distance, bool serial,
                   const std::vector<Memory> &memories) {
    for (const unsigned threads : {0u, 3u})
        expect_motion_with(threads, frames, batches_at_once, batch, distance, serial, memories);
}

TEST(DevicePipeline, GivesTheSameSumsHoweverFramesAreGrouped) {
    for (const unsigned batches_at_once : {1u, 2u, 5u})
        for (const unsigned batch : {1u, 3u, 16u})
            for (const unsigned distance : {1u, 2u})
                expect_motion(57, batches_at_once, batch, distance, false, {Memory::host});
    expect_motion(1, 6, 16, 1, false, {Memory::host});
    expect_motion(9, 6, 4, 1, true, {Memory::host});
}
TEST(DevicePipeline, TakesPinnedAndDevicePictures) {
    for (const Memory memory : {Memory::pinned_host, Memory::device})
        for (const unsigned batch : {1u, 5u}) expect_motion(40, 2, batch, 2, false, {memory});
}

TEST(DevicePipeline, ReadsPicturesWhereTheyAreOnDevicesWithTheHostsMemory) {
    for (const Memory memory : {Memory::host, Memory::pinned_host, Memory::device})
        expect_motion_with(2, 23, 2, 3, 2, false, {memory}, true);
    expect_motion_with(1, 29, 2, 2, 2, false, {Memory::host, Memory::pinned_host, Memory::device}, true);
}

TEST(DevicePipeline, TakesPicturesFromDifferentMemoryInOneRun) {
    for (const unsigned batch : {1u, 4u}) {
        expect_motion(60, 2, batch, 2, false, {Memory::host, Memory::host, Memory::pinned_host});
        expect_motion(60, 3, batch, 1, false,
                      {Memory::pinned_host, Memory::host, Memory::host, Memory::device, Memory::host});
    }
}

// The host device with call counters and a gate: waiting for an event also waits for the gate.
class GatedDevice final : public Device {
  public:
    std::atomic<unsigned> uploads{0}, launches{0};
    void open() { gate_.set_value(); }

    const DeviceInfo &info() const override { return inner_->info(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override { return inner_->allocate_pinned(bytes); }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<Counting>(*this, inner_->make_queue()); }
    std::unique_ptr<Event> make_event(bool timing) override {
        return std::make_unique<Gated>(inner_->make_event(timing), opened_);
    }
    LoadedKernel load(const Kernel &kernel) override { return inner_->load(kernel); }

  private:
    struct Gated final : Event {
        Gated(std::unique_ptr<Event> e, std::shared_future<void> g) : inner(std::move(e)), gate(std::move(g)) {}
        void wait() override {
            gate.wait();
            inner->wait();
        }
        bool reached() override { return inner->reached(); }
        float milliseconds_since(Event &) override { return 0; }
        std::unique_ptr<Event> inner;
        std::shared_future<void> gate;
    };
    struct Counting final : Queue {
        Counting(GatedDevice &d, std::unique_ptr<Queue> q) : device(d), inner(std::move(q)) {}
        void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                    CopyShape shape) override {
            device.uploads++;
            inner->upload(to, to_pitch, from, from_pitch, shape);
        }
        void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                      CopyShape shape) override {
            inner->download(to, to_pitch, from, from_pitch, shape);
        }
        void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
            inner->copy(to, to_pitch, from, from_pitch, shape);
        }
        void clear(std::byte *at, std::size_t bytes) override { inner->clear(at, bytes); }
        void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t bytes) override {
            device.launches++;
            inner->launch(kernel, grid, args, bytes);
        }
        void record(Event &event) override { inner->record(*static_cast<Gated &>(event).inner); }
        void wait(Event &event) override { inner->wait(*static_cast<Gated &>(event).inner); }
        void finish() override { inner->finish(); }
        GatedDevice &device;
        std::unique_ptr<Queue> inner;
    };
    std::shared_ptr<Device> inner_ = open_host_device();
    std::promise<void> gate_;
    std::shared_future<void> opened_ = gate_.get_future().share();
};

// Frames that arrive faster than the device works share launches, and uploads if staged.
TEST(DevicePipeline, ABusyDeviceGetsWholeBatches) {
    const auto device = std::make_shared<GatedDevice>();
    const auto metric = prepared("motion");
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    scorers.push_back(metric->make_device_scorer(*device));
    Collecting receiver;
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < 13; i++) pictures.push_back(noise(i + 1));
    std::vector<Score> scores = frames_from(0, 13);
    WorkerPool alone(0);
    {
        DevicePipeline pipeline(device, kFormat, std::move(scorers),
                                {.batches_at_once = 3, .batch = 4, .wait_after = {}}, receiver);
        const unsigned before = device->uploads;
        for (unsigned i = 0; i < 13; i++) pipeline.submit(scores[i], pictures[i], pictures[i], 1, alone);
        device->open();
        while (receiver.count < 13) std::this_thread::yield();
        EXPECT_EQ(device->launches, 3u);         // the first frame has no earlier one; then 4, 4 and 4
        EXPECT_LE(device->uploads - before, 7u); // of 26 pictures; the memory wraps inside some batches
    }
    const std::vector<double> expected = expected_motion(pictures, 1);
    for (unsigned i = 0; i < 13; i++)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(scores[i].results[0].values[0]),
                  std::bit_cast<std::uint64_t>(expected[i]));
}

TEST(DevicePipeline, RunsEachScorerOnItsOwnFramesOnly) {
    std::shared_ptr<Device> device = open_host_device();
    const auto vif = prepared("vif"), motion = prepared("motion");
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    scorers.push_back(vif->make_device_scorer(*device));
    scorers.push_back(motion->make_device_scorer(*device));
    const auto vif_scorer = vif->make_scorer(Isa::scalar);
    std::vector<Picture> pictures;
    for (unsigned i = 0; i < 10; i++) pictures.push_back(noise(i + 1));
    Collecting receiver;
    std::vector<Score> scores = frames_from(0, 10);
    WorkerPool alone(0);
    {
        DevicePipeline pipeline(device, kFormat, std::move(scorers),
                                {.batches_at_once = 4, .batch = 4, .wait_after = {}}, receiver);
        for (unsigned i = 0; i < 10; i++)
            pipeline.submit(scores[i], pictures[i], pictures[(i + 3) % 10], i % 3 == 0 ? 3 : 2, alone);
    }
    const std::vector<double> expected = expected_motion(pictures, 1);
    for (unsigned i = 0; i < 10; i++) {
        FrameResult wanted{};
        if (i % 3 == 0) vif_scorer->measure({i, pictures[i], pictures[(i + 3) % 10], {}, {}, alone}, wanted);
        for (std::size_t k = 0; k < 16; k++)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(scores[i].results[0].values[k]),
                      std::bit_cast<std::uint64_t>(wanted.values[k]));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(scores[i].results[1].values[0]),
                  std::bit_cast<std::uint64_t>(expected[i]));
    }
}

// Frames of an incomplete batch are scored even if no more frames arrive.
TEST(DevicePipeline, ScoresIncompleteBatches) {
    std::shared_ptr<Device> device = open_host_device();
    const auto metric = prepared("motion");
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    scorers.push_back(metric->make_device_scorer(*device));
    Collecting receiver;
    std::vector<Score> scores = frames_from(0, 11);
    WorkerPool alone(0);
    DevicePipeline pipeline(device, kFormat, std::move(scorers), {.batches_at_once = 6, .batch = 16, .wait_after = {}},
                            receiver);
    for (unsigned i = 0; i < 11; i++) pipeline.submit(scores[i], noise(i), noise(i), 1, alone);
    while (receiver.count < 11) std::this_thread::yield();
}

TEST(DevicePipeline, ReportsEveryFrameAfterAFailure) {
    std::shared_ptr<Device> device = open_host_device();
    const auto metric = prepared("motion");
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    scorers.push_back(metric->make_device_scorer(*device));
    Collecting receiver;
    std::vector<Score> scores = frames_from(5, 12);
    WorkerPool alone(0);
    {
        DevicePipeline pipeline(device, kFormat, std::move(scorers),
                                {.batches_at_once = 4, .batch = 3, .wait_after = {}}, receiver);
        // Starts at 5: the first frame has no earlier one, which motion refuses.
        for (unsigned i = 0; i < 12; i++) pipeline.submit(scores[i], noise(i), noise(i), 1, alone);
    }
    EXPECT_EQ(receiver.count, 12u);
    EXPECT_EQ(receiver.failures, 1u);
}

TEST(DevicePipeline, GroupsMorePicturesBelow1280x720) {
    const auto batch = [](unsigned w, unsigned h) {
        return DevicePipeline::batch_for({PixelFormat::yuv420p, 8, w, h});
    };
    EXPECT_EQ(batch(3840, 2160), 1u);
    EXPECT_EQ(batch(1920, 1080), 4u);
    EXPECT_EQ(batch(1280, 720), 4u);
    EXPECT_GT(batch(1279, 720), 4u);
    EXPECT_EQ(batch(64, 64), kMaxBatch);
}

TEST(Dispatch, UnderstandsTheWholeGrammar) {
    std::vector<std::string> warnings;
    const auto parse = [&](std::string_view text) {
        warnings.clear();
        return DispatchTable::parse({.variable = "VMAF_CUDA_DISPATCH", .suffix = "_cuda", .text = std::string(text)},
                                    plain_extractor_name, [&](const std::string &w) { warnings.push_back(w); });
    };
    EXPECT_EQ(parse("").of("vif"), Dispatch::adaptive);
    EXPECT_EQ(parse("batched").of("vif"), Dispatch::batched);
    EXPECT_EQ(parse("batched, serial").of("vif"), Dispatch::serial);
    const DispatchTable table = parse(" vif_cuda = serial ,,\tbatched, integer_adm_cuda=serial,integer_adm=adaptive");
    EXPECT_EQ(table.of("vif"), Dispatch::serial);
    EXPECT_EQ(table.of("adm"), Dispatch::adaptive);
    EXPECT_EQ(table.of("motion"), Dispatch::batched);
    EXPECT_TRUE(warnings.empty());
    for (const char *bad : {"batchedx", "Batched", "vif:graph", "vif=direct", "nosuch=serial", "=serial", "vif="}) {
        EXPECT_EQ(parse(std::string("serial,") + bad).of("vif"), Dispatch::serial) << bad;
        ASSERT_EQ(warnings.size(), 1u) << bad;
        EXPECT_NE(warnings[0].find(bad), std::string::npos) << bad;
    }
}

} // namespace
} // namespace vmaf::device_pipeline_test
