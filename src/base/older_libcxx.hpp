// What libc++ before 14 lacks of C++20; included before everything else where the build finds it missing.
#pragma once

#ifdef __cplusplus
namespace std {
template <class To, class From> constexpr To bit_cast(const From &from) noexcept {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}
} // namespace std
#endif
