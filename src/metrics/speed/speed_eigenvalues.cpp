#include "metrics/speed/speed_eigenvalues.hpp"

#include <bit>
#include <cmath>

#include "metrics/speed/speed_qr.hpp"
#include "system/log.hpp"

namespace vmaf::speed {

namespace {

struct CpuArithmetic {
    using f64 = double;
    static float divide(float a, float b) { return a / b; }
    static double divide(double a, double b) { return a / b; }
    static float square_root(float v) { return std::sqrt(v); }
    static double square_root(double v) { return std::sqrt(v); }
    static double f64_from(kernels::u64 bits) { return std::bit_cast<double>(bits); }
};

} // namespace

void warn_unconverged() { log(LogLevel::warning, "speed: eigenvalues did not converge"); }

Vector eigenvalues(const Matrix &t) {
    static_assert(kernels::kSpeedSize == kSize);
    Vector diagonal, below;
    for (int j = 0; j < kSize; j++) diagonal[j] = t[j][j];
    for (int j = 0; j + 1 < kSize; j++) below[j] = t[j + 1][j];
    if (!kernels::SpeedQr<CpuArithmetic, float *>::run(diagonal.data(), below.data())) warn_unconverged();
    return diagonal;
}

} // namespace vmaf::speed
