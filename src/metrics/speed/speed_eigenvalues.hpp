// Eigenvalues of a symmetric tridiagonal matrix (speed.md 6.2).
#pragma once

#include "metrics/speed/speed_kernels.hpp"

namespace vmaf::speed {

// In the order in which the iteration leaves them, not sorted. `t` is what Kernels::tridiagonalise made.
Vector eigenvalues(const Matrix &t);

} // namespace vmaf::speed
