// Cases for the device code of cambi, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

const MetricDeviceCases cambi_cases("cambi", [](DeviceCaseList &list) {
    for (unsigned bits = 8; bits <= 16; bits++) list.add(217, 67, bits);
    list.add(321, 65, 8);
    list.add(64, 216, 10);
    // Coarse scales smaller than the window.
    list.add(700, 17, 8, {{"window_size", "127"}});
    list.add(16, 600, 10, {{"window_size", "127"}});
    for (const OptionTexts &options :
         std::vector<OptionTexts>{{{"window_size", "127"}},
                                  {{"window_size", "15"}},
                                  {{"max_log_contrast", "0"}, {"enc_bitdepth", "8"}},
                                  {{"max_log_contrast", "3"}, {"topk", "1"}},
                                  {{"max_log_contrast", "4"}, {"topk", "0.01"}},
                                  {{"max_log_contrast", "5"}, {"tvi_threshold", "0.002"}},
                                  {{"cambi_vis_lum_threshold", "5"}, {"eotf", "pq"}},
                                  {{"cambi_vis_lum_threshold", "300"}},
                                  {{"enc_width", "221"}, {"enc_height", "151"}},
                                  {{"full_ref", "true"}},
                                  {{"full_ref", "true"}, {"src_width", "400"}, {"src_height", "200"}}})
        list.add(240, 162, 10, options);
    for (const unsigned bits : {8u, 10u}) list.add_tiles(217, 67, bits, 16);
    list.add_tiles(240, 162, 10, 48, {{"full_ref", "true"}, {"enc_width", "221"}, {"enc_height", "151"}});
    list.add_tiles(240, 162, 8, 32);
});

} // namespace
} // namespace vmaf
