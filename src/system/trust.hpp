// What may be trusted, loaded or kept: files that only the user and the administrator can change.
#pragma once

#include <string>

#include "base/error.hpp"

namespace vmaf::system {

enum class Reach {
    itself,        // the file or folder
    with_parents,  // and every folder above it, and above what links lead to: who can rename a folder can replace its
                   // content
    beside_program // as before; a folder that holds the running program too may belong to those who could replace that
};

// Who else could change what lies at the path, as a clause for a sentence ("'/tmp/x' belongs to another user"). Empty:
// no one. So is what is not there. A group that has the owner's own number counts as the owner.
std::string who_else_can_change(const std::string &path, Reach reach);

// Something is not used because of that; the sentence says what, why, and what to do.
class Untrusted : public Error {
  public:
    explicit Untrusted(const std::string &sentence) : Error(EPERM, sentence) {}
};

// The content of a file whose folder, and which itself while open, no other user could change; empty where there
// is none. `danger` as above, and then nothing was read.
std::string content_if_own(const std::string &path, std::string &danger);

// Makes a folder for what this user's programs believe later, if it is missing: no other user gets in. Whether it is
// there.
bool make_own_folder(const std::string &path);

} // namespace vmaf::system
