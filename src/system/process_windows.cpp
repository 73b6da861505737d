#include "system/process.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <cwctype>
#include <filesystem>
#include <io.h>
#include <map>
#include <mutex>
#include <set>

#include "system/environment.hpp"
#include "system/terminal.hpp"
#include "system/windows.hpp"

namespace vmaf::system {

namespace {

constexpr UINT kKilled = 128 + 9;             // as POSIX systems report it
constexpr UINT kCrashed = 128 + 11;           // stands for every unhandled exception
constexpr DWORD kFirstException = 0xC0000000; // exit codes from here on are exceptions
constexpr UINT kNotStarted = 127;
constexpr DWORD kWithoutLibraries[] = {0xC0000135, 0xC0000139, 0xC000007B}; // missing, too old, for another machine

// Jobs of running children, so that all can be ended.
std::mutex jobs_mutex;
std::set<HANDLE> running_jobs;
std::atomic<int> interruptions_seen{0};
const char *sentence_at_first = nullptr; // printed on a terminal

void kill_all() {
    const std::lock_guard lock(jobs_mutex);
    for (const HANDLE job : running_jobs) TerminateJobObject(job, kKilled);
}

// Windows calls it in a new thread.
BOOL WINAPI on_event(DWORD event) {
    const bool is_final = event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT;
    if (++interruptions_seen >= 2 || is_final) {
        kill_all();
        return !is_final;
    }
    if (sentence_at_first) _write(2, sentence_at_first, static_cast<unsigned>(std::strlen(sentence_at_first)));
    return TRUE;
}

// As the C runtime and CommandLineToArgvW split it: backslashes count only before a quote.
std::wstring quoted(const std::string &word) {
    const std::wstring text = wide(word);
    if (!text.empty() && text.find_first_of(L" \t\n\v\"") == std::wstring::npos) return text;
    std::wstring result = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t c : text) {
        if (c == L'"') result.append(backslashes + 1, L'\\'); // doubles them, and adds one for the quote
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        result += c;
    }
    return result.append(backslashes, L'\\') + L"\"";
}

std::wstring command_line(const std::vector<std::string> &words) {
    std::wstring line;
    for (const std::string &word : words) line += (line.empty() ? L"" : L" ") + quoted(word);
    return line;
}

struct WithoutCase {
    static std::wstring folded(std::wstring text) {
        for (wchar_t &c : text) c = static_cast<wchar_t>(std::towupper(c));
        return text;
    }
    bool operator()(const std::wstring &a, const std::wstring &b) const { return folded(a) < folded(b); }
};

std::wstring environment_block(const std::vector<std::pair<std::string, std::string>> &changes) {
    std::map<std::wstring, std::wstring, WithoutCase> all;
    wchar_t *const strings = GetEnvironmentStringsW();
    for (const wchar_t *at = strings; at && *at; at += std::wcslen(at) + 1) {
        const std::wstring_view text = at;
        const std::size_t equals = text.find(L'=', 1); // names of per-drive folders begin with '='
        if (equals != std::wstring_view::npos)
            all[std::wstring(text.substr(0, equals))] = std::wstring(text.substr(equals + 1));
    }
    FreeEnvironmentStringsW(strings);
    for (const auto &[name, value] : changes) all[wide(name)] = wide(value);
    std::wstring block;
    for (const auto &[name, value] : all) block += name + L'=' + value + L'\0';
    return block + L'\0';
}

Handle inheritable(HANDLE handle) {
    HANDLE copy = nullptr;
    if (!DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS))
        throw with_reason("a handle cannot be passed on", GetLastError());
    return Handle(copy);
}

Handle stream(int descriptor) {
    if (descriptor >= 0) return inheritable(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)));
    SECURITY_ATTRIBUTES is_inherited{sizeof is_inherited, nullptr, TRUE};
    return Handle(CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &is_inherited,
                              OPEN_EXISTING, 0, nullptr));
}

// The inherited handles, and the C runtime's convention for passing on descriptor numbers.
class Inheritance {
  public:
    explicit Inheritance(const Launch &launch) {
        for (const int descriptor : {launch.input, launch.output, launch.error}) add(stream(descriptor));
        int count = 0;
        for (const auto &[ours, theirs] : launch.inherited) {
            add(stream(ours));
            count = std::max(count, theirs + 1);
        }
        if (count == 0) return;
        constexpr unsigned char kOpen = 0x01, kPipe = 0x08;
        std::vector<unsigned char> flags(static_cast<std::size_t>(count), 0);
        std::vector<HANDLE> handles(flags.size(), INVALID_HANDLE_VALUE);
        for (std::size_t i = 0; i < launch.inherited.size(); i++) {
            const auto number = static_cast<std::size_t>(launch.inherited[i].second);
            handles[number] = values_[3 + i];
            flags[number] = kOpen | (GetFileType(handles[number]) == FILE_TYPE_PIPE ? kPipe : 0);
        }
        block_.resize(sizeof count + flags.size() * (1 + sizeof(HANDLE)));
        std::memcpy(block_.data(), &count, sizeof count);
        std::memcpy(block_.data() + sizeof count, flags.data(), flags.size());
        std::memcpy(block_.data() + sizeof count + flags.size(), handles.data(), handles.size() * sizeof(HANDLE));
    }

    std::vector<HANDLE> &values() { return values_; }
    std::vector<unsigned char> &block() { return block_; }

  private:
    void add(Handle handle) {
        values_.push_back(handle.get());
        owned_.push_back(std::move(handle));
    }
    std::vector<Handle> owned_;
    std::vector<HANDLE> values_;
    std::vector<unsigned char> block_;
};

