// Device code on a real device: equality with the CPU, the time of each kernel, and frames per second of whole sessions
// with pictures in page-locked memory, on the device, or in pageable memory.
//
//   device_bench check [DEVICE] [large|brief]  the cases of the equality tests; `large`: also 576x324 to 3840x2160
//   device_bench kernels [DEVICE] [brief]   microseconds per launch; `brief`: only 1920x1080 8 bit, four frames
//   device_bench once [DEVICE]              one batch of four frames of 1920x1080 8 bit, for profilers
//   device_bench frames [DEVICE] [sweep]    frames per second; `sweep`: also other numbers and sizes of batches
//   device_bench names                      the features with device code
//
// DEVICE is cuda (the default if built), host32 or host64. Feature names after it select features; by default `frames`
// uses those of the default model and the others use all. `cells`: `check` has only the cases with cells of maps, and
// `kernels` adds up cells of 64 pixels. Exits with 1 if figures differ.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "config.h"
#include "device/device.hpp"
#include "device/picture_memory.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/registry.hpp"
#include "session/session.hpp"
#include "support/device_run.hpp"
#include "support/devices.hpp"
#include "system/log.hpp"

namespace {

using namespace vmaf;

// The selected features; by default all, or for sessions those of vmaf_v0.6.1.
std::vector<std::string> named_features;
bool with_cells = false;
std::vector<std::string> features() { return named_features.empty() ? metrics_on_devices() : named_features; }
std::vector<std::string> session_features() {
    return named_features.empty() ? std::vector<std::string>{"vif", "adm", "motion"} : named_features;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::shared_ptr<Device> open_device(const std::string &name) {
    std::shared_ptr<Device> device = open_test_device(name);
    if (!device) throw invalid("no device '" + name + "' on this machine");
    return device;
}

PictureFormat luma_and_chroma(unsigned width, unsigned height, unsigned bits) {
    return {PixelFormat::yuv420p, bits, width, height};
}

bool takes(const std::string &metric, const PictureFormat &format) {
    const MetricInfo &info = *find_metric(metric);
    try {
        info.create(OptionValues(info.name, info.options, {}))->prepare(format);
        return true;
    } catch (const Error &) {
        return false;
    }
}

bool has_cells(const std::string &metric) {
    const MetricInfo &info = *find_metric(metric);
    return !info.create(OptionValues(info.name, info.options, {}))->local_names().empty();
}

// `extra`: "large" adds big pictures, "brief" skips most cases (for sanitizers).
int check(Device &device, const std::string &extra) {
    unsigned cases = 0, bad = 0;
    const auto compare = [&](const DeviceCase &c, const std::vector<PicturePair> &pairs, Isa isa) {
        const std::string difference = device_difference(c, pairs, device, isa);
        cases++;
        if (difference.empty()) return;
        bad++;
        std::printf("DIFFERENT %s: %s\n", c.name().c_str(), difference.c_str());
    };
    for (const std::string &metric : features())
        for (const DeviceCase &c : device_cases(metric)) {
            if (with_cells && c.cell == 0) continue;
            if (extra != "brief" || cases % 9 == 0)
                compare(c, pairs_for(c.format), Isa::scalar);
            else
                cases++;
        }
    if (extra == "large")
        for (const auto &[w, h] : {std::pair{576u, 324u}, {960, 540}, {1279, 719}, {1920, 1080}, {3840, 2160}})
            for (const unsigned bits : {8u, 10u, 12u, 16u}) {
                if (w > 1920 && bits > 10) continue;
                const PictureFormat format = luma_and_chroma(w, h, bits);
                std::vector<PicturePair> pairs = {texture_pair(format, 1), texture_pair(format, 4),
                                                  extreme_pair(format, 3)};
                for (const std::string &metric : features()) {
                    if (!takes(metric, format)) continue;
                    DeviceCase c{
                        .metric = metric, .format = format, .tolerance = device_cases(metric).front().tolerance};
                    compare(c, pairs, Isa::scalar);
                    c.cell = w == 1279 && bits < 12 && has_cells(metric) ? 64 : 0;
                    if (c.cell) compare(c, pairs, Isa::scalar);
                }
                if (!named_features.empty()) continue;
                compare({"vif", {{"vif_enhn_gain_limit", "1"}}, format}, pairs, best_isa(0));
                compare({"adm", {{"adm_enhn_gain_limit", "1"}}, format}, pairs, best_isa(0));
            }
    std::printf("%u cases on %s (%s): %u different\n", cases, device.info().name.c_str(), device.info().arch.c_str(),
                bad);
    return bad ? 1 : 0;
}

// Forwards work to a queue and times every launch.
class TimedQueue final : public Queue {
  public:
    TimedQueue(Device &device, Queue &queue)
        : queue_(queue), before_(device.make_event(true)), after_(device.make_event(true)) {}

    // One launch of a batch; kernels may be launched several times, on different scales.
    struct Time {
        std::string kernel;
        Grid grid;
        std::vector<float> microseconds;
        float median() {
            std::sort(microseconds.begin(), microseconds.end());
            return microseconds[microseconds.size() / 2];
        }
    };
    std::vector<Time> times;
    std::size_t launches = 0; // in this batch so far
    unsigned repeats = 8;     // launches timed together, to amortise their start

    void upload(std::byte *a, std::ptrdiff_t b, const std::byte *c, std::ptrdiff_t d, CopyShape e) override {
        queue_.upload(a, b, c, d, e);
    }
    void download(std::byte *a, std::ptrdiff_t b, const std::byte *c, std::ptrdiff_t d, CopyShape e) override {
        queue_.download(a, b, c, d, e);
    }
    void copy(std::byte *a, std::ptrdiff_t b, const std::byte *c, std::ptrdiff_t d, CopyShape e) override {
        queue_.copy(a, b, c, d, e);
    }
    void clear(std::byte *at, std::size_t bytes) override { queue_.clear(at, bytes); }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t bytes) override {
        queue_.launch(kernel, grid, args, bytes);
        queue_.record(*before_);
        for (unsigned i = 0; i < repeats; i++) queue_.launch(kernel, grid, args, bytes);
        queue_.record(*after_);
        after_->wait();
        if (times.size() == launches) times.push_back({kernel.name, grid, {}});
        Time &time = times[launches++];
        time.microseconds.push_back(after_->milliseconds_since(*before_) * 1000 / static_cast<float>(repeats));
    }
    void record(Event &event) override { queue_.record(event); }
    void wait(Event &event) override { queue_.wait(event); }
    void finish() override { queue_.finish(); }

  private:
    Queue &queue_;
    std::unique_ptr<Event> before_, after_;
};

TileGrid grid_of_cells(const PictureFormat &format) {
    const int width = int(format.width), height = int(format.height);
    std::vector<PictureArea> areas;
    for (const int x : cell_edges(width, 64)) areas.push_back({x, 0, width, height});
    for (const int y : cell_edges(height, 64)) areas.push_back({0, y, width, height});
    return {width, height, areas};
}

void time_kernels(Device &device, const PictureFormat &format, unsigned frames) {
    std::printf("\n%ux%u %u bit, %u frame%s per launch%s\n", format.width, format.height, format.bits, frames,
                frames > 1 ? "s" : "", with_cells ? ", with cells" : "");
    const std::vector<PicturePair> pairs(frames + 2, texture_pair(format, 7)); // two as history
    const Device::Scope scope(device);
    for (const std::string &metric : features()) {
        if (!takes(metric, format)) continue;
        const MetricInfo &info = *find_metric(metric);
        const auto instance = info.create(OptionValues(info.name, info.options, {}));
        if (with_cells && !has_cells(metric)) continue;
        instance->prepare(format);
        const auto scorer = with_cells ? instance->make_tiling_device_scorer(device, grid_of_cells(format))
                                       : instance->make_device_scorer(device);
        const DeviceRun run(*scorer, pairs, device);
        const DeviceBatch batch = run.batch(2, frames + 2);
        Queue *const queue = &run.queue();
        float total = 0;
        TimedQueue timed(device, *queue);
        if (device.info().backend == "host") timed.repeats = 1;
        for (int i = 0; i < (device.info().backend == "host" ? 1 : 9); i++) {
            timed.launches = 0;
            scorer->enqueue(timed, batch);
        }
        // Groups the launches of each kernel, in order of first launch.
        std::set<std::string> told;
        for (const TimedQueue::Time &first : timed.times) {
            if (!told.insert(first.kernel).second) continue;
            float sum = 0;
            unsigned launches = 0;
            for (TimedQueue::Time &time : timed.times)
                if (time.kernel == first.kernel) {
                    sum += time.median();
                    launches++;
                }
            total += sum;
            std::printf("  %-28s %8.2f us  %7.2f per frame  grid %u x %u x %u", first.kernel.c_str(), sum,
                        sum / static_cast<float>(frames), first.grid.x, first.grid.y, first.grid.frames);
            if (launches > 1) std::printf(" and %u more launches", launches - 1);
            std::printf("\n");
        }
        queue->finish();
        std::printf("  %-28s %8.2f us  %7.2f per frame\n", ("all of " + metric).c_str(), total,
                    total / static_cast<float>(frames));
        std::fflush(stdout);
    }
}

// One batch per feature, for profilers, which repeat every launch themselves.
void run_once(Device &device, const PictureFormat &format, unsigned frames) {
    const std::vector<PicturePair> pairs(frames + 2, texture_pair(format, 7));
    const Device::Scope scope(device);
    for (const std::string &metric : features()) {
        const MetricInfo &info = *find_metric(metric);
        const auto instance = info.create(OptionValues(info.name, info.options, {}));
        instance->prepare(format);
        const auto scorer = instance->make_device_scorer(device);
        const DeviceRun run(*scorer, pairs, device);
        scorer->enqueue(run.queue(), run.batch(2, frames + 2));
        run.queue().finish();
    }
}

enum class Source { pinned, device, pageable };

const char *to_text(Source source) {
    return source == Source::pinned ? "pinned" : source == Source::device ? "on the device" : "pageable";
}

// Two contents and their CPU scores, kept for the next run with the same format.
struct Content {
    std::array<PicturePair, 2> pairs;
    std::unique_ptr<Session> cpu;
};
const Content &content_for(const PictureFormat &format);

// Alternating pictures of two contents, each written once.
class Pictures {
  public:
    Pictures(const std::shared_ptr<Device> &device, const PictureFormat &format, Source source, unsigned count)
        : device_(device), content_(content_for(format).pairs) {
        for (int i = 0; i < 4; i++)
            pools_.push_back(
                source == Source::pageable
                    ? std::make_unique<PicturePool>(format, count)
                    : std::make_unique<PicturePool>(
                          format, count,
                          device_memory(device, source == Source::device ? Memory::device : Memory::pinned_host)));
    }

