// Copies of Metal's queues, on a device that runs its kernels here.
#include "device/metal/copy_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "metrics/device_scorer.hpp"
#include "support/devices.hpp"

namespace vmaf {
namespace {

// Rows of device memory that shares the host's addresses.
void copy_rows(Device &device, const char *kernel, unsigned char *to, const unsigned char *from, std::size_t to_pitch,
               std::size_t from_pitch, CopyShape shape) {
    const LoadedKernel loaded = device.load({"copies", kernel});
    const auto queue = device.make_queue();
    const Device::Scope scope(device);
    const auto tile = static_cast<std::size_t>(loaded.shape.tile_width);
    const Grid grid{static_cast<unsigned>((shape.row_bytes + tile - 1) / tile), static_cast<unsigned>(shape.rows), 1};
    launch(*queue, loaded, grid, kernels::CopyArgs{to, from, to_pitch, from_pitch, shape.row_bytes});
    queue->finish();
}

TEST(MetalCopies, RowsOfAnyLengthArriveAndNothingElseIsTouched) {
    if (!std::ranges::count(host_run_device_names(), "msl")) GTEST_SKIP() << "kernels for Metal are not run here";
    const auto device = open_test_device("msl");
    std::mt19937 random(5);
    for (const std::size_t unit : {std::size_t{1}, std::size_t{4}}) {
        const std::size_t tile = 4096 * unit;
        for (const std::size_t row : {unit, 7 * unit, 175 * unit, tile - unit, tile, tile + unit, 3 * tile + 5 * unit})
            for (const bool is_clear : {false, true}) {
                const std::size_t rows = 3, to_pitch = row + 2 * unit, from_pitch = row + 5 * unit;
                std::vector<unsigned char> from(rows * from_pitch), to(rows * to_pitch + unit, 7), expected;
                for (unsigned char &v : from) v = static_cast<unsigned char>(random());
                expected = to;
                for (std::size_t y = 0; y < rows; y++)
                    for (std::size_t x = 0; x < row; x++)
                        expected[unit + y * to_pitch + x] =
                            is_clear ? static_cast<unsigned char>(0) : from[y * from_pitch + x];
                copy_rows(*device, unit == 1 ? "copy_bytes" : "copy_words", to.data() + unit,
                          is_clear ? nullptr : from.data(), to_pitch, from_pitch, {row, rows});
                ASSERT_EQ(to, expected) << row << (is_clear ? " cleared" : "");
            }
    }
}

} // namespace
} // namespace vmaf
