// The pairs of a run: from the file of --list, or a reference with several encodes.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

struct ListedPair {
    std::string label; // for messages: "line 3 of 'a.txt'", or the encode's name
    std::string reference, distorted;
    std::string output; // the pair's document; empty: none
};

// One pair per line: reference, distorted and optionally the document's path. Fields are separated by tabs if the line
// has any, otherwise by blanks, with quotes and backslashes as in a shell. Skips empty lines and lines starting with
// '#'. Throws Failure(usage) naming the line.
std::vector<ListedPair> parse_pair_list(std::string_view text, const std::string &name);

// Reads the list (-: standard input) or pairs the reference with every --distorted clip, and assigns documents: the
// pair's own, or one in the folder of --output. Throws Failure if a document would overwrite a file, including another
// pair's document.
std::vector<ListedPair> find_pairs(const Options &options);

// The files that no document may replace: all clips, and the list itself.
std::set<system::FileIdentity> files_of(const std::vector<ListedPair> &pairs, const std::string &list);

// Normalises a path, whether or not it exists.
std::string plain_path(const std::string &path);

// Reads a list, without a byte order mark. Pipes are fine (--list <(...)), endless input is not. Throws Failure(setup),
// which calls the list `what`.
std::string read_list(const std::string &path, const char *what);

} // namespace vmaf::cli
