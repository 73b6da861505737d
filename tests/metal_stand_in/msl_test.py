"""What the translation of kernels to Metal's language refuses, and what clang finds in its result; the types of the host side.

usage: msl_test.py SOURCE_ROOT BUILD_ROOT CLANG CXX...
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD, CLANG, CXX = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
HERE = ROOT / 'tests/metal_stand_in'
MSL = ROOT / 'src/device/metal/msl/msl.py'

KERNELS = '''#pragma once
#include "device/kernel.hpp"
namespace vmaf {
namespace kernels {
struct TrialArgs {
    Global<const u16> in;
    Global<u32> out;
};
@before@
template <class C> struct trial {
    using Args = TrialArgs;
    static constexpr int kThreads = 64, kMinBlocks = 1, kTileWidth = 64, kTileHeight = 1;
    struct SharedMemory {
        u32 values[@size@];
    };
    static VMAF_DEVICE_FN void change(u32 &v, const u32 (&table)[2]) { v += table[1]; }
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        shared->values[c.thread] = C::load(a.in + c.thread);
        c.barrier();
        const u32 table[2] = {1, 2};
        u32 half = shared->values[63 - c.thread] / 2;
        change(half, table);
        @inside@
        a.out[c.thread] = half;
    }
};
} // namespace kernels
} // namespace vmaf
#define VMAF_KERNELS(F) F(trial)
'''


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def generate(self, before='', inside='', size=64):
        text = KERNELS.replace('@before@', before).replace('@inside@', inside).replace('@size@', str(size))
        (self.folder / 'trial_kernel_list.hpp').write_text(text)
        self.metal = self.folder / 'trial.metal'
        return subprocess.run([sys.executable, MSL, 'trial_kernel_list.hpp', self.metal, self.folder / 'trial.d', '--', *CXX,
                               f'-I{self.folder}', f'-I{ROOT}/src'], capture_output=True, text=True)

    def compile(self):
        wrapped = self.folder / 'trial.cpp'
        subprocess.run([sys.executable, HERE / 'wrap.py', 'trial', self.metal, wrapped], check=True)
        return subprocess.run([CLANG, '-x', 'c++', '-std=c++14', '-fsyntax-only', '-pedantic-errors', '-Wno-unknown-pragmas',
                               '-Wno-unknown-attributes', '-Wno-keyword-macro', f'-I{HERE}', wrapped],
                              capture_output=True, text=True)


class Refusals(Folder):
    def expect_refusal(self, sentence, **text):
        result = self.generate(**text)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(sentence, result.stderr)
        self.assertFalse(self.metal.exists())

    def test_doubles(self):
        self.expect_refusal('"double" is not in the dialect', inside='const double x = 1;')
        self.expect_refusal('the constant 0.5 is a double', inside='half += static_cast<u32>(0.5);')
        self.expect_refusal('the constant 1e3 is a double', inside='half += static_cast<u32>(1e3);')

    def test_lambdas_and_derived_classes(self):
        self.expect_refusal('lambda', inside='const auto f = [&](u32 v) { return v + half; }; half = f(1);')
        self.expect_refusal('derived classes', before='struct A {}; struct B : A {};')

    def test_data_of_functions_and_the_standard_library(self):
        self.expect_refusal('static data in a function', inside='static const u32 kTwo = 2; half += kTwo;')
        self.expect_refusal('"std" is not in the dialect', inside='half = std::min(half, 2u);')
        self.expect_refusal('"new" is not in the dialect', inside='u32 *p = new u32;')


class AddressSpaces(Folder):
    def test_a_kernel_of_the_dialect_compiles(self):
        result = self.generate(before='constexpr u32 kStep = 2;', inside='half += kStep + static_cast<u32>(1ull << 3);')
        self.assertEqual(result.returncode, 0, result.stderr)
        text = self.metal.read_text()
        for piece in ('void change(u32 thread &v, const u32 thread (&table)[2])', 'constexpr constant u32 kStep = 2;', 'u32 half_ =',
                      'static constexpr constant int kThreads', '1ul << 3', 'c.thread_', 'template <class T> using Shared = threadgroup T *;',
                      'kernel void vmaf_trial('):
            self.assertIn(piece, text)
        self.assertNotIn('long long', text)
        compiled = self.compile()
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def expect_error(self, words, **text):
        result = self.generate(**text)
        self.assertEqual(result.returncode, 0, result.stderr)
        compiled = self.compile()
        self.assertNotEqual(compiled.returncode, 0, 'clang took it')
        self.assertRegex(compiled.stderr, words)

    def test_pointers_into_other_memory_are_found(self):
        self.expect_error('address.space', inside='Global<u32> p = shared->values; half += *p;')
        self.expect_error('address.space', inside='Shared<u32> p = a.out; half += *p;')
        self.expect_error('address.space', inside='u32 *p = shared->values; half += *p;')
        self.expect_error('address.space', inside='const u32 *p = a.out; half += *p;')
        self.expect_error('address.space', inside='change(shared->values[0], table);')
        self.expect_error('change', before='constexpr u32 kTable[2] = {1, 2};', inside='change(half, kTable);')

    def test_structs_that_are_copied_without_a_word_are_found(self):
        self.expect_error('copy constructor', inside='const SharedMemory all = *shared; half += all.values[0];')

    def test_too_much_shared_memory_is_found(self):
        self.expect_error('more shared memory than a block can have', size=8193)

    def test_what_metal_does_not_have_is_found(self):
        self.expect_error('deleted function', inside='half += static_cast<u32>(c.shuffle(static_cast<i64>(1), 0));')


class HostSide(unittest.TestCase):
    def test_types(self):
        for name in ('metal_device.mm', 'surface.mm'):
            result = subprocess.run([CLANG, '-x', 'objective-c++', '-std=c++20', '-fsyntax-only', '-fobjc-arc', '-fblocks',
                                     '-fobjc-runtime=macosx-15.0', '-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror',
                                     f'-I{HERE}/frameworks', f'-I{ROOT}/src', f'-I{BUILD}', ROOT / 'src/device/metal' / name],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_c_functions(self):
        result = subprocess.run([CLANG, '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Werror', f'-I{ROOT}/src',
                                 f'-I{ROOT}/include', f'-I{BUILD}', ROOT / 'src/capi/metal.cpp'], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)


class Configuration(Folder):
    @unittest.skipIf(sys.platform == 'darwin' or not shutil.which('meson'), 'needs another system, and meson')
    def test_is_refused_on_other_systems(self):
        result = subprocess.run(['meson', 'setup', self.folder / 'build', ROOT, '-Denable_metal=enabled'], capture_output=True, text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('enable_metal: Metal is a part of macOS', result.stdout + result.stderr)

    @unittest.skipUnless(shutil.which('meson'), 'needs meson')
    def test_a_build_for_macos_has_it_where_the_system_is_new_enough(self):
        result = self.configured_for_macos()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r'metal +: built')
        text = (self.folder / 'build/build.ninja').read_text()
        for name in ('metal_device', 'surface'):
            self.assertIn(f'libvmaf_metal.a.p/meson-generated_.._{name}.cpp.o', text.split('build src/libvmaf_engine.a:')[1].split('\n')[0])
        shutil.rmtree(self.folder / 'build')
        result = self.configured_for_macos('-Denable_metal=enabled', new_enough=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('the development kit of macOS 15 or newer is needed', result.stdout)

    def configured_for_macos(self, *options, new_enough=True):
        """With a compiler that accepts every framework."""
        compilers = {}
        for name, program in (('c', CLANG.replace('++', '')), ('cpp', CLANG)):
            wrapper = self.folder / name
            wrapper.write_text('#!/bin/bash\nwords=()\nwhile [ $# -gt 0 ]; do if [ "$1" = -framework ]; then shift; else words+=("$1"); fi; shift; done\n'
                               f'exec {program} "${{words[@]}}"' + (f' -I{HERE}/frameworks\n' if new_enough else '\n'))
            wrapper.chmod(0o755)
            compilers[name] = wrapper
        cross = self.folder / 'macos.txt'
        cross.write_text('[binaries]\n' + ''.join(f"{name} = '{path}'\n" for name, path in compilers.items()) +
                         "ar = 'ar'\n[host_machine]\nsystem = 'darwin'\ncpu_family = 'aarch64'\ncpu = 'aarch64'\nendian = 'little'\n")
        return subprocess.run(['meson', 'setup', self.folder / 'build', ROOT, '--cross-file', cross, '--wrap-mode=nofallback', '-Denable_tools=false',
                               '-Denable_tests=false', '-Denable_bench=false', '-Denable_asm=false', *options], capture_output=True, text=True)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
