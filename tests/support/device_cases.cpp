#include "support/device_cases.hpp"

#include <map>

#include "base/error.hpp"
#include "metrics/registry.hpp"

namespace vmaf {

namespace {

using Maker = void (*)(DeviceCaseList &);

std::map<std::string, Maker, std::less<>> &makers() {
    static std::map<std::string, Maker, std::less<>> map;
    return map;
}

bool is_possible(const DeviceCase &c) {
    const MetricInfo &info = *find_metric(c.metric);
    try {
        info.create(OptionValues(info.name, info.options, c.options))->prepare(c.format);
        return true;
    } catch (const Error &) {
        return false;
    }
}

void add_common_cases(DeviceCaseList &list) {
    for (unsigned bits = 8; bits <= 16; bits++)
        if (bits != 8 && bits != 10) list.add(87, 65, bits, {}, PixelFormat::yuv420p);
    for (const PixelFormat format :
         {PixelFormat::yuv400p, PixelFormat::yuv420p, PixelFormat::yuv422p, PixelFormat::yuv444p})
        for (const unsigned bits : {8u, 10u}) {
            list.add(87, 65, bits, {}, format);
            list.add(64, 48, bits, {}, format);
        }
}

} // namespace

std::string DeviceCase::name() const {
    std::string text = metric + " " + std::to_string(format.width) + "x" + std::to_string(format.height) + " " +
                       to_string(format.pixel_format) + " " + std::to_string(format.bits) + " bit";
    for (const auto &[option, value] : options) text += " " + option + "=" + value;
    for (const OptionTexts &other : others) {
        text += " and";
        for (const auto &[option, value] : other) text += " " + option + "=" + value;
    }
    if (cell) text += " cells of " + std::to_string(cell);
    return text;
}

void DeviceCaseList::add(unsigned width, unsigned height, unsigned bits, const OptionTexts &options,
                         PixelFormat format) {
    cases_.push_back({metric_, options, {format, bits, width, height}});
}

void DeviceCaseList::add_tiles(unsigned width, unsigned height, unsigned bits, int cell, const OptionTexts &options,
                               PixelFormat format) {
    cases_.push_back({metric_, options, {format, bits, width, height}, cell});
}

void DeviceCaseList::add_family(unsigned width, unsigned height, unsigned bits, const std::vector<OptionTexts> &members,
                                PixelFormat format) {
    cases_.push_back({metric_, members[0], {format, bits, width, height}});
    cases_.back().others.assign(members.begin() + 1, members.end());
}

std::vector<DeviceCase> DeviceCaseList::take() {
    for (DeviceCase &c : cases_) c.tolerance = tolerance_;
    return std::move(cases_);
}

MetricDeviceCases::MetricDeviceCases(const char *metric, void (*make)(DeviceCaseList &list)) {
    makers().emplace(metric, make);
}

std::vector<DeviceCase> device_cases(std::string_view metric) {
    DeviceCaseList list(metric);
    add_common_cases(list);
    const auto found = makers().find(metric);
    if (found != makers().end()) found->second(list);
    std::vector<DeviceCase> cases = list.take();
    std::erase_if(cases, [](const DeviceCase &c) { return !is_possible(c); });
    return cases;
}

std::vector<std::string> metrics_on_devices() {
    std::vector<std::string> names;
    for (const MetricInfo *metric : all_metrics())
        if (metric->on_devices) names.emplace_back(metric->name);
    return names;
}

} // namespace vmaf
