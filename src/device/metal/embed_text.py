#!/usr/bin/env python3
"""Writes a C++ file with a text under a private symbol of the library.

usage: embed_text.py SYMBOL INPUT OUTPUT.cpp
"""
import sys
from pathlib import Path

LINES = 200  # per literal; compilers may reject longer ones

symbol, source, target = sys.argv[1:]
lines = Path(source).read_text().splitlines(keepends=True)
parts = [''.join(lines[i:i + LINES]) for i in range(0, len(lines), LINES)]
literals = '\n'.join(f'R"msl({part})msl"' for part in parts)
Path(target).write_text(f'extern "C" const unsigned char {symbol}[];\nconst unsigned char {symbol}[] =\n{literals};\n')
