#include "text/near_names.hpp"

#include "base/edit_distance.hpp"

namespace vmaf::tune {

std::string nearest_name(std::string_view word, const std::vector<std::string> &names) {
    std::string nearest;
    std::size_t least = 3; // more than two changes mean another word
    for (const std::string &name : names)
        if (const std::size_t d = edit_distance(word, name); d < least && d < name.size()) {
            least = d;
            nearest = name;
        }
    return nearest;
}

std::string near_name_hint(std::string_view word, const std::vector<std::string> &names) {
    const std::string nearest = nearest_name(word, names);
    return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

} // namespace vmaf::tune
