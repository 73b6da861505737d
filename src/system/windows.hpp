// Shared by the Windows sources of this room.
#pragma once

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include <windows.h>

#include "base/error.hpp"

namespace vmaf::system {

// The project uses UTF-8, Windows UTF-16.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

// For calls that open or change files; allows more than 260 characters.
std::wstring wide_path(const std::string &path);

// Names such as "NUL", "con" and "\\.\pipe\name", which are devices in every folder.
bool is_device(const std::string &path);

int errno_of(DWORD code);          // the nearest match
std::string reason_of(DWORD code); // the system's message, without its full stop
Error with_reason(const std::string &what, DWORD code);

class Handle {
  public:
    explicit Handle(HANDLE handle = INVALID_HANDLE_VALUE) : handle_(handle) {}
    Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
    Handle &operator=(Handle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() { close(); }
    bool is_open() const { return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr; }
    HANDLE get() const { return handle_; }
    void close() {
        if (is_open()) CloseHandle(handle_);
        handle_ = INVALID_HANDLE_VALUE;
    }

  private:
    HANDLE handle_;
};

} // namespace vmaf::system
