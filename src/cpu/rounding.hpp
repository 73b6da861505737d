// Sets the floating-point rounding mode for the life of an object. Vector code that needs another mode sets it
// in a small function and computes in another one that is never inlined, because compilers assume the default
// mode.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace vmaf {

enum class Rounding { to_nearest, toward_zero };

class RoundingMode {
  public:
    explicit RoundingMode(Rounding mode) : before_(read()) {
        write((before_ & ~kMask) | (mode == Rounding::toward_zero ? kMask : 0));
    }
    ~RoundingMode() { write(before_); }
    RoundingMode(const RoundingMode &) = delete;
    RoundingMode &operator=(const RoundingMode &) = delete;

  private:
#if defined(__x86_64__)
    using Register = unsigned;
    static constexpr Register kMask = 0x6000;
    static Register read() { return _mm_getcsr(); }
    static void write(Register value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
    using Register = std::uint64_t;
    static constexpr Register kMask = 3u << 22;
    static Register read() {
        Register value;
        __asm__ volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
        return value;
    }
    static void write(Register value) { __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#else
    using Register = unsigned; // no vector code, or only one mode (WebAssembly)
    static constexpr Register kMask = 0;
    static Register read() { return 0; }
    static void write(Register) {}
#endif
    const Register before_;
};

} // namespace vmaf
