// Numbers are read and written with a '.' whatever locale the host program has set: a guard for the calling thread.
#pragma once

#include <locale.h>

namespace vmaf {

class CLocale {
  public:
    CLocale() : before_(uselocale(c_locale())) {}
    ~CLocale() { uselocale(before_); }
    CLocale(const CLocale &) = delete;
    CLocale &operator=(const CLocale &) = delete;

  private:
    static locale_t c_locale() {
        static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
        return locale;
    }
    locale_t before_;
};

} // namespace vmaf
