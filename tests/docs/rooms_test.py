"""Code stays in its room: only src/system depends on the operating system, and the rooms of src and of vmaf-tune are layered."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = re.compile(r"(?<![\w.>])(?:std::|::)?(getenv|secure_getenv|setenv|putenv|dlopen|dlsym|dlclose|f?chmod|l?chown|fchown|umask|lstat|sysconf|getuid|symlink|readlink|mkstemp|"
                   r"mkdtemp|mkfifo|LoadLibrary[AW]?|GetProcAddress|GetEnvironmentVariable[AW]?)\s*\(")
HEADERS = re.compile(r"#\s*include\s*<(unistd|fcntl|poll|dlfcn|spawn|sched|pthread|termios|dirent|pwd|ucontext|io|windows|winsock2|getopt|sys/[\w/]+)\.h>")
SYSTEMS = re.compile(r"#\s*(?:el)?if.*\b(_WIN32|_WIN64|__MINGW\w+|_MSC_VER|__linux__|__APPLE__|__unix__|__EMSCRIPTEN__)\b")
# Each includes only itself and rooms after it (docs/architecture.md). media and testing come first: the engine cannot include them.
SRC_ROOMS = ["io", "device/host", "capi", "report", "session", "model", "scores", "metrics", "device", "cpu", "picture", "resources", "system", "base"]
# Each includes only itself and rooms after it (docs/architecture.md).
TUNE_ROOMS = ["commands", "reporting", "jobs", "cli", "rows", "search", "curves", "stages", "backend", "source", "cache", "adapters", "process", "hash", "text"]
# A variable that outlives the run; allows counters that only make names unique.
STATIC = re.compile(r"^\s*(static (?!const\b|constexpr\b|std::atomic<unsigned> counter)(?:thread_local )?[\w:<>, *&]+ \w+(?: = [^()]*|\{[^()]*\})?;)")

# Only src/system/filesystem.hpp makes their narrow names UTF-8.
NAMES = re.compile(r"(std::filesystem|std::[io]?fstream)\b")


class Rooms(unittest.TestCase):
    def found_elsewhere(self, pattern):
        found = []
        for folder in ("src", "tools"):
            for path in sorted((ROOT / folder).rglob("*.?pp")):
                name = str(path.relative_to(ROOT))
                if name.startswith("src/system/") or name.endswith("_test.cpp"): continue
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    if match := pattern.search(line.split("//")[0]): found.append(f"{name}:{number}: {match.group(1)}")
        return found

    def test_the_system_is_asked_in_one_room(self):
        self.assertEqual(self.found_elsewhere(CALLS), [])

    def test_headers_of_systems_are_included_in_one_room(self):
        self.assertEqual(self.found_elsewhere(HEADERS), [])

    def test_names_of_files_are_utf8(self):
        self.assertEqual(self.found_elsewhere(NAMES), [])

    def test_systems_are_distinguished_in_one_room(self):
        self.assertEqual(self.found_elsewhere(SYSTEMS), [])

    def test_rooms_of_src_include_what_is_below_them(self):
        def room_of(path):
            folders = path.split("/")
            return "/".join(folders[:2]) if "/".join(folders[:2]) in SRC_ROOMS else folders[0]

        wrong, source = [], ROOT / "src"
        for path in sorted(path for path in source.rglob("*") if path.name.split(".", 1)[-1] in ("cpp", "hpp", "h", "mm", "cuh", "cu.in", "cpp.in", "hip.in", "hip.hpp")):
            if path.name.endswith(("_test.cpp", "_equality.cpp", "_cases.cpp")): continue
            name = str(path.relative_to(source))
            for included in re.findall(r'#\s*include "([^"]+)"', path.read_text()):
                if (source / included).exists() and "/" in included: target = included
                elif (path.parent / included).exists(): target = str((path.parent / included).resolve().relative_to(source))
                else: continue  # generated, or outside src
                if "/" not in target or "/" not in name: continue
                if SRC_ROOMS.index(room_of(target)) < SRC_ROOMS.index(room_of(name)): wrong.append(f"src/{name}: {included}")
        self.assertEqual(wrong, [])

    def tune_files(self):
        for path in sorted((ROOT / "tools/tune").rglob("*.?pp")):
            if not path.name.endswith("_test.cpp"): yield path

    def test_rooms_of_vmaf_tune_include_what_is_below_them(self):
        wrong = []
        for path in self.tune_files():
            room = path.parent.name
            if room not in TUNE_ROOMS: continue
            for included in re.findall(r'#include "(\w+)/', path.read_text()):
                if included in TUNE_ROOMS and TUNE_ROOMS.index(included) < TUNE_ROOMS.index(room): wrong.append(f"{path.relative_to(ROOT)}: {included}/")
        self.assertEqual(wrong, [])

    def test_all_rooms_of_vmaf_tune_have_their_place(self):
        data = {"schemas", "report"}  # contain no code
        folders = {path.name for path in (ROOT / "tools/tune").iterdir() if path.is_dir() and any(path.iterdir())}
        self.assertEqual(folders - data, set(TUNE_ROOMS))
        self.assertEqual([path.name for name in data for path in (ROOT / "tools/tune" / name).rglob("*.?pp")], [])
        said = " ".join((ROOT / "docs/architecture.md").read_text().split())
        self.assertIn(", ".join(f"`{room}`" for room in TUNE_ROOMS), said)

    def test_what_vmaf_tune_remembers_belongs_to_a_run(self):
        found = []
        for path in self.tune_files():
            for line in path.read_text().splitlines():
                if match := STATIC.match(line): found.append(f"{path.relative_to(ROOT)}: {match.group(1)}")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
