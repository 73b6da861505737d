#include "serve.hpp"

#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config.h"
#include "ending.hpp"
#include "exit_code.hpp"
#include "models.hpp"
#include "options.hpp"
#include "run.hpp"
#include "say.hpp"
#include "system/build_id.hpp"

namespace vmaf::cli {

namespace {

using nlohmann::json;

// Text that is not UTF-8 (names of files may be anything) becomes readable rather than an error.
std::string text_of(const json &message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

Error bad_request(const std::string &sentence) { return Error(EBADMSG, sentence); }

std::vector<std::string> words_of(const json &request, const char *name) {
    const std::string shown = "\"" + std::string(name) + "\"";
    const auto list = request.find(name);
    if (list == request.end() || !list->is_array())
        throw bad_request("this request needs " + shown + ", a list of words");
    std::vector<std::string> words;
    for (const json &word : *list) {
        if (!word.is_string()) throw bad_request(shown + " may hold texts only");
        words.push_back(word.get<std::string>());
        if (words.back().find('\0') != std::string::npos)
            throw bad_request("a word of " + shown + " holds a zero byte");
    }
    return words;
}

bool flag_of(const json &request, const char *name) {
    const json flag = request.value(name, json(false));
    if (!flag.is_boolean()) throw bad_request("\"" + std::string(name) + "\" is true or false");
    return flag.get<bool>();
}

// "descriptor:N" becomes the name of the file that the N-th descriptor of the request is.
void name_descriptors(std::vector<std::string> &words, const std::vector<system::Descriptor> &descriptors) {
    for (std::string &word : words) {
        if (!word.starts_with(kServeDescriptor)) continue;
        const std::string number = word.substr(std::string_view(kServeDescriptor).size());
        char *end = nullptr;
        const unsigned long at = std::strtoul(number.c_str(), &end, 10);
        if (number.empty() || *end || at >= descriptors.size())
            throw bad_request("'" + word + "' names none of the " + std::to_string(descriptors.size()) +
                              " descriptors that came with the request");
        word = "/dev/fd/" + std::to_string(descriptors[at].get());
    }
}

Options options_of(const std::vector<std::string> &words) {
    std::vector<const char *> pointers = {"vmaf"};
    for (const std::string &word : words) pointers.push_back(word.c_str());
    Options options = parse_command_line(pointers);
    if (options.action != Action::score || has_many_pairs(options))
        throw usage_error("a request scores one pair; use --reference and --distorted");
    for (const std::string &path :
         {options.reference, options.distorted, options.output.value_or(""), options.ndjson.value_or("")})
        if (path == "-") throw usage_error("the standard streams carry requests and answers; name a file instead of -");
    return options;
}

class Server {
  public:
    explicit Server(system::Channel &channel) : channel_(channel) {}

    // False: the other end is gone.
    bool greet() {
        return send({{"type", "hello"},
                     {"protocol", kServeProtocol},
                     {"version", VMAF_VERSION},
                     {"build", system::build_id()}});
    }
    bool answer(system::Frame frame) {
        json id; // null where the request has none that can be read
        try {
            const json request = json::parse(frame.text, nullptr, false);
            if (!request.is_object()) throw bad_request("a request is an object of JSON");
            if (const auto given = request.find("id"); given != request.end()) {
                if (!given->is_number_integer() && !given->is_string())
                    throw bad_request("\"id\" is a whole number or a text");
                id = *given;
            }
            const json type = request.value("type", json());
            if (type == "models") return load(id, words_of(request, "models"));
            if (type != "score")
                throw bad_request("requests of protocol " + std::to_string(kServeProtocol) +
                                  " have \"type\": \"score\" or \"models\"");
            std::vector<std::string> words = words_of(request, "arguments");
            name_descriptors(words, frame.descriptors);
            return score(id, words, flag_of(request, "keep_reference"), frame.descriptors);
        } catch (const Error &e) {
            return send({{"type", "refused"}, {"id", id}, {"error", e.what()}});
        }
    }

  private:
    bool send(const json &message) { return channel_.send(text_of(message)); }

    bool score(const json &id, const std::vector<std::string> &words, bool keeps_reference,
               std::vector<system::Descriptor> &descriptors) {
        const Ending ending = ending_of([&] {
            Options options = options_of(words);
            options.keeps_reference = keeps_reference;
            options.on_frames = [&](std::uint64_t frames) {
                return send({{"type", "frames"}, {"id", id}, {"frames", frames}});
            };
            read_region_files(options.local);
            run(options, &kept_);
        });
        if (ending.status != 0 && ending.status != static_cast<int>(ExitCode::usage)) kept_.forget_backend();
        descriptors.clear(); // who has the answer may rely on it
        return end(id, ending);
    }

    // Whether they can be loaded.
    bool load(const json &id, const std::vector<std::string> &models) {
        return end(id, ending_of([&] {
                       std::vector<ModelArgument> arguments;
                       for (const std::string &model : models) arguments.push_back(parse_model_argument(model));
                       load_models(arguments);
                   }));
    }

    bool end(const json &id, const Ending &ending) {
        if (!ending.sentence.empty()) say(ending.sentence); // before the answer: who reads both has it by then
        json result = {{"type", "result"}, {"id", id}, {"exit_code", ending.status}};
        if (!ending.sentence.empty()) result["error"] = ending.sentence;
        return send(result);
    }

    system::Channel &channel_;
    KeptEngine kept_;
};

} // namespace

void serve(system::Channel &channel) {
    Server server(channel);
    bool arrives = server.greet();
    while (arrives) {
        std::optional<system::Frame> frame = channel.receive();
        if (!frame) return;
        arrives = server.answer(std::move(*frame));
    }
    throw cannot_print("standard output", errno);
}

} // namespace vmaf::cli
