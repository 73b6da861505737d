// The one exception type of the project: an errno-like code for the C boundary and a sentence for people.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

namespace vmaf {

class Error : public std::runtime_error {
  public:
    // `code` is a positive errno value (EINVAL, ENOMEM, ...); `sentence` says what is wrong and what to do about it.
    Error(int code, const std::string &sentence) : Error(code, sentence, sentence) {}
    // `brief` says the same in a few words, for lines that also report something else.
    Error(int code, const std::string &sentence, std::string brief)
        : std::runtime_error(sentence), code_(code), brief_(std::move(brief)) {}
    int code() const noexcept { return code_; }
    const std::string &brief() const noexcept { return brief_; }

  private:
    int code_;
    std::string brief_;
};

inline Error invalid(const std::string &sentence) { return Error(EINVAL, sentence); }

} // namespace vmaf
