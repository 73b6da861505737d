// --ndjson: each frame's scores as one line of JSON, in the order of frames, as soon as they are complete.
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
    // `models` is empty for a run without predictions. Throws Error where the file cannot be opened.
    FrameLines(const std::string &path, const NumberFormat &numbers, const std::deque<LoadedModel> &models)
        : file_(path, system::GrowingFile::Start::empty), numbers_(numbers), models_(models) {}

    void advance(Session &session); // writes the frames that are complete so far; throws Error
    void finish(Session &session);  // after the session's flush: writes the rest; throws Error

  private:
    void learn_names(const ScoreCollector &scores);
    bool is_complete(const ScoreCollector &scores, unsigned index) const;
    void write(Session &session, unsigned index);

    system::GrowingFile file_;
    NumberFormat numbers_;
    const std::deque<LoadedModel> &models_;
    unsigned next_ = 0;              // frame to write next
    std::vector<std::string> names_; // that every frame has; known after the first few
};

} // namespace vmaf::cli
