#include "system/c_locale.hpp"

#include <clocale>
#include <locale.h>
#include <string>

namespace vmaf {

namespace {

struct Before {
    int kind; // whether the thread had its own locale
    std::string numbers;
};

} // namespace

CLocale::CLocale() {
    auto *before = new Before{_configthreadlocale(_ENABLE_PER_THREAD_LOCALE), std::setlocale(LC_NUMERIC, nullptr)};
    std::setlocale(LC_NUMERIC, "C");
    before_ = before;
}

CLocale::~CLocale() {
    auto *before = static_cast<Before *>(before_);
    std::setlocale(LC_NUMERIC, before->numbers.c_str());
    _configthreadlocale(before->kind);
    delete before;
}

} // namespace vmaf
