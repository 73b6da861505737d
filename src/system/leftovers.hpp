// What a process must not leave behind when a signal ends it: temporary files. They are in one table that a handler can
// read; programs that were started are in another (process.hpp).
#pragma once

#include <filesystem>

namespace vmaf::system {

struct LeftoverPlace;
using NativeName = std::filesystem::path::string_type; // as the system's own calls take it

// A file's entry in the table, from just before it is made until it is removed or has another name. A signal finds the
// file there, or no file.
class LeftoverFile {
  public:
    // Calls `make`, which makes the file under this name and returns whether it did.
    template <class Make> LeftoverFile(const NativeName &name, Make make) {
        const Making making(*this, name);
        is_made_ = make();
    }
    LeftoverFile(const LeftoverFile &) = delete;
    LeftoverFile &operator=(const LeftoverFile &) = delete;
    ~LeftoverFile();
    bool is_made() const { return is_made_; }

  private:
    class Making { // while it lives, a handler waits, and does not run in this thread
      public:
        Making(LeftoverFile &file, const NativeName &name);
        ~Making();
        Making(const Making &) = delete;
        Making &operator=(const Making &) = delete;

      private:
        LeftoverFile &file_;
    };

    LeftoverPlace *place_ = nullptr; // null: the table was full
    bool is_made_ = false;
};

// Removes the files of the table; threads that are about to make another one stop there. Only for the end of a process;
// safe to call from a signal handler.
void remove_leftovers() noexcept;

// For a thread that misses its temporary file: does not return while leftovers are being removed, since that is why.
void stop_if_ending() noexcept;

} // namespace vmaf::system
