// Any frames as requests to `vmaf --serve`: each is answered once, in order, and the server continues. Works in its own
// folder with two small clips "r" and "d"; skips names outside it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "exit_code.hpp"
#include "serve.hpp"
#include "system/channel.hpp"
#include "system/log.hpp"
#include "system/output_file.hpp"

namespace {

using namespace vmaf;
namespace fs = std::filesystem;

class OwnFolder {
  public:
    OwnFolder() : path_(fs::temp_directory_path() / ("vmaf-serve-fuzz-" + std::to_string(std::random_device()()))) {
        fs::create_directory(path_);
        fs::current_path(path_);
        for (const auto &[name, sample] : {std::pair("r", '\x40'), std::pair("d", '\x48')})
            system::write_output_file(name, [&, sample = sample](const auto &out) {
                out("YUV4MPEG2 W32 H32 F25:1 Ip C420\n");
                for (int i = 0; i < 2; i++) out("FRAME\n" + std::string(std::size_t{32} * 32 * 3 / 2, sample));
            });
    }
    ~OwnFolder() {
        std::error_code error;
        fs::current_path(path_.parent_path(), error);
        fs::remove_all(path_, error);
    }

  private:
    fs::path path_;
};

// Each input line is a request.
std::vector<std::string> requests_of(std::string_view input) {
    std::vector<std::string> list;
    for (std::size_t begin = 0; begin <= input.size();) {
        const std::size_t end = std::min(input.find('\n', begin), input.size());
        list.emplace_back(input.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

// How many requests the frames answer; each answer must be an object of a known type.
std::size_t count_answers(system::Descriptor from) {
    system::Channel answers{std::move(from), system::Descriptor()};
    std::size_t count = 0;
    while (const auto frame = answers.receive()) {
        const nlohmann::json message = nlohmann::json::parse(frame->text);
        const std::string type = message.at("type");
        if (type == "result" || type == "refused") count++;
        if (type == "refused" && message.at("error").get<std::string>().empty()) __builtin_trap();
        if (type != "result" && type != "refused" && type != "hello" && type != "frames") __builtin_trap();
    }
    return count;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const OwnFolder folder;
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    constexpr std::string_view kLeadsOut = "/\\";
    if (input.find_first_of(kLeadsOut) != input.npos || input.find("..") != input.npos) return 0;
    set_log_level(LogLevel::none);
    const std::vector<std::string> requests = requests_of(input);
    system::Pipe asked = system::make_pipe(), answered = system::make_pipe();
    std::size_t answers = 0;
    std::thread reader([&] { answers = count_answers(std::move(answered.read)); });
    std::thread writer([&] {
        system::Channel client{system::Descriptor(), std::move(asked.write)};
        for (const std::string &request : requests) client.send(request);
    });
    {
        system::Channel server(std::move(asked.read), std::move(answered.write));
        cli::serve(server);
    }
    writer.join();
    reader.join();
    if (answers != requests.size()) __builtin_trap();
    return 0;
}
