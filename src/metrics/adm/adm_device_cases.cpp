// Cases for the device code of adm, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Sizes = std::vector<std::pair<unsigned, unsigned>>;

const MetricDeviceCases adm_cases("adm", [](DeviceCaseList &list) {
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
        for (const unsigned bits : {8u, 10u}) list.add(w, h, bits);
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
        for (const unsigned bits : {8u, 16u}) list.add(131, 77, bits, options);
    for (const unsigned bits : {8u, 10u, 16u}) {
        list.add_tiles(250, 49, bits, 16);
        list.add_tiles(131, 75, bits, 32, {{"adm_enhn_gain_limit", "1"}});
        list.add_tiles(131, 75, bits, 16, {{"adm_enhn_gain_limit", "1.1"}, {"adm_skip_aim", "true"}});
    }
    for (const auto &[w, h] : Sizes{{32, 33}, {352, 120}, {33, 170}}) list.add_tiles(w, h, 8, 48);
    list.add_tiles(32, 4200, 8, 64);
    for (const unsigned bits : {8u, 10u, 16u})
        for (const auto &[w, h] : Sizes{{17, 17}, {250, 49}, {451, 131}})
            list.add_family(
                w, h, bits,
                {{}, {{"adm_enhn_gain_limit", "1"}}, {{"adm_skip_aim", "true"}}, {{"adm_dlm_weight", "0.3"}}});
    list.add_family(131, 75, 8,
                    {{{"adm_enhn_gain_limit", "1"}}, {{"adm_enhn_gain_limit", "33"}, {"adm_skip_aim", "true"}}});
    list.add_family(131, 75, 8,
                    {{{"adm_enhn_gain_limit", "1.2"}}, {{"adm_enhn_gain_limit", "1.2"}, {"adm_skip_aim", "true"}}});
    list.add(20, 4200, 8); // more than 2048 band rows: the low parts of two sums do not share a word
});

} // namespace
} // namespace vmaf
