// What libc++ before 14 lacks of C++20; the build includes it first where needed.
#pragma once

#ifdef __cplusplus
namespace std {
template <class To, class From> constexpr To bit_cast(const From &from) noexcept {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}
} // namespace std
#endif
