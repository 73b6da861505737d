// What FFmpeg's decoders say about damage, and whether a source that they did not decode for a score is whole.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "stages/encode.hpp"

namespace vmaf::tune {

// The end of a decoder whose pictures were scored.
Outcome decode_outcome(const ChildResult &end, bool is_reference);
// Scores against concealed pictures are meaningless: refuses a damaged reference unless allowed, and remarks on others.
Outcome damage_outcome(const ChildResult &end, bool is_reference, bool is_allowed, std::vector<std::string> &remarks);

// For scorers that open files themselves: they do not find every damage that FFmpeg reports.
class SourceChecks {
  public:
    SourceChecks(unsigned threads, std::chrono::milliseconds timeout) : threads_(threads), timeout_(timeout) {}
    SourceChecks(const SourceChecks &) = delete;
    SourceChecks &operator=(const SourceChecks &) = delete;

    // Lets FFmpeg decode a source in the background, once; the answer is cached.
    void begin(const Programs &programs, const Source &source);
    // Waits for its answer.
    Outcome outcome(const Programs &programs, const Source &source, bool is_damage_allowed,
                    std::vector<std::string> &remarks);

    // A scorer could not use this source as FFmpeg does: others need not try.
    void give_up(const Source &source);
    bool is_given_up(const Source &source) const;

  private:
    struct Check {
        std::mutex mutex;
        std::unique_ptr<PipedChild> child; // until its answer is known
        ChildResult end;
        std::string key; // of the cached answer; empty: it is not cached
    };
    Check &check_of(const Programs &programs, const Source &source);
    void wait_for(PipedChild &child) const;

    const unsigned threads_;
    const std::chrono::milliseconds timeout_;
    mutable std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Check>> checks_; // by path
    std::set<std::string> given_up_;
};

} // namespace vmaf::tune
