#!/bin/sh
# amalgamation.sh SOURCE OUTPUT SCRATCH: makes OUTPUT/sqlite3.c and OUTPUT/sqlite3.h with SQLite's own makefile, for this machine.
set -eu
source=$(cd "$1" && pwd)
mkdir -p "$2" "$3"
output=$(cd "$2" && pwd)
cd "$3"
unset CC CFLAGS LDFLAGS
"$source/configure" --disable-tcl >configure.log 2>&1 || { cat configure.log >&2; exit 1; }
make sqlite3.c >make.log 2>&1 || { cat make.log >&2; exit 1; }
cp sqlite3.c sqlite3.h "$output"
