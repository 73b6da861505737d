// Wavelets of a reference picture, kept for several encodes of it.
#include "base/aligned.hpp"
#include "metrics/adm/sweep.hpp"

namespace vmaf::adm {

template <class T>
Wavelets::Details<T>::Details(const Window &window) : pitch(round_up(window.width + 2 * kRowMargin, kRowMargin)) {
    for (auto &band : bands) band = memory<T>(std::size_t(pitch) * std::size_t(window.height));
}

template <class T> Bands<T> Wavelets::Details<T>::row(int y) {
    const std::ptrdiff_t at = y * pitch + kRowMargin;
    return {bands[0].data() + at, bands[1].data() + at, bands[2].data() + at};
}

Wavelets::Wavelets(const Plan &plan) : first_(plan.scale[0].window) {
    for (std::size_t s = 1; s < kScales; s++) later_[s] = Details<std::int32_t>(plan.scale[s].window);
}

Bands<std::int16_t> Wavelets::first_row(int row) { return first_.row(row); }
Bands<std::int32_t> Wavelets::later_row(std::size_t scale, int row) { return later_[scale].row(row); }

} // namespace vmaf::adm
