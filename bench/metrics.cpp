#include <memory>

#include "base/error.hpp"
#include "bench.hpp"
#include "counter.hpp"
#include "metrics/registry.hpp"
#include "session/worker_pool.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::bench {

namespace {

constexpr unsigned kFrames = 4;

struct Clips {
    std::vector<Picture> ref, dist;
};

Clips make_clips(const PictureFormat &format) {
    clipgen::Options options;
    options.width = int(format.width);
    options.height = int(format.height);
    options.depth = int(format.bits);
    options.format = format.pixel_format == PixelFormat::yuv444p   ? "444"
                     : format.pixel_format == PixelFormat::yuv422p ? "422"
                     : format.pixel_format == PixelFormat::yuv400p ? "400"
                                                                   : "420";
    Clips clips;
    for (unsigned i = 0; i < kFrames; i++) clips.ref.push_back(clip_frame(options, i));
    options.distort = "dct:40";
    for (unsigned i = 0; i < kFrames; i++) clips.dist.push_back(clip_frame(options, i));
    return clips;
}

// Measures frames in a cycle; the first two only serve as history.
class Run {
  public:
    Run(const MetricInfo &info, const Clips &clips, Isa isa, std::shared_ptr<Parallel> parallel)
        : clips_(clips), parallel_(std::move(parallel)) {
        metric_ = info.create(OptionValues(info.name, info.options, {}));
        metric_->prepare(clips.ref[0].format());
        scorer_ = metric_->make_scorer(isa);
    }

    void next_frame() {
        at_ = at_ + 1 < kFrames ? at_ + 1 : 2;
        scorer_->measure(frame_input(*metric_, clips_.ref, clips_.dist, at_, *parallel_), result_);
    }

  private:
    const Clips &clips_;
    std::unique_ptr<Metric> metric_;
    std::unique_ptr<FrameScorer> scorer_;
    std::shared_ptr<Parallel> parallel_;
    FrameResult result_;
    unsigned at_ = 1;
};

struct Group {
    std::string name;
    std::vector<const MetricInfo *> metrics;
};

std::vector<Group> wanted_groups(const Settings &settings) {
    std::vector<Group> groups;
    const MetricInfo *const vif = find_metric("vif"), *const adm = find_metric("adm"),
                            *const motion = find_metric("motion");
    if (vif && adm && motion) groups.push_back({"vmaf", {vif, adm, motion}});
    for (const MetricInfo *info : all_metrics())
        if (info->name != "null") groups.push_back({std::string(info->name), {info}});
    std::erase_if(groups, [&](const Group &group) { return !settings.wants(group.name); });
    return groups;
}

// Empty if the metric does not support the size, format or depth.
std::vector<Contender> contenders(const Group &group, const Clips &clips, const Settings &settings) {
    std::vector<Contender> list;
    for (const Isa isa : settings.isas)
        for (const unsigned lanes : settings.lanes) {
            // The caller is one of the working threads.
            std::shared_ptr<Parallel> parallel = std::make_shared<Parallel>();
            if (lanes > 1) parallel = std::make_shared<WorkerPool>(lanes - 1);
            auto runs = std::make_shared<std::vector<std::unique_ptr<Run>>>();
            try {
                for (const MetricInfo *info : group.metrics)
                    runs->push_back(std::make_unique<Run>(*info, clips, isa, parallel));
            } catch (const Error &) {
                return {};
            }
            const auto work = [runs] {
                for (const auto &run : *runs) run->next_frame();
            };
            list.push_back({isa, work, lanes});
        }
    return list;
}

} // namespace

void time_metrics(const Settings &settings, const Report &report) {
    const std::vector<Group> groups = wanted_groups(settings);
    if (groups.empty()) return;
    const Clips clips = make_clips(settings.format);
    for (const Group &group : groups)
        if (const auto list = contenders(group, clips, settings); !list.empty())
            time_all(group.name, settings, list, report);
}

void count_metrics(const Settings &settings) {
    const Clips clips = make_clips(settings.format);
    for (const Group &group : wanted_groups(settings))
        for (const Contender &contender : contenders(group, clips, settings)) {
            contender.work(); // builds lazy tables
            count_work(contender.work, group.name + " " + std::string(to_string(contender.isa)));
        }
}

} // namespace vmaf::bench
