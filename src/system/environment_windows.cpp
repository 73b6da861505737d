#include "system/environment.hpp"

#include "system/windows.hpp"

namespace vmaf::system {

std::optional<std::string> environment(const std::string &name) {
    std::wstring value(256, L'\0');
    DWORD length = GetEnvironmentVariableW(wide(name).c_str(), value.data(), static_cast<DWORD>(value.size()));
    while (length >= value.size()) {
        value.resize(length + 1);
        length = GetEnvironmentVariableW(wide(name).c_str(), value.data(), static_cast<DWORD>(value.size()));
    }
    value.resize(length);
    return value.empty() ? std::nullopt : std::optional(narrow(value));
}

bool is_set(const std::string &name) {
    SetLastError(ERROR_SUCCESS);
    return GetEnvironmentVariableW(wide(name).c_str(), nullptr, 0) > 0 || GetLastError() != ERROR_ENVVAR_NOT_FOUND;
}

bool has_more_rights_than_caller() { return false; } // Windows has no set-user-ID

} // namespace vmaf::system
