// Any lines as arguments of the vmaf command: refused with a Failure, or parsed to options within their limits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exit_code.hpp"
#include "options.hpp"

using namespace vmaf::cli;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::vector<std::string> words = {"vmaf"};
    std::string word;
    for (std::size_t i = 0; i < size; i++) {
        if (data[i] == '\n')
            words.push_back(std::exchange(word, {}));
        else if (data[i] != 0) // the system ends arguments there
            word.push_back(static_cast<char>(data[i]));
    }
    words.push_back(word);
    std::vector<const char *> arguments;
    for (const std::string &w : words) arguments.push_back(w.c_str());
    try {
        const Options options = parse_command_line(arguments);
        if (options.models.size() > kMaxModels || options.features.size() > kMaxFeatures) __builtin_trap();
        if (options.action == Action::score && options.list.empty() &&
            (options.reference.empty() || options.distorted.empty()))
            __builtin_trap();
    } catch (const Failure &failure) {
        if (failure.code() != ExitCode::usage || std::string(failure.what()).empty()) __builtin_trap();
    }
    return 0;
}
