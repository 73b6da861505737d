"""What has one room is used in no other: files' modes, links and owners, dynamic libraries and the environment in src/system."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = re.compile(r"(?<![\w.>])(?:std::|::)?(getenv|secure_getenv|setenv|putenv|dlopen|dlsym|dlclose|f?chmod|l?chown|fchown|umask|lstat|symlink|readlink|mkstemp|"
                   r"mkdtemp|mkfifo|LoadLibrary[AW]?|GetProcAddress|GetEnvironmentVariable[AW]?)\s*\(")


class Rooms(unittest.TestCase):
    def test_the_system_is_asked_in_one_room(self):
        found = []
        for folder in ("src", "tools"):
            for path in sorted((ROOT / folder).rglob("*.?pp")):
                name = str(path.relative_to(ROOT))
                if name.startswith("src/system/") or name.endswith("_test.cpp"): continue
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    if match := CALLS.search(line.split("//")[0]): found.append(f"{name}:{number}: {match.group(1)}")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
