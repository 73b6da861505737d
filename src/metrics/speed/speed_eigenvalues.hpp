// Eigenvalues of a symmetric tridiagonal matrix (speed.md 6.2).
#pragma once

#include "metrics/speed/speed_steps.hpp"

namespace vmaf::speed {

// In the order of the iteration, not sorted. `t` comes from Steps::tridiagonalise.
Vector eigenvalues(const Matrix &t);
void warn_unconverged(); // when an iteration is abandoned

} // namespace vmaf::speed
