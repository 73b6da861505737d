#!/usr/bin/env python3
"""Packs model files: embed_models.py PACKED.cpp INDEX.cpp MODEL.json...

PACKED contains them in one stream (resources/unpack.hpp); the first unpack fastest. INDEX has their offsets.
"""
import sys
from pathlib import Path

try:
    import lzma
except ImportError:
    sys.exit("embed_models.py: this Python has no lzma module; install its liblzma (Debian: liblzma-dev before Python is built) or use the system's Python")

PIECE = 1000  # bytes per literal; the compiler concatenates them
FILTER = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0, "dict_size": 1 << 23}


def main():
    packed_path, index_path, *paths = sys.argv[1:]
    texts = {Path(path).stem: Path(path).read_bytes() for path in paths}
    packed = lzma.compress(b"".join(texts.values()), lzma.FORMAT_RAW, filters=[FILTER])
    pieces = [packed[i : i + PIECE] for i in range(0, len(packed), PIECE)]
    literals = "\n".join('"' + "".join(f"\\{byte:03o}" for byte in piece) + '"' for piece in pieces)
    Path(packed_path).write_text(f'extern "C" const unsigned char vmaf_packed_models[];\nconst unsigned char vmaf_packed_models[] =\n{literals};\n')
    entries, begin = [], 0
    for version, text in texts.items():
        entries.append(f'    {{"{version}", {begin}, {len(text)}}},')
        begin += len(text)
    Path(index_path).write_text("\n".join(
        ['#include "model/packed_models.hpp"', "namespace vmaf {", "const PackedModel kPackedModels[] = {", *entries, "};",
         f"const std::size_t kPackedModelCount = {len(texts)}, kPackedModelBytes = {len(packed)};", "} // namespace vmaf", ""]))


main()
