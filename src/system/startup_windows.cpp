#include "system/startup.hpp"

#include <cstdio>
#include <fcntl.h>
#include <io.h>

#include "system/windows.hpp"

#include <shellapi.h>

namespace vmaf::system {

namespace {

int status_on_interrupt = 1;
void (*clean_up_at_end)() noexcept = nullptr;

// Windows calls it in a new thread.
BOOL WINAPI end_on_event(DWORD event) {
    clean_up_at_end();
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
        TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status_on_interrupt));
    return FALSE; // continue with the default
}

} // namespace

Arguments::Arguments(int argc, char **argv) {
    int count = 0;
    wchar_t **const words = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 0; words && i < count; i++) own_.push_back(narrow(words[i]));
    LocalFree(words);
    if (own_.empty()) own_.assign(argv, argv + argc);
    for (std::string &word : own_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
}

void prepare_standard_streams() {
    for (std::FILE *stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
}

StandardStreams take_standard_streams() {
    Descriptor input(_dup(_fileno(stdin))), output(_dup(_fileno(stdout)));
    const Descriptor null(_open("NUL", _O_RDWR | _O_BINARY));
    if (!input.is_open() || !output.is_open() || !null.is_open() || _dup2(null.get(), _fileno(stdin)) != 0 ||
        _dup2(null.get(), _fileno(stdout)) != 0)
        throw with_reason("the standard streams cannot be used", GetLastError());
    return {std::move(input), std::move(output)};
}

bool output_arrives() noexcept { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

int end_with_output(const char *program, int status, int failed_status) noexcept {
    const bool arrived = output_arrives();
    if ((std::fclose(stdout) == 0 && arrived) || status != 0) return status;
    std::fprintf(stderr, "%s: cannot write standard output\n", program);
    return failed_status;
}

void end_orderly_on_signals(int interrupted_status, void (*clean_up)() noexcept) {
    status_on_interrupt = interrupted_status;
    clean_up_at_end = clean_up;
    SetConsoleCtrlHandler(end_on_event, TRUE);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX); // no dialogs
}

} // namespace vmaf::system
