#include "frame_lines.hpp"

#include <algorithm>
#include <cmath>

#include "base/lists.hpp"
#include "report/escape.hpp"
#include "scores/feature_name.hpp"

namespace vmaf::cli {

namespace {

// Some metrics score a frame only after later ones, at most this many.
constexpr unsigned kLookAhead = 8;

} // namespace

// Collects the names of the first frame, once no metric delays its scores. (Some deliver theirs at the end.)
void FrameLines::learn_names(const ScoreCollector &scores) {
    if (!names_.empty() || scores.frame_capacity() <= kLookAhead) return;
    for (const LoadedModel &m : models_)
        for (const std::string &name : m.model.stored_names())
            if (!scores.find(name, 0)) return;
    for (const std::string &name : scores.names())
        if (scores.find(name, 0)) names_.push_back(name);
}

bool FrameLines::is_complete(const ScoreCollector &scores, unsigned index) const {
    return !names_.empty() && std::all_of(names_.begin(), names_.end(), [&](const std::string &name) {
        return scores.find(name, index).has_value();
    });
}

void FrameLines::advance(Session &session) {
    learn_names(session.scores());
    for (; is_complete(session.scores(), next_); next_ += session.subsample()) write(session, next_);
}

void FrameLines::finish(Session &session) {
    for (; next_ < session.scores().frame_capacity(); next_ += session.subsample()) write(session, next_);
}

void FrameLines::write(Session &session, unsigned index) {
    for (const LoadedModel &m : models_) {
        session.score_at(m.model, index);
        if (m.collection) session.score_at(*m.collection, index);
    }
    std::string scores;
    for (const std::string &name : session.scores().names()) {
        const auto score = session.scores().find(name, index);
        if (!score) continue;
        add_item(scores, json_string(feature_alias(name)) + ": ");
        if (std::isfinite(*score))
            numbers_.append(scores, *score);
        else
            scores += "null";
    }
    if (!scores.empty()) file_.append("{\"frameNum\": " + std::to_string(index) + ", \"metrics\": {" + scores + "}}\n");
}

} // namespace vmaf::cli
