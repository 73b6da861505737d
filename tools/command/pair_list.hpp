// The file that --list names: pairs of clips to be scored in one run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

struct ListedPair {
    unsigned line = 0; // of the list
    std::string reference, distorted;
    std::string output; // the pair's document; empty: none
};

// One pair per line: reference, distorted, and the document's path where the pair has one of its own. Fields are
// separated by tabs where a line has any, otherwise by blanks, with quotes and backslashes as in a shell. Empty lines
// and lines that begin with '#' are left out. Throws Failure(usage) naming the line.
std::vector<ListedPair> parse_pair_list(std::string_view text, const std::string &name);

// Reads the file (- is standard input) and gives every pair its document: its own, or one in the folder that --output
// names. Throws Failure where something could be overwritten, by another pair's document too.
std::vector<ListedPair> read_pair_list(const Options &options);

// The files that no document of the list may replace: the list and all its clips.
std::set<system::FileIdentity> files_of(const std::vector<ListedPair> &pairs, const std::string &list);

} // namespace vmaf::cli
