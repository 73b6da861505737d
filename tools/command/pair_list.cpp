#include "pair_list.hpp"

#include <array>
#include <cstring>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "clips.hpp"
#include "exit_code.hpp"
#include "system/filesystem.hpp"
#include "system/input_file.hpp"

namespace vmaf::cli {

namespace {

namespace fs = vmaf::system::fs;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;   // of a list: hundreds of thousands of pairs
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; // spreadsheets write it

std::string label_of(const std::string &list, unsigned line) {
    return "line " + std::to_string(line) + " of " + quoted(list);
}

std::vector<std::string> tabbed_fields(std::string_view line) {
    std::vector<std::string> fields = split(line, '\t');
    while (!fields.empty() && fields.back().empty()) fields.pop_back();
    return fields;
}

// A backslash escapes blanks, quotes and backslashes; elsewhere it is part of a Windows name. Throws Error.
std::vector<std::string> quoted_fields(std::string_view line) {
    std::vector<std::string> fields;
    bool is_inside = false; // a field
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); i++) {
        const char c = line[i];
        if (!quote && c == ' ') {
            is_inside = false;
            continue;
        }
        if (!is_inside) fields.emplace_back();
        is_inside = true;
        const bool is_backslash = c == '\\' && quote != '\'';
        if (is_backslash && i + 1 == line.size()) throw invalid("it ends in a backslash");
        if (is_backslash && std::strchr(" \t\"'\\", line[i + 1])) {
            fields.back() += line[++i];
        } else if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else {
            fields.back() += c;
        }
    }
    if (quote) throw invalid("a quote is not closed");
    return fields;
}

const char *extension(ReportFormat format) {
    switch (format) {
    case ReportFormat::json: return ".json";
    case ReportFormat::csv: return ".csv";
    case ReportFormat::sub: return ".sub";
    default: return ".xml";
    }
}

void check_documents(const std::vector<ListedPair> &pairs, const std::string &list) {
    std::set<std::string> clips;
    if (!list.empty()) clips.insert(plain_path(list));
    for (const ListedPair &pair : pairs) clips.insert({plain_path(pair.reference), plain_path(pair.distorted)});
    const std::set<system::FileIdentity> inputs = files_of(pairs, list);
    std::map<std::string, std::string> documents; // -> label
    const std::string what_to_do = list.empty() ? "give the encodes different names" : "name another in a third field";
    for (const ListedPair &pair : pairs) {
        if (pair.output.empty() || pair.output == "-") continue;
        const auto [other, is_new] = documents.emplace(system::place_of_output(pair.output), pair.label);
        if (!is_new)
            throw usage_error(pair.label + ": its document " + quoted(pair.output) + " is also that of " +
                              other->second + "; " + what_to_do);
        const auto earlier = system::identity_of_output(pair.output); // by another name: links, mounts
        if (clips.contains(plain_path(pair.output)) || (earlier && inputs.contains(*earlier)))
            throw Failure(ExitCode::setup,
                          pair.label + ": the document would overwrite " + quoted(pair.output) + "; " + what_to_do);
    }
}

} // namespace

std::string plain_path(const std::string &path) {
    std::error_code failed;
    const fs::path result = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path : result.string();
}

std::string read_list(const std::string &path, const char *what) try {
    system::InputFile file = system::InputFile::open(path);
    std::string text;
    std::array<char, 65536> buffer;
    const system::Buffer part{buffer.data(), buffer.size()};
    while (const std::size_t count = file.read_some({&part, 1})) {
        text.append(buffer.data(), count);
        if (text.size() > kMostBytes)
            throw invalid(file.name() + " is longer than " + std::to_string(kMostBytes >> 20) + " MB; split it");
    }
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    return text;
} catch (const Error &e) {
    throw Failure(ExitCode::setup, std::string(what) + ": " + e.what());
}

std::vector<ListedPair> parse_pair_list(std::string_view text, const std::string &name) {
    std::vector<ListedPair> pairs;
    unsigned number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        number++;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t") == line.npos || line.starts_with('#')) continue;
        const auto refused = [&](const std::string &why) {
            return usage_error(label_of(name, number) + ": " + why +
                               "; a line has the reference, the distorted clip and, if wanted, the document's path, "
                               "with tabs or blanks between them (names with blanks in quotes)");
        };
        std::vector<std::string> fields;
        try {
            fields = line.find('\t') == line.npos ? quoted_fields(line) : tabbed_fields(line);
        } catch (const Error &e) {
            throw refused(e.what());
        }
        if (line.find('\0') != line.npos) throw refused("it has a zero byte");
        if (fields.size() != 2 && fields.size() != 3)
            throw refused("it has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields"));
        if (fields[0].empty() || fields[1].empty()) throw refused("a clip's name is empty");
        for (std::size_t i = 0; i < 2; i++)
            if (fields[i] == "-")
                throw usage_error(label_of(name, number) + ": clips of a list cannot come from standard input");
        pairs.push_back({label_of(name, number), fields[0], fields[1], fields.size() == 3 ? fields[2] : ""});
    }
    if (pairs.empty()) throw usage_error("the list " + quoted(name) + " has no pairs; each line names two clips");
    return pairs;
}

std::set<system::FileIdentity> files_of(const std::vector<ListedPair> &pairs, const std::string &list) {
    std::set<system::FileIdentity> files;
    const auto add = [&](const std::string &path) {
        if (const auto identity = system::identity_of_input(path)) files.insert(*identity);
    };
    if (!list.empty()) add(list);
    for (const ListedPair &pair : pairs) {
        add(pair.reference);
        add(pair.distorted);
    }
    return files;
}

std::vector<ListedPair> find_pairs(const Options &options) {
    std::vector<ListedPair> pairs;
    if (!options.list.empty()) {
        pairs = parse_pair_list(read_list(options.list, "the list"), options.list);
    } else {
        pairs.push_back({quoted(options.distorted), options.reference, options.distorted, ""});
        for (const std::string &encode : options.more_distorted)
            pairs.push_back({quoted(encode), options.reference, encode, ""});
    }
    if (options.output) {
        std::error_code failed;
        if (!fs::is_directory(*options.output, failed))
            throw Failure(ExitCode::setup,
                          std::string(options.list.empty() ? "with several --distorted clips" : "with --list") +
                              ", --output names the folder for the documents, and '" + *options.output +
                              "' is not one; create it first");
        for (ListedPair &pair : pairs)
            if (pair.output.empty())
                pair.output =
                    (fs::path(*options.output) / fs::path(pair.distorted).stem()).string() + extension(options.format);
    }
    check_documents(pairs, options.list);
    return pairs;
}

} // namespace vmaf::cli
