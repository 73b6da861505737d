#!/usr/bin/env python3
"""Writes model files as C++ string literals: embed_models.py OUTPUT MODEL.json..."""
import os
import sys

PIECE = 4000  # characters per literal; the compiler joins them


def literal(text):
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
    return "\n".join(f'    "{piece.translate(escapes)}"' for piece in pieces)


def main():
    output, paths = sys.argv[1], sys.argv[2:]
    parts = ['#include "model/builtin_json.hpp"', "namespace vmaf {", "const EmbeddedModel kEmbeddedModels[] = {"]
    for path in paths:
        with open(path, encoding="ascii") as file:
            text = file.read()
        version = os.path.splitext(os.path.basename(path))[0]
        parts.append(f'{{"{version}", {{\n{literal(text)},\n    {len(text)}}}}},')
    parts += ["};", f"const std::size_t kEmbeddedModelCount = {len(paths)};", "} // namespace vmaf", ""]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(parts))


main()
