#include "model/json_tree.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "system/c_locale.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kKeptDepth = 7;       // collection, member, model_dict, score_transform, knots, pair, number
constexpr std::size_t kMaxValues = 1 << 20; // a collection of 9999 members has fewer
constexpr std::size_t kMaxReason = 200;

// Receives the parser's events. Pointers to open containers stay valid: only the last child of each one grows.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
  public:
    JsonValue root;
    std::string problem;

    bool null() override { return add({}); }
    bool boolean(bool value) override { return add({.kind = JsonValue::Kind::boolean, .flag = value}); }
    bool number_integer(number_integer_t value) override { return add_number(double(value), float(value)); }
    bool number_unsigned(number_unsigned_t value) override { return add_number(double(value), float(value)); }
    bool number_float(number_float_t value, const string_t &text) override {
        return add_number(value, std::strtof(text.c_str(), nullptr));
    }
    bool string(string_t &value) override { return add({.kind = JsonValue::Kind::string, .text = std::move(value)}); }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
    bool start_array(std::size_t) override { return open(JsonValue::Kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &name) override {
        if (dropped_ == 0) open_.back()->names.push_back(std::move(name));
        return true;
    }
    bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &e) override {
        problem = e.what();
        if (const auto end = problem.find("] "); end != std::string::npos) problem.erase(0, end + 2);
        if (problem.size() > kMaxReason) problem.resize(kMaxReason);
        return false;
    }

  private:
    JsonValue *place(JsonValue &&value) {
        if (open_.empty()) return &(root = std::move(value));
        return &open_.back()->items.emplace_back(std::move(value));
    }
    bool add(JsonValue &&value) {
        if (dropped_ > 0) return true;
        if (++values_ > kMaxValues) {
            problem = "it has more values than any model needs";
            return false;
        }
        place(std::move(value));
        return true;
    }
    bool add_number(double value, float single) {
        return add({.kind = JsonValue::Kind::number, .number = value, .single = single});
    }
    bool open(JsonValue::Kind kind) {
        if (dropped_ > 0 || open_.size() >= kKeptDepth) {
            if (dropped_ == 0 && !add({.kind = kind})) return false;
            dropped_++;
            return true;
        }
        if (++values_ > kMaxValues) return add({});
        open_.push_back(place({.kind = kind}));
        return true;
    }
    bool close() {
        if (dropped_ > 0)
            dropped_--;
        else
            open_.pop_back();
        return true;
    }

    std::vector<JsonValue *> open_;
    std::size_t dropped_ = 0; // open containers below the kept depth
    std::size_t values_ = 0;
};

} // namespace

std::string_view to_string(JsonValue::Kind kind) {
    switch (kind) {
    case JsonValue::Kind::boolean: return "true or false";
    case JsonValue::Kind::number: return "a number";
    case JsonValue::Kind::string: return "a string";
    case JsonValue::Kind::array: return "an array";
    case JsonValue::Kind::object: return "an object";
    default: return "null";
    }
}

JsonValue parse_json(std::string_view text) {
    const CLocale c_locale; // the parser looks up the decimal point
    TreeBuilder builder;
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, false))
        throw invalid("not a JSON document: " + builder.problem);
    return std::move(builder.root);
}

} // namespace vmaf
