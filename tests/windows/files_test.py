"""The vmaf command for Windows: names, paths, streams, documents, the library. Under wine.

  WINDOWS_BUILD=build-windows files_test.py
"""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import windows
from windows import BUILD, ROOT, dos, wine


class Names(windows.WindowsTest):
    def test_files_with_any_name_are_read_and_written(self):
        out = self.folder / "Ergebnis-ü-結果.json"
        self.score("--json", "-o", out, "-q")
        self.assertEqual(len(self.document(out)["frames"]), 4)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".vmaf-")])

    def test_messages_are_utf8(self):
        run = wine(self.vmaf, "-r", self.folder / "fehlt-é.y4m", "-d", self.dist, expect=None)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("fehlt-é.y4m", run.stderr)

    def test_models_with_any_name_are_read(self):
        model = self.folder / "modèle-模型.json"
        model.write_bytes((ROOT / "models/vmaf_v0.6.1.json").read_bytes())
        out = self.folder / "m.json"
        self.score("--model", f"path={model}", "--json", "-o", out, "-q")
        self.assertIn("vmaf", self.document(out)["pooled_metrics"])

    def test_paths_may_be_longer_than_260_characters(self):
        folder = self.folder.joinpath(*["ein-langer-name-" + "x" * 60] * 4)
        folder.mkdir(parents=True)
        ref = folder / "ref.y4m"
        ref.write_bytes(self.ref.read_bytes())
        out = folder / "out.json"
        self.assertGreater(len(str(out)), 300)
        wine(self.vmaf, "-r", ref, "-d", self.dist, "--json", "-o", out, "-q")
        self.assertEqual(len(self.document(out)["frames"]), 4)
        self.assertEqual(sorted(os.listdir(folder)), ["out.json", "ref.y4m"])

    def test_drives_and_backslashes(self):
        clip = self.clip("large enough for cambi.y4m", size="216x216", frames=2)
        ref, dist, out, maps = (dos(path) for path in (clip, clip, self.folder / "backslash.json", self.folder / "maps"))
        wine(self.vmaf, "-r", ref, "-d", "\\\\?\\" + dist, "--model", "path=" + dos(ROOT / "models/vmaf_v0.6.1.json") + ":name=drive", "--feature",
             f"cambi=heatmaps_path={maps}:window_size=15", "--json", "-o", out, "-q")
        document = self.document(self.folder / "backslash.json")
        self.assertIn("drive", document["pooled_metrics"])
        self.assertTrue(os.listdir(self.folder / "maps"))
        run = wine(self.vmaf, "-r", "\\\\no-server\\share\\clip.y4m", "-d", dist, expect=255)
        self.assertIn("\\\\no-server\\share\\clip.y4m", run.stderr)

    def test_lists_as_editors_of_windows_write_them(self):
        pairs, out = self.folder / "Paare-対.txt", self.folder / "Ergebnisse"
        out.mkdir()
        lines = [f'"{dos(self.ref)}" {dos(self.dist)}', f"{dos(self.ref)}\t{dos(self.ref)}\t{dos(out / 'gleich.json')}"]
        pairs.write_bytes("".join(line + "\r\n" for line in lines).encode())
        run = wine(self.vmaf, "--list", dos(pairs), "--json", "-o", dos(out))
        self.assertEqual(run.stderr, "")
        self.assertEqual(sorted(os.listdir(out)), ["gleich.json", "ビデオ.json"])
        self.score("--json", "-o", self.folder / "single.json", "-q")
        self.assertEqual(self.document(out / "ビデオ.json")["frames"], self.document(self.folder / "single.json")["frames"])

    def test_words_arrive_as_they_were_given(self):
        for word in ('a "quoted" word', "back\\slash\\", "sp ace", "ü€𝄞"):
            run = self.score("--feature", word, expect=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(word.replace("\\", "\\\\") if word.replace("\\", "\\\\") in run.stderr else word, run.stderr)


class Streams(windows.WindowsTest):
    def test_standard_input_carries_bytes(self):
        # Every byte value: text mode treats 26 and 13 10 specially.
        raw = bytes(range(256)) * (64 * 48 * 3 // 2 * 4 // 256)
        (self.folder / "raw.yuv").write_bytes(raw)
        common = ["-d", self.folder / "raw.yuv", "-w", 64, "-h", 48, "-p", 420, "-b", 8, "--json", "-q", "--no_prediction", "--feature", "psnr"]
        out = self.folder / "streams.json"
        wine(self.vmaf, "-r", "-", *common, "-o", out, text=False, input=raw)
        frames = self.document(out)["frames"]
        self.assertEqual([frame["metrics"]["psnr_y"] for frame in frames], [60.0] * 4)

    def test_standard_output_carries_bytes(self):
        run = self.score("--json", "-o", "-", "-q", text=False)
        self.assertIn(b"\n", run.stdout)
        self.assertNotIn(b"\r", run.stdout)

    def test_the_null_device_takes_documents(self):
        for name in ("NUL", "/dev/null"):
            self.score("-o", name, "-q")


class Documents(windows.WindowsTest):
    def test_a_document_takes_the_place_of_another(self):
        out = self.folder / "replaced.json"
        out.write_text("old")
        self.score("--json", "-o", out, "-q")
        self.assertEqual(len(self.document(out)["frames"]), 4)

    def test_files_in_use_are_not_replaced(self):
        before = sorted(os.listdir(self.folder))
        run = self.score("-o", self.folder / "no such folder/out.json", expect=None)
        self.assertEqual(run.returncode, 255)
        run = self.score("-o", self.folder, expect=None)
        self.assertEqual(run.returncode, 255)
        self.assertIn("folder", run.stderr)
        run = self.score("-o", self.ref, expect=None)  # the command reads it
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_ctrl_c_leaves_no_files(self):
        before = sorted(os.listdir(self.folder))
        # Standard input stays open: the command waits for the rest of a clip.
        run = subprocess.Popen(["wine", str(self.vmaf), "-r", "-", "-d", str(self.dist), "--json", "-o", str(self.folder / "interrupted.json")],
                               env=windows.ENVIRONMENT, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        run.stdin.write(self.ref.read_bytes()[:5000])
        run.stdin.flush()
        time.sleep(3)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)  # wine turns it into Ctrl-C
        self.assertEqual(run.wait(20), 130)
        run.stdin.close()
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_read_only_files_are_not_replaced(self):
        out = self.folder / "read-only.json"
        out.write_text("old")
        out.chmod(0o444)
        run = self.score("--json", "-o", out, expect=255)
        self.assertIn("read-only.json", run.stderr)
        self.assertEqual(out.read_text(), "old")

    def test_features_missing_from_this_build_are_refused(self):
        self.assertIn("cuda", self.score("--backend", "cuda", expect=100).stderr)
        (self.folder / "clip.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(100))
        self.assertIn("enable_libav", wine(self.vmaf, "-r", self.folder / "clip.mp4", "-d", self.dist, expect=255).stderr)

    def test_a_build_states_its_fingerprint(self):
        facts = wine(self.vmaf, "--capabilities").stdout
        self.assertRegex(facts, r'"build_?id": "[0-9a-f]{16,}"')


class Library(windows.WindowsTest):
    def dump(self, path):
        return subprocess.run(["x86_64-w64-mingw32-objdump", "-p", str(path)], capture_output=True, text=True, check=True).stdout

    def test_the_library_exports_the_c_interface_and_nothing_else(self):
        table = self.dump(BUILD / "src/libvmaf-3.dll").split("[Ordinal/Name Pointer] Table", 1)[1]
        exported = re.findall(r"^\s*\[\s*\d+\]\s+(?:\+base\[\s*\d+\]\s+[0-9a-f]+\s+)?(\w+)$", table, re.M)
        self.assertEqual(sorted(set(exported)), sorted((ROOT / "tests/abi/symbols.txt").read_text().split()))

    def test_nothing_but_the_system_is_needed(self):
        for file in ("src/libvmaf-3.dll", "tools/vmaf.exe", "tools/vmaf-tune.exe", "tools/vmaf-parity.exe"):
            needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", self.dump(BUILD / file))}
            self.assertLessEqual(needed, {"kernel32.dll", "msvcrt.dll", "shell32.dll", "advapi32.dll", "user32.dll"}, file)

    def test_a_client_is_built_with_pkg_config_and_runs(self):
        ascii_folder = tempfile.TemporaryDirectory(prefix="vmaf-stage-")  # pkg-config escapes other names with backslashes
        self.addCleanup(ascii_folder.cleanup)
        stage = pathlib.Path(ascii_folder.name)
        subprocess.run(["meson", "install", "--no-rebuild", "--quiet", "--tags", "runtime,devel", "--destdir", stage], cwd=BUILD, check=True)
        (description,) = stage.glob("**/pkgconfig/libvmaf.pc")
        prefix = re.search(r"(?m)^prefix=(.*)$", description.read_text()).group(1).split(":", 1)[-1].lstrip("/")
        flags = subprocess.run(["pkg-config", f"--define-variable=prefix={stage / prefix}", "--cflags", "--libs", "libvmaf"], check=True,
                               capture_output=True, text=True, env={**os.environ, "PKG_CONFIG_PATH": str(description.parent)}).stdout.split()
        client = self.folder / "client.exe"
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", ROOT / "tests/abi/client.c", "-o", client, *flags], check=True)
        (library,) = stage.glob("**/libvmaf-3.dll")
        (client.parent / library.name).write_bytes(library.read_bytes())
        for name, distort in (("ref.yuv", "none"), ("dist.yuv", "dct:30")):
            self.clip(name, distort=distort)
        raw = [self.folder / "ref.yuv", self.folder / "dist.yuv"]
        # The client does not use UTF-8: the folder is the current one.
        run = wine(client, "ref.yuv", "dist.yuv", 64, 48, 420, 8, 2, "vmaf_v0.6.1", "client.json", cwd=self.folder)
        out = self.folder / "command.json"
        wine(self.vmaf, "-r", raw[0], "-d", raw[1], "-w", 64, "-h", 48, "-p", 420, "-b", 8, "--json", "-o", out, "-q")
        self.assertEqual(self.document(self.folder / "client.json")["frames"], self.document(out)["frames"])
        self.assertAlmostEqual(float(run.stdout), self.document(out)["pooled_metrics"]["vmaf"]["mean"], delta=1e-6)


if __name__ == "__main__":
    windows.main()
