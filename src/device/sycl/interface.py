#!/usr/bin/env python3
"""Names the interface of the SYCL module; the name changes with everything that library and module must agree on.

interface.py list SOURCE_FOLDER          the files that determine it, for Meson
interface.py header SOURCE_FOLDER OUTPUT a header with the name
"""
import hashlib
import pathlib
import sys


def files(source):
    found = [*source.glob('device/*.hpp'), *source.glob('device/sycl/*.hpp'), *source.glob('metrics/**/*kernel*.hpp'),
             *source.glob('metrics/**/*_taps.hpp')]
    return sorted(path for path in found if not path.name.startswith('sycl_device'))


def main(action, source, *output):
    source = pathlib.Path(source)
    if action == 'list':
        print('\n'.join(map(str, files(source))))
        return
    digest = hashlib.sha256()
    for path in files(source):
        digest.update(path.relative_to(source).as_posix().encode() + b'\0' + path.read_bytes())
    pathlib.Path(output[0]).write_text(
        f'// Made by the build.\n#define VMAF_SYCL_INTERFACE "vmaf sycl 1 {digest.hexdigest()[:16]}"\n')


main(*sys.argv[1:])
