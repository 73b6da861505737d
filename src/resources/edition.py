#!/usr/bin/env python3
"""Writes a header that names the content of files, so that programs take them from no other build: edition.py OUTPUT VERSION FILE..."""
import hashlib
import sys
from pathlib import Path

output, version, *files = sys.argv[1:]
digest = hashlib.sha256()
for file in files:
    digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
Path(output).write_text(f'#define VMAF_EDITION "{version} {digest.hexdigest()[:32]}"\n')
