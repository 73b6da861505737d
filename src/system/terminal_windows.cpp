#include "system/terminal.hpp"

#include "system/windows.hpp"

namespace vmaf::system {

namespace {

HANDLE handle_of(Stream stream) {
    return GetStdHandle(stream == Stream::input    ? STD_INPUT_HANDLE
                        : stream == Stream::output ? STD_OUTPUT_HANDLE
                                                   : STD_ERROR_HANDLE);
}

} // namespace

bool is_terminal(Stream stream) {
    DWORD mode = 0;
    const HANDLE handle = handle_of(stream);
    if (!GetConsoleMode(handle, &mode)) return false;
    if (stream != Stream::input) SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING); // colours
    return true;
}

unsigned terminal_columns() {
    CONSOLE_SCREEN_BUFFER_INFO screen{};
    if (!GetConsoleScreenBufferInfo(handle_of(Stream::error), &screen)) return 80;
    const int columns = screen.srWindow.Right - screen.srWindow.Left + 1;
    return columns > 0 ? static_cast<unsigned>(columns) : 80;
}

} // namespace vmaf::system
