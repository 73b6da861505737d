#include "system/parse_double.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace vmaf {
namespace {

TEST(ParseDouble, BothWaysAgreeOnRandomTexts) {
    std::mt19937 random(7);
    constexpr std::string_view kLetters = "0123456789012345678901234567890..--eE+x ";
    for (int round = 0; round < 20000; round++) {
        std::string text(random() % 24, ' ');
        for (char &c : text) c = kLetters[random() % kLetters.size()];
        double one = -1, other = -1;
        const auto a = parse_double(text.data(), text.data() + text.size(), one);
        const auto b = parse_double_with_strtod(text.data(), text.data() + text.size(), other);
        ASSERT_EQ(a.ec, b.ec) << "'" << text << "'";
        if (a.ec != std::errc()) continue;
        ASSERT_EQ(a.ptr, b.ptr) << "'" << text << "'";
        ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0) << "'" << text << "'";
    }
}

} // namespace
} // namespace vmaf
