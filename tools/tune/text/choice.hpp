// Words for values, as on the command line and in documents.
#pragma once

#include <cstddef>

namespace vmaf::tune {

template <class E> struct Choice {
    const char *word;
    E value;
};

template <class E, std::size_t N> constexpr const char *word_of(const Choice<E> (&choices)[N], E value) {
    for (const Choice<E> &choice : choices)
        if (choice.value == value) return choice.word;
    return "";
}

} // namespace vmaf::tune