// Children inherit no other handle: a leaked one would keep a pipe open whose end we wait for.
class HandleList {
  public:
    explicit HandleList(std::vector<HANDLE> &handles) {
        SIZE_T bytes = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
        memory_.resize(bytes);
        if (!InitializeProcThreadAttributeList(get(), 1, 0, &bytes) ||
            !UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                       handles.size() * sizeof(HANDLE), nullptr, nullptr))
            throw with_reason("handles cannot be passed on", GetLastError());
    }
    ~HandleList() { DeleteProcThreadAttributeList(get()); }
    HandleList(const HandleList &) = delete;
    HandleList &operator=(const HandleList &) = delete;
    LPPROC_THREAD_ATTRIBUTE_LIST get() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

  private:
    std::vector<unsigned char> memory_;
};

// A job ends with its last handle, which is ours: so its processes end with us, however we end.
Handle make_job(const std::vector<int> &processors) {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    for (const int number : processors) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_AFFINITY;
        limits.BasicLimitInformation.Affinity |= ULONG_PTR{1} << (number % 64);
    }
    if (!job.is_open() ||
        !SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits))
        throw with_reason("no job for programs", GetLastError());
    return job;
}

} // namespace

class Process::Running {
  public:
    explicit Running(const Launch &launch) : job_(make_job(launch.processors)) {
        const std::string &name = launch.words.at(0);
        const auto program = find_program(name);
        if (!program) throw with_reason("cannot start '" + name + "'", ERROR_FILE_NOT_FOUND);
        Inheritance inheritance(launch);
        HandleList list(inheritance.values());
        STARTUPINFOEXW start{};
        start.StartupInfo.cb = sizeof start;
        start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        start.StartupInfo.hStdInput = inheritance.values()[0];
        start.StartupInfo.hStdOutput = inheritance.values()[1];
        start.StartupInfo.hStdError = inheritance.values()[2];
        start.StartupInfo.cbReserved2 = static_cast<WORD>(inheritance.block().size());
        start.StartupInfo.lpReserved2 = inheritance.block().empty() ? nullptr : inheritance.block().data();
        start.lpAttributeList = list.get();
        std::wstring line = command_line(launch.words), environment = environment_block(launch.environment);
        PROCESS_INFORMATION made{};
        // Suspended until it is in the job; in its own group, which Ctrl-C does not reach.
        constexpr DWORD kFlags =
            CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
        if (!CreateProcessW(wide_path(*program).c_str(), line.data(), nullptr, nullptr, TRUE, kFlags,
                            environment.data(), nullptr, &start.StartupInfo, &made))
            throw with_reason("cannot start '" + name + "'", GetLastError());
        process_ = Handle(made.hProcess);
        const Handle thread(made.hThread);
        number_ = made.dwProcessId;
        if (!AssignProcessToJobObject(job_.get(), process_.get())) {
            const DWORD code = GetLastError();
            TerminateProcess(process_.get(), kKilled);
            throw with_reason("cannot start '" + name + "' in a job", code);
        }
        {
            const std::lock_guard lock(jobs_mutex);
            running_jobs.insert(job_.get());
        }
        if (interruptions() > 1) kill(); // the handler may have run before we registered the child
        ResumeThread(thread.get());
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    ~Running() {
        kill();
        const std::lock_guard lock(jobs_mutex);
        running_jobs.erase(job_.get());
    }

    ProcessNumber pid() const { return number_; }
    int wait() {
        DWORD code = 0;
        WaitForSingleObject(process_.get(), INFINITE);
        GetExitCodeProcess(process_.get(), &code);
        if (std::ranges::find(kWithoutLibraries, code) != std::end(kWithoutLibraries)) return kNotStarted;
        return static_cast<int>(code >= kFirstException ? kCrashed : code);
    }
    void kill() noexcept { TerminateJobObject(job_.get(), kKilled); }

  private:
    Handle job_, process_;
    ProcessNumber number_ = 0;
};

ProcessNumber own_process() { return GetCurrentProcessId(); }

// Skips the current folder, which others may have filled.
std::optional<std::string> find_program(const std::string &name) {
    if (name.empty()) return std::nullopt;
    const auto in_place = [](const std::string &path) -> std::optional<std::string> {
        for (const std::string &candidate : {path, path + ".exe"}) {
            const DWORD kind = GetFileAttributesW(wide_path(candidate).c_str());
            if (kind != INVALID_FILE_ATTRIBUTES && !(kind & FILE_ATTRIBUTE_DIRECTORY)) return candidate;
        }
        return std::nullopt;
    };
    if (name.find_first_of("/\\") != std::string::npos) return in_place(name);
    const std::string path = environment("PATH").value_or("");
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        if (const auto found = in_place(std::string(rest.substr(0, end)) + "/" + name); end > 0 && found) return found;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

std::int64_t processor_time(ProcessNumber process) {
    const Handle handle(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process)));
    FILETIME begin, end, kernel, user;
    if (!handle.is_open() || !GetProcessTimes(handle.get(), &begin, &end, &kernel, &user)) return 0;
    const auto hundredths = [](const FILETIME &time) { // in units of 100 ns
        return (std::int64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) / 100'000;
    };
    return hundredths(kernel) + hundredths(user);
}

void count_interruptions(const char *first_sentence, Termination) {
    if (is_terminal(Stream::error)) sentence_at_first = first_sentence;
    SetConsoleCtrlHandler(on_event, TRUE);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX); // no dialogs
}

int interruptions() { return interruptions_seen.load(); }
void add_interruption() { ++interruptions_seen; }
void forget_interruptions() { interruptions_seen = 0; }

} // namespace vmaf::system

#include "system/process-inl.hpp"
