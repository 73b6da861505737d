"""What `meson install` installs: by tag, for pkg-config, for CMake and in the developer's environment.

  install_test.py BUILD_FOLDER CLIENT_SOURCE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
CLIENT = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MESON = os.environ.get("MESON", "meson").split()


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{words} failed with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.files = {}
        for tag in ("runtime", "devel", "bin", "man", None):
            place = cls.root / str(tag)
            tags = ["--tags", tag] if tag else []
            run(*MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", place, *tags)
            cls.files[tag] = {str(path.relative_to(place)) for path in place.rglob("*") if not path.is_dir()}
        config = next((cls.root / "None").rglob("libvmaf.pc"))
        cls.packages = config.parent
        cls.libdir = config.parent.parent

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def names(self, tag):
        return {pathlib.PurePath(name).name for name in self.files[tag]}

    def test_every_file_has_a_tag(self):
        tagged = self.files["runtime"] | self.files["devel"] | self.files["bin"] | self.files["man"]
        self.assertEqual(self.files[None] - tagged, set())

    def test_runtime_is_the_shared_library_alone(self):
        self.assertTrue({"libvmaf.so.3"} <= self.names("runtime"), self.names("runtime"))
        self.assertEqual([name for name in self.names("runtime") if not name.startswith("libvmaf.so")], [])

    def test_devel_has_headers_and_descriptions(self):
        for name in ("libvmaf.h", "feature.h", "libvmaf.pc", "libvmafConfig.cmake", "libvmafConfigVersion.cmake"):
            self.assertIn(name, self.names("devel"))

    def test_programs_are_bin(self):
        for name in ("vmaf", "vmaf-tune", "vmaf-parity"):
            self.assertIn(name, self.names("bin"))
            self.assertIn(name + ".1", self.names("man"))

    def pkg_config(self, *arguments):
        prefix = str(self.root / "None")
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.packages), PKG_CONFIG_SYSROOT_DIR=prefix)
        return run("pkg-config", *arguments, "libvmaf", env=environment).split()

    def test_pkg_config_says_what_a_static_link_needs_in_order(self):
        words = self.pkg_config("--static", "--libs")
        self.assertLess(words.index("-lvmaf"), words.index("-lstdc++") if "-lstdc++" in words else words.index("-lc++"))
        self.assertLess(words.index("-lstdc++") if "-lstdc++" in words else words.index("-lc++"), words.index("-lm"))
        text = (self.packages / "libvmaf.pc").read_text()
        self.assertNotIn("Requires", text)
        cflags = next(line for line in text.splitlines() if line.startswith("Cflags:"))
        self.assertEqual(cflags.split()[1:], ["-I${includedir}", "-I${includedir}/libvmaf"])

    def test_a_client_builds_with_pkg_config(self):
        program = self.root / "pc_client"
        compiler = os.environ.get("CC", "cc").split()
        run(*compiler, CLIENT, *self.pkg_config("--cflags"), "-o", program, *self.pkg_config("--libs"))
        self.assertIn("libvmaf.so.3", run("ldd", program, env=dict(os.environ, LD_LIBRARY_PATH=str(self.libdir))))

    @unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
    def test_a_client_builds_with_cmake(self):
        project = self.root / "cmake_client"
        project.mkdir()
        (project / "client.c").write_text('#include <libvmaf.h>\n#include <libvmaf/picture.h>\n#include <stdio.h>\n'
                                          'int main(void) { puts(vmaf_version()); return 0; }\n')
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(client C)\n"
                                                "find_package(libvmaf 3.0 REQUIRED)\nadd_executable(client client.c)\n"
                                                "target_link_libraries(client libvmaf::libvmaf)\n")
        moved = self.root / "moved"  # the folder can be moved
        shutil.copytree(self.root / "None", moved, symlinks=True)
        config = next(moved.rglob("libvmafConfig.cmake")).parent
        run("cmake", "-S", project, "-B", project / "build", f"-Dlibvmaf_DIR={config}")
        run("cmake", "--build", project / "build")
        self.assertEqual(run(project / "build/client").strip(), "3.2.0")
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(client C)\nfind_package(libvmaf 4 REQUIRED)\n")
        refused = subprocess.run(["cmake", "-S", project, "-B", project / "other", f"-Dlibvmaf_DIR={config}"], capture_output=True)
        self.assertNotEqual(refused.returncode, 0)

    def test_the_code_of_the_page_compiles(self):
        """docs/usage/c-api.md: statements are wrapped in functions."""
        overload, picture, parts = re.findall(r"(?s)```c\n(.*?)```", (SOURCE / "docs/usage/c-api.md").read_text())
        start = parts.index("vmaf_use_features_from_model")
        (self.root / "page.c").write_text(
            "#include <libvmaf/turbo.h>\n#include <stdio.h>\n"
            "void overload(VmafModel *model) {\n" + overload + "}\n"
            "VmafTurboPicture make(void *device_pointer, void *stream) {\n" + picture + "return picture;\n}\n" + parts[:start] +
            "void score(VmafContext *vmaf, VmafModel *model, unsigned frames, double score) {\n" + parts[start:] + "}\n")
        run("cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", self.root / "page.c", *self.pkg_config("--cflags"))

    def test_the_developers_environment_has_programs_and_library(self):
        self.assertIn("3.2.0", run(*MESON, "devenv", "-C", BUILD, "vmaf", "--version"))
        self.assertIn("-lvmaf", run(*MESON, "devenv", "-C", BUILD, "pkg-config", "--libs", "libvmaf"))

    def test_it_configures_as_a_subproject(self):
        parent = self.root / "parent"
        (parent / "subprojects").mkdir(parents=True)
        (parent / "subprojects/libvmaf").symlink_to(SOURCE)
        (parent / "client.c").write_text("#include <libvmaf.h>\nint main(void) { return vmaf_version() == 0; }\n")
        (parent / "meson.build").write_text("project('parent', 'c')\nvmaf = dependency('libvmaf', fallback: 'libvmaf', "
                                            "default_options: ['enable_tools=false'])\n"
                                            "executable('client', 'client.c', dependencies: vmaf)\n")
        environment = dict(os.environ, PKG_CONFIG_LIBDIR="/usr/share/pkgconfig")  # hides an installed libvmaf
        output = run(*MESON, "setup", parent / "build", parent, "--wrap-mode=nodownload", env=environment)
        self.assertIn("libvmaf 3.2.0", output.replace(": ", " ").replace("Project version 3.2.0", "libvmaf 3.2.0"))
        targets = run(*MESON, "introspect", "--targets", parent / "build")
        self.assertIn('"client"', targets)
        self.assertNotIn('"unit_tests"', targets)  # only the subproject's own builds have it


if __name__ == "__main__":
    unittest.main()
