// Temporary files to remove when a signal ends the process, in a table that a handler can read. Child processes are in
// another table (process.hpp).
#pragma once

#include <filesystem>

namespace vmaf::system {

struct LeftoverEntry;
using NativeName = std::filesystem::path::string_type; // as system calls take it

// A file's entry in the table, from just before it is created until it is removed or renamed.
// So a signal handler never misses the file.
class LeftoverFile {
  public:
    // Calls `make`, which creates the file and returns whether it succeeded.
    template <class Make> LeftoverFile(const NativeName &name, Make make) {
        const Making making(*this, name);
        is_made_ = make();
    }
    LeftoverFile(const LeftoverFile &) = delete;
    LeftoverFile &operator=(const LeftoverFile &) = delete;
    ~LeftoverFile();
    bool is_made() const { return is_made_; }

  private:
    class Making { // while it exists, handlers in other threads wait and none runs in this one
      public:
        Making(LeftoverFile &file, const NativeName &name);
        ~Making();
        Making(const Making &) = delete;
        Making &operator=(const Making &) = delete;

      private:
        LeftoverFile &file_;
    };

    LeftoverEntry *entry_ = nullptr; // null if the table was full
    bool is_made_ = false;
};

// Removes the files of the table; threads about to create another one stop there. Only for the end of the process.
// Async-signal-safe.
void remove_leftovers() noexcept;

// For a thread whose temporary file has gone: does not return if leftovers are being removed.
void stop_if_ending() noexcept;

} // namespace vmaf::system
