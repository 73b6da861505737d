#include <array>

#include "device/plain_arithmetic.hpp"
#include "metrics/psnr_hvs/hvs_formula.hpp"
#include "metrics/psnr_hvs/psnr_hvs.hpp"

namespace vmaf::psnr_hvs {

namespace {

using namespace kernels;

using Block = std::array<std::int32_t, 64>; // [8 * row + column]

template <class T> Block block_at(const T *samples, std::ptrdiff_t stride) {
    Block block;
    for (std::size_t i = 0; i < 8; i++, samples += stride)
        for (std::size_t j = 0; j < 8; j++) block[8 * i + j] = samples[j];
    return block;
}

// Transforms the block; returns the error that its masking permits.
float transformed_threshold(Block &block, const ContrastTables &tables) {
    const float ratio = hvs_variance_ratio<PlainArithmetic>(block.data());
    hvs_transform(block.data());
    return hvs_masking_threshold<PlainArithmetic>(block.data(), tables.mask.data(), ratio);
}

// 9.1 step 4
std::size_t block_errors(const Block &s, const Block &d, const ContrastTables &tables, float threshold, float *terms) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < 64; i++) {
        terms[count] = hvs_error<PlainArithmetic>(s[i], d[i], tables.csf[i], tables.mask[i], threshold, i == 0);
        count += terms[count] != 0.0f;
    }
    return count;
}

template <class T> std::size_t row_errors(const BlockRow<T> &row, float *terms) {
    const ContrastTables &tables = *row.tables;
    std::size_t count = 0;
    for (int b = 0; b < row.blocks; b++) {
        Block s = block_at(row.ref + b * kBlockStep, row.ref_stride);
        Block d = block_at(row.dist + b * kBlockStep, row.dist_stride);
        const float threshold_s = transformed_threshold(s, tables), threshold_d = transformed_threshold(d, tables);
        count += block_errors(s, d, tables, threshold_d > threshold_s ? threshold_d : threshold_s, terms + count);
    }
    return count;
}

} // namespace

const Functions scalar_functions = {row_errors<std::uint8_t>, row_errors<std::uint16_t>};

} // namespace vmaf::psnr_hvs
