// Checks every byte of the four formats.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "report/escape.hpp"
#include "report/report.hpp"

namespace vmaf::report_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string written(const NumberFormat &format, double value) {
    std::string text;
    format.append(text, value);
    return text;
}

TEST(NumberFormat, TinyFractionsGetSixteenDecimals) {
    const NumberFormat reference;
    EXPECT_EQ(written(reference, 1.0000008702550289), "1.0000008702550289");
    EXPECT_EQ(written(reference, 102.0000000000000142), "102.0000000000000142");
    EXPECT_EQ(written(reference, 1e-7), "0.0000001000000000");
    EXPECT_EQ(written(reference, -3.00000004), "-3.0000000400000002");
    EXPECT_EQ(written(reference, 0.999998), "0.999998");
    EXPECT_EQ(written(reference, 1.000002), "1.000002");
    EXPECT_EQ(written(reference, 0.000001), "0.000001");
    EXPECT_EQ(written(reference, 0), "0.000000");
    EXPECT_EQ(written(reference, 100), "100.000000");
    EXPECT_EQ(written(reference, 4e9 + 1e-6), "4000000000.000001");
    EXPECT_EQ(written(reference, kInfinity), "inf");
    EXPECT_EQ(written(reference, -kInfinity), "-inf");
    EXPECT_EQ(written(reference, kNaN), "nan");
    EXPECT_EQ(written(reference, -kNaN), "-nan");
    EXPECT_EQ(written(NumberFormat::six_decimals(), 1e-7), "0.000000");
    EXPECT_EQ(written(NumberFormat::significant(17), 0.1), "0.10000000000000001");
    EXPECT_EQ(written(NumberFormat::significant(3), 1234567), "1.23e+06");
}

TEST(NumberFormat, EqualsWhatCPrints) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; i++) {
        const double value = std::bit_cast<double>(random());
        if (std::isnan(value)) continue; // C libraries disagree on the sign
        char text[400];
        for (int digits : {1, 6, 9, 17}) {
            std::snprintf(text, sizeof text, "%.*g", digits, value);
            EXPECT_EQ(written(NumberFormat::significant(digits), value), text);
        }
        std::snprintf(text, sizeof text, "%.6f", value);
        EXPECT_EQ(written(NumberFormat::six_decimals(), value), text);
    }
}

std::string document(const Report &report, ReportFormat format) {
    std::string text;
    write_report(report, format, [&](std::string_view piece) { text += piece; });
    return text;
}

std::string without_fps(std::string text) {
    for (const char *key : {"fps=\"", "\"fps\": "}) {
        const std::size_t at = text.find(key);
        if (at == std::string::npos) continue;
        const std::size_t begin = at + std::string(key).size();
        text.replace(begin, text.find_first_of("\",", begin) - begin, "F");
    }
    return text;
}

// Frames 0 and 2 of three, sampled by 2; "late" is missing at frame 0; frame 1 is not sampled.
void fill(ScoreCollector &scores) {
    for (unsigned i : {0u, 1u, 2u}) scores.append("VMAF_integer_feature_adm2_score", i, 0.5 + i);
    scores.append("late", 2, kInfinity);
    scores.append("a<\"&>\\", 0, 1);
    scores.append("a<\"&>\\", 2, 3);
    scores.set_aggregate("apsnr_y", 39.762266);
}

TEST(Report, Xml) {
    ScoreCollector scores;
    fill(scores);
    EXPECT_EQ(
        without_fps(document({scores, "3.2.0", 176, 144, 3, 2, {}, {}, "cpu"}, ReportFormat::xml)),
        "<VMAF version=\"3.2.0\">\n"
        "  <params qualityWidth=\"176\" qualityHeight=\"144\" />\n"
        "  <fyi fps=\"F\" />\n"
        "  <frames>\n"
        "    <frame frameNum=\"0\" integer_adm2=\"0.500000\" a&lt;&quot;&amp;&gt;\\=\"1.000000\" />\n"
        "    <frame frameNum=\"2\" integer_adm2=\"2.500000\" late=\"inf\" a&lt;&quot;&amp;&gt;\\=\"3.000000\" />\n"
        "  </frames>\n"
        "  <pooled_metrics>\n"
        "    <metric name=\"integer_adm2\" min=\"0.500000\" max=\"2.500000\" mean=\"1.500000\" "
        "harmonic_mean=\"1.100000\" />\n"
        "    <metric name=\"late\" />\n"
        "    <metric name=\"a&lt;&quot;&amp;&gt;\\\" min=\"1.000000\" max=\"3.000000\" mean=\"2.000000\" "
        "harmonic_mean=\"1.666667\" />\n"
        "  </pooled_metrics>\n"
        "  <aggregate_metrics apsnr_y=\"39.762266\" />\n"
        "</VMAF>\n");
}

