// Decides what to trust, load or keep: files that only the user and root can change.
#pragma once

#include <string>

#include "base/error.hpp"

namespace vmaf::system {

enum class Reach {
    itself,        // the file or folder
    with_parents,  // and all folders above it and above link targets: who can rename a folder
                   // can replace its content
    beside_program // as with_parents, but tolerates folders above the running program too
};

// Who else can change the path, as a clause ("'/tmp/x' belongs to another user"). Empty: no one, or the path does not
// exist. A group with the owner's own number counts as the owner.
std::string who_else_can_change(const std::string &path, Reach reach);

// Something is refused for that reason; the message says what, why, and what to do.
class Untrusted : public Error {
  public:
    explicit Untrusted(const std::string &sentence) : Error(EPERM, sentence) {}
};

// The content of a file that no other user can change, nor its folders; empty if there is none. If `danger` is set
// (see above), nothing was read.
std::string content_if_own(const std::string &path, std::string &danger);

// Creates a missing folder, closed to other users, for what this user's programs trust later. Returns whether it
// exists.
bool make_own_folder(const std::string &path);

} // namespace vmaf::system
