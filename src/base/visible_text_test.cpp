#include "base/visible_text.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace vmaf {
namespace {

TEST(VisibleText, OrdinaryTextStays) {
    for (const char *text : {"", "clip.y4m", "größe/日本語 🎬.mkv", "C:\\clips\\a b", "a'\"|<>"})
        EXPECT_EQ(visible(text), text);
}

TEST(VisibleText, ControlCharactersAreEscaped) {
    EXPECT_EQ(visible("a\nb\r\tc"), "a\\nb\\r\\tc");
    EXPECT_EQ(visible_sentence("it failed:\n  a\x1b\n  b\nvmaf: c\n d"), "it failed:\n  a\\x1b\n  b\\nvmaf: c\\n d");
    EXPECT_EQ(visible("\x1b[31mred\x7f\x07"), "\\x1b[31mred\\x7f\\x07");
    EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(visible("\xc2\x9b\x31m"), "\\u009b1m"); // what a terminal may take for ESC [
}

TEST(VisibleText, DirectionMarksAndInvisibleCharactersAreEscaped) {
    EXPECT_EQ(visible("a\u202etxt.exe\u2066\u200b\u2028\ufeff"), "a\\u202etxt.exe\\u2066\\u200b\\u2028\\ufeff");
    EXPECT_EQ(visible("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
    EXPECT_EQ(visible("\xf3\xa0\x80\x81"), "\\U000e0001");
}

TEST(VisibleText, InvalidBytesAreEscaped) {
    EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
    EXPECT_EQ(visible("\xc0\x80"), "\\xc0\\x80");          // too long
}

TEST(VisibleText, LinesCanStay) { EXPECT_EQ(visible_lines("a\n\tb\r\x1b"), "a\n\tb\\r\\x1b"); }

TEST(Utf8, FirstCharacterKnowsItsLimits) {
    EXPECT_EQ(first_character("é").code, U'é');
    EXPECT_EQ(first_character("\xf4\x8f\xbf\xbf").code, 0x10ffffu);
    EXPECT_EQ(first_character("\xf4\x90\x80\x80").length, 0u);
    EXPECT_EQ(first_character("\xe0\x9f\xbf").length, 0u);
    EXPECT_EQ(first_character("\xf0\x8f\xbf\xbf").length, 0u);
    EXPECT_EQ(first_character("\xe2\x82").length, 0u);
}

} // namespace
} // namespace vmaf
