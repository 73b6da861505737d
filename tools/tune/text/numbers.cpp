#include "text/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace vmaf::tune {

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return std::string(buffer.data(), end);
}

std::string fixed_text(double value, int digits) {
    if (!std::isfinite(value)) return "–";
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits).ptr;
    std::string text(buffer, end);
    if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with("-")) text.erase(0, 1); // no -0.0
    return text;
}

std::string counted(std::int64_t count, const std::string &noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::optional<double> number_of(const std::string &text) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || *end ? std::nullopt : std::optional(value);
}

} // namespace vmaf::tune
