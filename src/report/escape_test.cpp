#include "report/escape.hpp"

#include <gtest/gtest.h>

namespace vmaf {
namespace {

TEST(Escape, MarkupHasNoTagsReferencesOrForeignCharacters) {
    EXPECT_EQ(markup_escaped("</script><b a=\"1\">&amp;'"), "&lt;/script&gt;&lt;b a=&quot;1&quot;&gt;&amp;amp;'");
    EXPECT_EQ(markup_escaped("a\tb\nc\rd"), "a&#9;b&#10;c&#13;d");
    EXPECT_EQ(markup_escaped("\x01\xff\xef\xbf\xbe\xef\xbf\xbf é"), "\ufffd\ufffd\ufffd\ufffd é");
    EXPECT_EQ(markup_escaped(std::string_view("\0", 1)), "\ufffd");
    EXPECT_EQ(markup_escaped("\xf0\x9f\xbf\xbe"), "\xf0\x9f\xbf\xbe"); // U+1FFFE is allowed in XML
}

TEST(Escape, JsonStringsAreWhole) { EXPECT_EQ(json_string("a\"\\\n\x01\xff"), "\"a\\\"\\\\\\u000a\\u0001\ufffd\""); }

TEST(Escape, DataOfScriptsEndsNoElement) {
    EXPECT_EQ(script_data("{\"a\": \"</script><!--&\"}"), "{\"a\": \"\\u003c/script\\u003e\\u003c!--\\u0026\"}");
}

TEST(Escape, CsvFieldsStayOneFieldAndNoFormula) {
    EXPECT_EQ(csv_field("plain text"), "plain text");
    EXPECT_EQ(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    for (const char *formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx"})
        EXPECT_EQ(csv_field(formula), "'" + std::string(formula));
    EXPECT_EQ(csv_field("\r=1"), "\"'\r=1\"");
    EXPECT_EQ(csv_field("=\"x\""), "\"'=\"\"x\"\"\"");
    EXPECT_EQ(csv_field(""), "");
}

TEST(Escape, MarkdownCellsStayOneCell) {
    EXPECT_EQ(markdown_escaped("a|b\n<img>&[x](y)`c`"), "a\\|b\\n&lt;img&gt;&amp;\\[x\\](y)\\`c\\`");
}

TEST(Escape, NamesInSubtitlesStayInTheirLine) { EXPECT_EQ(sub_label("a\nb|c\x1b"), "a\\nb\\x7cc\\x1b"); }

} // namespace
} // namespace vmaf
