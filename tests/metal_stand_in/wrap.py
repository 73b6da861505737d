#!/usr/bin/env python3
"""Converts a generated file in Metal's language to C++ for plain clang, with a table of its kernels.

usage: wrap.py SET INPUT.metal OUTPUT.cpp
"""
import re
import sys
from pathlib import Path

TABLE = '''
// From here on without Metal's words.
#undef device
#undef constant
#undef threadgroup
#undef thread
#undef kernel
#undef half
#undef double
#include "kernel_table.h"
#define IN(space, type, at) ((__attribute__((address_space(space))) type *)(at))
@functions@
extern "C" const MetalStandInKernel vmaf_metal_@set@_kernels[];
const MetalStandInKernel vmaf_metal_@set@_kernels[] = {@entries@{nullptr, nullptr, nullptr}};
'''
FUNCTION = '''static void run_@name@(const void *args, void *shared, uint x, uint y, uint z, uint index) {
    using K = vmaf::kernels::@name@<vmaf::kernels::MetalContext>;
    vmaf_@name@(*IN(2, K::Args, args), IN(3, K::SharedMemory, shared), {x, y, z}, index);
}
static void shape_@name@(void *to) { vmaf_@name@_shape(IN(1, vmaf::kernels::KernelShape, to)); }
'''


def main():
    kernel_set, source, output = sys.argv[1:]
    text = Path(source).read_text()
    # The attribute has the name of an address space, which is a macro here.
    text, count = re.subn(r'\[\[threadgroup\(0\)\]\]', '', text)
    names = re.findall(r'\bkernel void vmaf_(\w+)_shape\(', text)
    if not names or count != len(names):
        sys.exit(f'{source}: {count} entries, {len(names)} shapes')
    functions = ''.join(FUNCTION.replace('@name@', name) for name in names)
    entries = ''.join(f'{{"{name}", run_{name}, shape_{name}}}, ' for name in names)
    table = TABLE.replace('@set@', kernel_set).replace('@functions@', functions).replace('@entries@', entries)
    Path(output).write_text(text + table)


if __name__ == '__main__':
    main()
