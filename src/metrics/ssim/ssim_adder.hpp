// The sums of `float_ssim` and `float_ms_ssim` over all positions, in raster order.
#pragma once

#include <algorithm>
#include <span>

namespace vmaf {

// The terms of a row of positions; `ssim` and `luminance` are null if not needed.
struct SsimTermRow {
    double *ssim, *luminance, *contrast;
    float *structure;
};

struct SsimSums {
    double ssim = 0, luminance = 0, contrast = 0, structure = 0;
};

// Each sum is a long chain of additions, limited by latency. So terms are added a few at a time, between other work on
// later rows.
class SsimAdder {
  public:
    // Finish the previous rows first. These must stay valid until they are finished.
    void start(std::span<const SsimTermRow> rows, int columns) {
        rows_ = rows;
        columns_ = columns;
        x_ = 0;
    }

    [[gnu::always_inline]] void advance(int terms) {
        while (terms > 0 && !rows_.empty()) {
            const int count = std::min(terms, columns_ - x_);
            add(rows_.front(), x_, x_ + count);
            terms -= count;
            x_ += count;
            if (x_ < columns_) continue;
            x_ = 0;
            rows_ = rows_.subspan(1);
        }
    }

    void finish() {
        while (!rows_.empty()) advance(columns_);
    }

    const SsimSums &sums() const { return sums_; }

  private:
    [[gnu::always_inline]] void add(const SsimTermRow &row, int first, int last) {
        SsimSums s = sums_;
        if (!row.luminance) {
            for (int x = first; x < last; x++) {
                s.contrast += row.contrast[x];
                s.structure += double(row.structure[x]);
            }
        } else {
            for (int x = first; x < last; x++) {
                s.contrast += row.contrast[x];
                s.structure += double(row.structure[x]);
                s.luminance += row.luminance[x];
                if (row.ssim) s.ssim += row.ssim[x];
            }
        }
        sums_ = s;
    }

    std::span<const SsimTermRow> rows_;
    int columns_ = 0, x_ = 0;
    SsimSums sums_;
};

} // namespace vmaf
