// The one exception type of the project: an errno-like code for the C boundary and a sentence for people.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace vmaf {

class Error : public std::runtime_error {
  public:
    // `code` is a positive errno value (EINVAL, ENOMEM, ...); `sentence` says what is wrong and what to do about it.
    Error(int code, const std::string &sentence) : std::runtime_error(sentence), code_(code) {}
    int code() const noexcept { return code_; }

  private:
    int code_;
};

inline Error invalid(const std::string &sentence) { return Error(EINVAL, sentence); }

} // namespace vmaf
