// Lists of texts: joining, splitting, finding.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace vmaf {

// Appends an item to a list for users, which may be empty.
inline void add_item(std::string &list, std::string_view item, std::string_view separator = ", ") {
    if (!list.empty()) list += separator;
    list += item;
}

struct ItemItself {
    template <class T> const T &operator()(const T &item) const { return item; }
};

// `text`: a function or a member that makes an item's text.
template <class List, class Text = ItemItself>
std::string joined(const List &items, std::string_view separator = ", ", Text text = {}) {
    std::string list;
    bool is_first = true;
    for (const auto &item : items) {
        if (!is_first) list += separator;
        list += std::invoke(text, item);
        is_first = false;
    }
    return list;
}

// The parts between separators; a text without any is one part.
inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

template <class List, class T> bool contains(const List &items, const T &wanted) {
    return std::find(std::begin(items), std::end(items), wanted) != std::end(items);
}

} // namespace vmaf