    PicturePair next(unsigned index) {
        const unsigned turn = index % 2;
        PicturePair pair{pools_[2 * turn]->fetch(), pools_[2 * turn + 1]->fetch()};
        fill(pair.ref, content_[turn].ref);
        fill(pair.dist, content_[turn].dist);
        return pair;
    }

  private:
    void fill(const Picture &to, const Picture &from) {
        if (!filled_.insert(to.data(0)).second) return;
        for (unsigned p = 0; p < from.format().planes(); p++) {
            const std::size_t bytes = static_cast<std::size_t>(from.stride_bytes(p)) * from.format().plane_height(p);
            if (to.memory() != Memory::device) {
                std::memcpy(to.data(p), from.data(p), bytes);
                continue;
            }
            const auto queue = device_->make_queue();
            const auto staging = device_->allocate_pinned(bytes);
            std::memcpy(staging->data(), from.data(p), bytes);
            const Device::Scope scope(*device_);
            queue->upload(to.data(p), 0, staging->data(), 0, {bytes, 1});
            queue->finish();
        }
    }

    std::shared_ptr<Device> device_;
    const std::array<PicturePair, 2> &content_;
    std::vector<std::unique_ptr<PicturePool>> pools_; // by content and role
    std::set<const std::byte *> filled_;
};

// Queries a score of the frame; a feature may store some only later.
void wait_for_frame(Session &session, unsigned index) {
    for (const std::string &name : session.scores().names()) try {
            session.feature_score_at(name, index);
            return;
        } catch (const Error &) {
        }
}

void register_features(Session &session) {
    for (const std::string &metric : session_features()) session.use_feature(metric, {});
}

const Content &content_for(const PictureFormat &format) {
    static PictureFormat known;
    static Content content;
    if (format == known) return content;
    known = format;
    content.pairs = {texture_pair(format, 7), texture_pair(format, 8)};
    content.cpu = std::make_unique<Session>(SessionConfig{.threads = 4});
    register_features(*content.cpu);
    for (unsigned i = 0; i < 5; i++) content.cpu->read(content.pairs[i % 2].ref, content.pairs[i % 2].dist, i);
    content.cpu->flush();
    return content;
}

// Every frame must have the scores of the frame with the same content.
bool same_as_cpu(const Session &session, const Session &cpu, unsigned frames) {
    for (const std::string &name : cpu.scores().names())
        for (unsigned i = 0; i < frames; i++) {
            const unsigned twin = i < 2 ? i : i + 1 == frames ? 4 : 2 + i % 2; // the last frame has an even number
            const auto wanted = cpu.scores().find(name, twin), got = session.scores().find(name, i);
            if (!wanted || !got || std::bit_cast<std::uint64_t>(*wanted) != std::bit_cast<std::uint64_t>(*got)) {
                std::printf("    %s of frame %u: %.17g, on the CPU %.17g\n", name.c_str(), i, got.value_or(-1),
                            wanted.value_or(-1));
                return false;
            }
        }
    return true;
}

bool time_frames(const std::shared_ptr<Device> &device, const PictureFormat &format, Source source, unsigned frames,
                 unsigned batches_at_once, unsigned batch, unsigned threads) {
    frames |= 1;
    const unsigned warm = std::min(frames / 4, 200u);
    Pictures pictures(device, format, source, format.width > 2000 ? 16 : 48);
    Session session({.threads = threads});
    session.use_device({.device = device, .is_explicit = true, .batches_at_once = batches_at_once, .batch = batch});
    register_features(session);
    const auto read = [&](unsigned i) {
        PicturePair pair = pictures.next(i);
        session.read(std::move(pair.ref), std::move(pair.dist), i);
    };
    for (unsigned i = 0; i < warm; i++) read(i);
    wait_for_frame(session, warm - 1);
    const double start = seconds_now();
    for (unsigned i = warm; i < frames; i++) read(i);
    const double queued = seconds_now();
    session.flush();
    const double end = seconds_now();
    const bool same = same_as_cpu(session, *content_for(format).cpu, frames);
    const double per_frame = (end - start) / (frames - warm) * 1e6;
    std::printf(
        "  %4ux%-4u %2u bit  %-13s at once %2u batch %2u threads %2u  %9.0f frames/s  %8.2f us  (last %.1f ms)  %s\n",
        format.width, format.height, format.bits, to_text(source), batches_at_once, batch, threads, 1e6 / per_frame,
        per_frame, (end - queued) * 1e3, same ? "exact" : "WRONG");
    std::fflush(stdout);
    return same;
}

int frames(const std::shared_ptr<Device> &device, bool sweep) {
    const bool host = device->info().backend == "host";
    bool good = true;
    struct Case {
        unsigned width, height, bits, frames;
    };
    const std::vector<Case> cases =
        host ? std::vector<Case>{{64, 48, 8, 60}, {96, 64, 10, 40}}
             : std::vector<Case>{{576, 324, 8, 20000},  {576, 324, 10, 12000},  {1280, 720, 8, 8000},
                                 {1920, 1080, 8, 6000}, {1920, 1080, 10, 4000}, {3840, 2160, 8, 1500},
                                 {3840, 2160, 10, 800}};
    for (const Case &c : cases) {
        const PictureFormat format = luma_and_chroma(c.width, c.height, c.bits);
        for (const Source source : {Source::pinned, Source::device, Source::pageable})
            good &= time_frames(device, format, source, source == Source::pageable ? c.frames / 4 : c.frames, 0, 0,
                                source == Source::pageable ? 8 : 0);
        if (!sweep || c.bits != 8 || c.width == 1280) continue;
        for (const unsigned batches_at_once : {2u, 3u, 4u, 6u})
            for (const unsigned batch :
                 c.width < 1000 ? std::vector<unsigned>{4, 8, 16} : std::vector<unsigned>{1, 2, 4, 8})
                for (const Source source : {Source::pinned, Source::device})
                    good &= time_frames(device, format, source, c.frames / 2, batches_at_once, batch, 0);
    }
    return good ? 0 : 1;
}

// Times each step before the first frame.
int startup(const std::string &device_name) {
    double last = seconds_now();
    const auto step = [&](const char *what) {
        const double now = seconds_now();
        std::printf("  %-44s %7.2f ms\n", what, (now - last) * 1e3);
        last = seconds_now();
    };
    for (int round = 0; round < 2; round++) {
        std::printf("startup, round %d\n", round + 1);
        last = seconds_now();
        std::shared_ptr<Device> device = open_device(device_name);
        step("driver and context");
        const PictureFormat format = luma_and_chroma(1920, 1080, 8);
        auto session = std::make_unique<Session>(SessionConfig{});
        session->use_device({.device = device, .is_explicit = true});
        register_features(*session);
        step("session");
        session->prepare(format);
        step("kernels and memory");
        PicturePool pool(format, 4, device_memory(device, Memory::pinned_host));
        step("four pictures in pinned memory");
        for (unsigned i = 0; i < 2; i++) {
            session->read(pool.fetch(), pool.fetch(), i);
            wait_for_frame(*session, i);
            step(i == 0 ? "first frame" : "second frame");
        }
        session->flush();
        session.reset();
        step("end of the session");
        device.reset();
        step("end of kernels and context (pictures are left)");
    }
    return 0;
}

int run(const std::vector<std::string> &words) {
    if (words.empty())
        throw invalid("usage: device_bench check|kernels|once|frames|startup|names [cuda|sycl|hip|metal|host32|host64] "
                      "[large|brief|sweep] [cells] "
                      "[FEATURE...]");
    std::string device_name =
        test_device_names().size() > 2 ? test_device_names()[2] : "host32"; // the first GPU backend
    std::string extra;
    for (std::size_t i = 1; i < words.size(); i++) {
        if (words[i] == "large" || words[i] == "brief" || words[i] == "sweep")
            extra = words[i];
        else if (words[i] == "cells")
            with_cells = true;
        else if (find_metric(words[i]))
            named_features.push_back(words[i]);
        else
            device_name = words[i];
    }
    if (words[0] == "names") {
        for (const std::string &name : metrics_on_devices()) std::printf("%s\n", name.c_str());
        return 0;
    }
    if (words[0] == "startup") return startup(device_name);
    const std::shared_ptr<Device> device = open_device(device_name);
    std::printf("%s, %s, driver %s, %u multiprocessors\n", device->info().name.c_str(), device->info().arch.c_str(),
                device->info().driver.c_str(), device->info().multiprocessors);
    if (words[0] == "check") return check(*device, extra);
    if (words[0] == "frames") return frames(device, extra == "sweep");
    if (words[0] == "once") {
        run_once(*device, luma_and_chroma(1920, 1080, 8), 4);
        return 0;
    }
    if (words[0] != "kernels") throw invalid("unknown step '" + words[0] + "'");
    if (device->info().backend == "host") {
        time_kernels(*device, luma_and_chroma(96, 64, 8), 2);
        return 0;
    }
    if (extra == "brief") {
        time_kernels(*device, luma_and_chroma(1920, 1080, 8), 4);
        return 0;
    }
    time_kernels(*device, luma_and_chroma(576, 324, 8), 1);
    time_kernels(*device, luma_and_chroma(576, 324, 8), 10);
    for (const unsigned bits : {8u, 10u, 16u}) time_kernels(*device, luma_and_chroma(1920, 1080, bits), 1);
    time_kernels(*device, luma_and_chroma(1920, 1080, 8), 4);
    for (const unsigned bits : {8u, 10u}) time_kernels(*device, luma_and_chroma(3840, 2160, bits), 1);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    set_log_level(LogLevel::warning);
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &e) {
        std::fprintf(stderr, "device_bench: %s\n", e.what());
        return 2;
    }
}
