#include "system/c_locale.hpp"

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace vmaf {

namespace {

locale_t c_locale() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
}

} // namespace

CLocale::CLocale() : before_(uselocale(c_locale())) {}
CLocale::~CLocale() { uselocale(static_cast<locale_t>(before_)); }

} // namespace vmaf
