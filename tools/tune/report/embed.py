#!/usr/bin/env python3
"""Writes the templates of the report as C++ string literals: embed.py OUTPUT page.html plot.css page.css heat.js page.js

Files of one kind are joined in the order given; plot.css, which single charts need too, is apart."""
import sys

PIECE = 4000  # characters per literal; the compiler joins them
NAMES = {"html": "page_template", "plot.css": "plot_style", "css": "page_style", "js": "page_script"}


def literal(text):
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
    return "\n".join(f'    "{text[i : i + PIECE].translate(escapes)}"' for i in range(0, len(text), PIECE))


parts = ['#include "reporting/page.hpp"', "namespace vmaf::tune {"]
texts = dict.fromkeys(NAMES, "")
for path in sys.argv[2:]:
    kind = next(ending for ending in NAMES if path.endswith(ending))
    with open(path, encoding="utf-8") as file: texts[kind] += file.read()
for kind, text in texts.items():
    parts.append(f"std::string_view {NAMES[kind]}() {{\n  return\n{literal(text)};\n}}")
with open(sys.argv[1], "w", encoding="utf-8") as file: file.write("\n".join([*parts, "} // namespace vmaf::tune", ""]))
