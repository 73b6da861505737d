// A task of the array: processes units until none is left.
#pragma once

#include "jobs/run_folder.hpp"

namespace vmaf::tune {

// Chooses a task's next units. Tasks start far apart and continue where they started, so that each sees few sources and
// few collide; the duration of units determines how many it takes at once.
class UnitChooser {
  public:
    UnitChooser(std::size_t first, std::size_t last, std::size_t worker, std::size_t workers);

    void set_taken(const std::vector<bool> &taken);
    void take(std::size_t unit) { taken_[unit] = true; }
    std::vector<std::size_t> next() const; // adjacent free units, at most as many as make sense; empty: all are taken
    void measured(std::size_t units, double seconds);

  private:
    std::size_t most_at_once() const;

    std::size_t first_, last_, workers_, cursor_;
    std::vector<bool> taken_;
    double units_done_ = 0, seconds_ = 0; // recent ones weigh more
};

struct TaskOfRun {
    std::string folder;
    std::size_t phase = 0, workers = 1;
};
int work_as_task(const JobCommand &command, const TaskOfRun &task);

} // namespace vmaf::tune
