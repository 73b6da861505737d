"""exports.py LIST: the definition file for a Windows library that exports the names in LIST and no others."""
import pathlib
import sys

print("EXPORTS", *pathlib.Path(sys.argv[1]).read_text().split(), sep="\n")