TEST(Report, Json) {
    ScoreCollector scores;
    fill(scores);
    EXPECT_EQ(without_fps(document({scores, "3.2.0", 176, 144, 3, 2, {}, {}, "cpu"}, ReportFormat::json)),
              R"({
  "version": "3.2.0",
  "fps": F,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "integer_adm2": 0.500000,
        "a<\"&>\\": 1.000000
      }
    },
    {
      "frameNum": 2,
      "metrics": {
        "integer_adm2": 2.500000,
        "late": null,        "a<\"&>\\": 3.000000
      }
    }
  ],
  "pooled_metrics": {
    "integer_adm2": {
      "min": 0.500000,
      "max": 2.500000,
      "mean": 1.500000,
      "harmonic_mean": 1.100000
    },
    "late": {
    },
    "a<\"&>\\": {
      "min": 1.000000,
      "max": 3.000000,
      "mean": 2.000000,
      "harmonic_mean": 1.666667
    }
  },
  "aggregate_metrics": {
    "apsnr_y": 39.762266
  },
  "backend_used": "cpu"
}
)");
}

TEST(Report, JsonNamesTheBackendOfEachFeature) {
    ScoreCollector scores;
    fill(scores);
    Report report{scores, "3.2.0", 176, 144, 3, 2, {}, {}, "cuda"};
    report.feature_backends = {{"vif_cuda", "cuda"}, {"xpsnr", "cpu"}};
    EXPECT_TRUE(document(report, ReportFormat::json).ends_with(R"(
  },
  "feature_backends": [
    {"extractor": "vif_cuda", "backend": "cuda"},
    {"extractor": "xpsnr", "backend": "cpu"}
  ],
  "backend_used": "cuda"
}
)"));
}

TEST(Report, CsvAndSub) {
    ScoreCollector scores;
    fill(scores);
    const Report report{scores, "3.2.0", 176, 144, 3, 2, {}, {}, "cpu"};
    EXPECT_EQ(document(report, ReportFormat::csv), "Frame,integer_adm2,late,\"a<\"\"&>\\\",\n"
                                                   "0,0.500000,,1.000000,\n"
                                                   "2,2.500000,inf,3.000000,\n");
    EXPECT_EQ(document(report, ReportFormat::sub),
              "{0}{1}frame: 0|integer_adm2: 0.500000|a<\"&>\\: 1.000000|\n"
              "{2}{3}frame: 2|integer_adm2: 2.500000|late: inf|a<\"&>\\: 3.000000|\n");
}

TEST(Report, TextThatIsNoUtf8IsReplaced) {
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(valid_utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xac"),
              "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xac");
    EXPECT_EQ(valid_utf8("a\xff"
                         "b"),
              "a" + mark + "b");
    EXPECT_EQ(valid_utf8("\xc3"), mark);                                  // cut off
    EXPECT_EQ(valid_utf8("\xc0\xaf"), mark + mark);                       // too long a form
    EXPECT_EQ(valid_utf8("\xed\xa0\x80"), mark + mark + mark);            // overlong
    EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark); // beyond Unicode
    EXPECT_EQ(json_string("a\xff\n"), "\"a" + mark + "\\u000a\"");
}

TEST(Report, NothingScored) {
    const ScoreCollector scores;
    const Report report{scores, "3.2.0"};
    EXPECT_EQ(document(report, ReportFormat::json), "{\n  \"version\": \"3.2.0\",\n  \"fps\": null,\n  \"frames\": [\n"
                                                    "  ],\n  \"pooled_metrics\": {\n  },\n"
                                                    "  \"aggregate_metrics\": {\n  }\n}\n");
    EXPECT_EQ(without_fps(document(report, ReportFormat::xml)),
              "<VMAF version=\"3.2.0\">\n  <params qualityWidth=\"0\" qualityHeight=\"0\" />\n  <fyi fps=\"F\" />\n"
              "  <frames>\n  </frames>\n  <pooled_metrics>\n  </pooled_metrics>\n  <aggregate_metrics />\n</VMAF>\n");
    EXPECT_EQ(document(report, ReportFormat::csv), "Frame,\n");
    EXPECT_EQ(document(report, ReportFormat::sub), "");
}

TEST(Report, FirstFrameWithoutScoresLeavesNoComma) {
    ScoreCollector scores;
    scores.append("x", 1, 1);
    const std::string text = document({scores, "v", 1, 1, 2}, ReportFormat::json);
    EXPECT_NE(text.find("\"frames\": [\n    {\n      \"frameNum\": 1,"), std::string::npos);
}

} // namespace
} // namespace vmaf::report_test
