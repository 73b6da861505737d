// Kernels in Metal's language: one text per set, carried by the library, compiled by the system when they are needed.
#pragma once

namespace vmaf::metal {

struct Text {
    const char *set, *text;
};
const char *text_of_set(const char *set); // null: there is none
void add_text(const Text &text);          // for tests; before devices are opened

} // namespace vmaf::metal
