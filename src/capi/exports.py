"""exports.py LIST: the definition file for a Windows library that exports the names in LIST, and one more for the project's own programs."""
import pathlib
import sys

print("EXPORTS", *pathlib.Path(sys.argv[1]).read_text().split(), "vmaf_private_resources DATA PRIVATE", sep="\n")
