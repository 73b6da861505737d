#include "long_options.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

#if defined(__GLIBC__)
#include <getopt.h>
#endif

namespace vmaf {
namespace {

using Status = ScannedOption::Status;
constexpr LongOption kTable[] = {
    {"reference", OptionValue::required, 'r'},
    {"ref", OptionValue::none, 0},
    {"frame_cnt", OptionValue::required, 0},
    {"frame_skip", OptionValue::optional, 0},
    {"quiet", OptionValue::none, 'q'},
    {"no_cuda", OptionValue::optional, 0},
    {"no-prediction", OptionValue::none, 'n'},
    {"output", OptionValue::required, 'o'},
    {"x", OptionValue::none, 'x'},
};

std::string told(const ScannedOption &found) {
    std::string text = std::to_string(static_cast<int>(found.status));
    if (found.status != Status::unknown && found.status != Status::ambiguous)
        text += " " + std::string(kTable[found.option].name);
    if (found.letter) text += std::string(" -") + found.letter;
    if (found.value) text += " = " + std::string(*found.value);
    return text;
}

std::vector<std::string> scanned(const std::vector<std::string> &words) {
    std::vector<const char *> pointers;
    for (const std::string &word : words) pointers.push_back(word.c_str());
    OptionScanner scanner(kTable, pointers);
    std::vector<std::string> list;
    while (const auto found = scanner.next()) list.push_back(told(*found));
    for (const std::string_view word : scanner.others()) list.push_back("word " + std::string(word));
    return list;
}

TEST(LongOptions, ValuesPrefixesAndWords) {
    EXPECT_EQ(scanned({"a", "--refe", "b", "-qr", "c", "--frame_skip", "d", "--frame_skip=e", "--", "-q"}),
              (std::vector<std::string>{"0 reference = b", "0 quiet -q", "0 reference -r = c", "0 frame_skip",
                                        "0 frame_skip = e", "word a", "word d", "word -q"}));
    EXPECT_EQ(scanned({"--frame"}), (std::vector<std::string>{"2"}));
    EXPECT_EQ(scanned({"--quiet=1"}), (std::vector<std::string>{"4 quiet"}));
    EXPECT_EQ(scanned({"--output"}), (std::vector<std::string>{"3 output"}));
}

TEST(LongOptions, APrefixOfOnePreferredNameMeansIt) {
    const LongOption table[] = {
        {"threads", OptionValue::none, 0, true}, {"three", OptionValue::none}, {"thr", OptionValue::none}};
    for (const auto &[word, place] :
         {std::pair{"--thre", 0u}, {"--threa", 0u}, {"--three", 1u}, {"--thr", 2u}, {"--t", 0u}}) {
        const char *const words[] = {word};
        const auto found = OptionScanner(table, words).next();
        ASSERT_TRUE(found && found->status == Status::found) << word;
        EXPECT_EQ(found->option, place) << word;
    }
}

#if defined(__GLIBC__)

std::vector<std::string> by_glibc(const std::vector<std::string> &words) {
    std::vector<option> table;
    std::string letters = ":";
    for (std::size_t i = 0; i < std::size(kTable); i++) {
        table.push_back({kTable[i].name.data(), static_cast<int>(kTable[i].value), nullptr, 256 + static_cast<int>(i)});
        if (kTable[i].letter)
            letters += std::string(1, kTable[i].letter) + (kTable[i].value == OptionValue::required ? ":" : "");
    }
    table.push_back({});
    std::vector<std::string> copy = words;
    std::vector<char *> argv = {letters.data()};
    for (std::string &word : copy) argv.push_back(word.data());
    const int count = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    std::vector<std::string> list;
    const auto place = [](int letter) {
        for (std::size_t i = 0; i < std::size(kTable); i++)
            if (kTable[i].letter == letter) return i;
        return std::size_t(0);
    };
    optind = 0;
    opterr = 0;
    for (int code; (code = getopt_long(count, argv.data(), letters.c_str(), table.data(), nullptr)) != -1;) {
        ScannedOption found{.status = Status::found};
        const int named = code == '?' || code == ':' ? optopt : code;
        if (named >= 256)
            found.option = static_cast<std::size_t>(named - 256);
        else if (named)
            found.option = place(found.letter = static_cast<char>(named));
        if (code == ':') found.status = Status::value_missing;
        if (code == '?')
            found.status =
                named >= 256 ? Status::value_unwanted : Status::unknown; // or ambiguous: glibc does not distinguish
        if (code != '?' && code != ':' && optarg) found.value = optarg;
        list.push_back(told(found));
    }
    for (int i = optind; i < count; i++) list.push_back("word " + std::string(argv[static_cast<std::size_t>(i)]));
    return list;
}

TEST(LongOptions, TheSameAsGlibcOnRandomCommandLines) {
    std::mt19937 random(16);
    const std::vector<std::string> words = {"--reference",
                                            "--ref",
                                            "--refe",
                                            "--re",
                                            "--r",
                                            "--frame",
                                            "--frame_",
                                            "--frame_s",
                                            "--frame_c=1",
                                            "--quiet",
                                            "--q",
                                            "--q=1",
                                            "--no",
                                            "--no_",
                                            "--no-",
                                            "--no_cuda=false",
                                            "--nocuda",
                                            "-q",
                                            "-qn",
                                            "-r",
                                            "-rfile",
                                            "-qrfile",
                                            "-nqo",
                                            "-z",
                                            "-qzn",
                                            "-",
                                            "--",
                                            "word",
                                            "",
                                            "-x",
                                            "--x",
                                            "--=",
                                            "--=a",
                                            "--output=",
                                            "-o",
                                            "-:",
                                            "--reference=a=b",
                                            "---"};
    for (int round = 0; round < 20000; round++) {
        std::vector<std::string> line(random() % 7);
        for (std::string &word : line) word = words[random() % words.size()];
        std::vector<std::string> ours = scanned(line);
        for (std::string &text : ours)
            if (text == "2") text = "1"; // glibc does not distinguish ambiguous from unknown
        std::string shown;
        for (const std::string &word : line) shown += " '" + word + "'";
        ASSERT_EQ(ours, by_glibc(line)) << shown;
    }
}

#endif

} // namespace
} // namespace vmaf
