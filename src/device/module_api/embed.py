#!/usr/bin/env python3
"""Writes an assembler file that embeds a binary file in read-only memory under a private symbol of the library.

usage: embed.py SYMBOL INPUT OUTPUT.S
"""
import sys
from pathlib import Path

symbol, source, target = sys.argv[1:]
Path(target).write_text(f'''.section .rodata
.balign 64
.globl {symbol}
.hidden {symbol}
.type {symbol}, %object
{symbol}:
.incbin "{Path(source).resolve()}"
.size {symbol}, . - {symbol}
.globl {symbol}_end
.hidden {symbol}_end
{symbol}_end:
.byte 0
.section .note.GNU-stack,"",%progbits
''')
