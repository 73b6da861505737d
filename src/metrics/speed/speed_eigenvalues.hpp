// Eigenvalues of a symmetric tridiagonal matrix (speed.md 6.2).
#pragma once

#include "metrics/speed/speed_steps.hpp"

namespace vmaf::speed {

// In the order in which the iteration leaves them, not sorted. `t` is what Steps::tridiagonalise made.
Vector eigenvalues(const Matrix &t);
void warn_unconverged(); // where an iteration was given up

} // namespace vmaf::speed
