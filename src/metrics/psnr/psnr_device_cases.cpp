// Cases for the device code of psnr and float_psnr, in addition to the common ones.
#include "support/device_cases.hpp"

namespace vmaf {
namespace {

using Sizes = std::vector<std::pair<unsigned, unsigned>>;

const MetricDeviceCases psnr_cases("psnr", [](DeviceCaseList &list) {
    for (const auto &[w, h] : Sizes{{1, 1}, {7, 16}, {8, 17}, {9, 15}, {1023, 3}, {1025, 33}})
        for (const unsigned bits : {8u, 16u}) list.add(w, h, bits);
    list.add(87, 65, 16, {}, PixelFormat::yuv444p);
    list.add(86, 64, 8, {{"enable_chroma", "false"}}, PixelFormat::yuv420p);
    list.add(86, 64, 8, {{"min_sse", "0.5"}, {"enable_mse", "true"}}, PixelFormat::yuv420p);
    list.add(2050, 2, 8, {}, PixelFormat::yuv422p);
    for (const unsigned bits : {8u, 16u}) {
        for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::yuv422p, PixelFormat::yuv444p})
            list.add_tiles(131, 67, bits, 16, {}, format);
        list.add_tiles(1063, 50, bits, 48);
    }
    list.add_tiles(86, 64, 8, 32, {{"min_sse", "0.5"}, {"enable_chroma", "false"}}, PixelFormat::yuv420p);
});

const MetricDeviceCases float_psnr_cases("float_psnr", [](DeviceCaseList &list) {
    for (const auto &[w, h] : Sizes{{1, 1}, {7, 16}, {513, 17}})
        for (const unsigned bits : {8u, 12u, 16u}) list.add(w, h, bits);
    list.add(2304, 2048, 16); // black and white: the sum exceeds 2^53
});

} // namespace
} // namespace vmaf
