// --ndjson: one line of JSON per frame, in order, as soon as its scores are complete.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "models.hpp"
#include "report/number.hpp"
#include "session/session.hpp"
#include "system/files.hpp"

namespace vmaf::cli {

class FrameLines {
  public:
    // `models` is empty without predictions. Throws Error if the file cannot be opened.
    FrameLines(const std::string &path, const NumberFormat &numbers, const std::deque<LoadedModel> &models)
        : file_(path, system::GrowingFile::Start::empty), numbers_(numbers), models_(models) {}

    void advance(Session &session); // writes the complete frames; throws Error
    void finish(Session &session);  // after the session's flush: writes the remaining frames; throws Error

  private:
    void learn_names(const ScoreCollector &scores);
    bool is_complete(const ScoreCollector &scores, unsigned index) const;
    void write(Session &session, unsigned index);

    system::GrowingFile file_;
    NumberFormat numbers_;
    const std::deque<LoadedModel> &models_;
    unsigned next_ = 0;              // frame to write next
    std::vector<std::string> names_; // scores of every frame; known after the first few
};

} // namespace vmaf::cli
