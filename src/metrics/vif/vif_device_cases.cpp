// Cases for the device code of vif, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Sizes = std::vector<std::pair<unsigned, unsigned>>;

const MetricDeviceCases vif_cases("vif", [](DeviceCaseList &list) {
    for (const auto &[w, h] : Sizes{{16, 16}, {17, 31}, {239, 16}, {240, 33}, {241, 17}, {519, 35}, {250, 49}})
        for (const unsigned bits : {8u, 10u}) list.add(w, h, bits);
    // Thin pictures: levels shorter than their filter, or with one row or column.
    for (const auto &[w, h] : Sizes{{8, 8}, {8, 70}, {15, 9}, {70, 8}, {100, 15}, {13, 40}})
        for (const unsigned bits : {8u, 12u}) list.add(w, h, bits);
    for (const char *limit : {"1", "1.05", "1.2", "3", "50"})
        for (const unsigned bits : {8u, 12u}) list.add(131, 75, bits, {{"vif_enhn_gain_limit", limit}});
    for (const unsigned bits : {8u, 10u, 16u}) {
        list.add_tiles(250, 49, bits, 16);
        list.add_tiles(131, 75, bits, 32, {{"vif_enhn_gain_limit", "1"}});
    }
    for (const auto &[w, h] : Sizes{{32, 33}, {352, 120}, {33, 170}}) list.add_tiles(w, h, 8, 48);
    // Two limits in one pass, for three members; and members with one limit.
    for (const unsigned bits : {8u, 10u, 16u})
        for (const char *limit : {"1", "1.2", "50"})
            list.add_family(250, 49, bits, {{}, {{"vif_enhn_gain_limit", limit}}, {{"debug", "true"}}});
    list.add_family(131, 75, 8, {{{"vif_enhn_gain_limit", "1.05"}}, {{"vif_enhn_gain_limit", "1"}}});
    list.add_family(8, 70, 8, {{}, {{"debug", "true"}}});
});

} // namespace
} // namespace vmaf
