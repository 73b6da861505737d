// Pairs of clips to be scored in one run: those of the file that --list names, or a reference with several encodes.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

struct ListedPair {
    std::string place; // for sentences: "line 3 of 'a.txt'", or the encode's name
    std::string reference, distorted;
    std::string output; // the pair's document; empty: none
};

// One pair per line: reference, distorted, and the document's path where the pair has one of its own. Fields are
// separated by tabs where a line has any, otherwise by blanks, with quotes and backslashes as in a shell. Empty lines
// and lines that begin with '#' are left out. Throws Failure(usage) naming the line.
std::vector<ListedPair> parse_pair_list(std::string_view text, const std::string &name);

// Reads the list (- is standard input) or pairs the reference with every --distorted clip, and gives every pair its
// document: its own, or one in the folder that --output names. Throws Failure where something could be overwritten, by
// another pair's document too.
std::vector<ListedPair> find_pairs(const Options &options);

// The files that no document may replace: all clips, and the list if there is one.
std::set<system::FileIdentity> files_of(const std::vector<ListedPair> &pairs, const std::string &list);

// One spelling of a path, whether there is such a file or not.
std::string plain_path(const std::string &path);

// The text of a list. Pipes are fine (--list <(...)); what never ends is not. Throws Failure(setup).
std::string read_list(const std::string &path);

} // namespace vmaf::cli
