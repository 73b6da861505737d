"""What the command overwrites, follows and loads: links, special files, files of other users, modules."""
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import CommandTest, VMAF, read

PSNR = ("-n", "--feature", "psnr")
STRANGER = 65534
needs_root = unittest.skipUnless(os.geteuid() == 0, "only root can make files of another user")
# A build in a private folder, such as root's home, cannot be run by another user.
is_build_private = any(not folder.stat().st_mode & stat.S_IXOTH for folder in pathlib.Path(VMAF).resolve().parents)
needs_public_build = unittest.skipIf(is_build_private, "other users cannot enter the build folder")
MODULE = pathlib.Path(VMAF).with_name("libvmaf-libav.so")


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class Outputs(CommandTest):
    def setUp(self):
        self.out = self.folder / "out.xml"
        self.addCleanup(lambda: self.out.unlink(missing_ok=True))

    def test_special_modes_are_not_kept(self):
        self.out.write_text("old")
        self.out.chmod(0o6755)
        self.score(*PSNR, "-o", self.out)
        self.assertEqual(mode(self.out), 0o755)

    @needs_root
    def test_a_file_of_another_user_gives_nothing(self):
        self.out.write_text("old")
        os.chown(self.out, STRANGER, STRANGER)
        self.out.chmod(0o4777)
        self.score(*PSNR, "-o", self.out, umask=0o022)
        self.assertEqual((mode(self.out), os.stat(self.out).st_uid), (0o644, 0))

    @needs_root
    def test_a_link_of_another_user_is_refused(self):
        precious = pathlib.Path(self.file("precious", "old"))
        self.out.symlink_to(precious)
        os.chown(self.out, STRANGER, STRANGER, follow_symlinks=False)
        self.assertIn("another user", self.score(*PSNR, "-o", self.out, expect=255).stderr)
        self.assertEqual(precious.read_text(), "old")

    @needs_root
    @needs_public_build
    def test_another_users_file_that_cannot_be_replaced_is_refused(self):
        """It would still belong to them, and they could change it later."""
        self.folder.chmod(0o755)  # both read the clips
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o1777)
            out = pathlib.Path(folder) / "out.xml"
            out.write_text("old")
            os.chown(out, STRANGER - 1, STRANGER - 1)
            out.chmod(0o666)
            self.assertIn("another user", self.score(*PSNR, "-o", out, expect=255, user=STRANGER, cwd="/").stderr)
            self.assertEqual(out.read_text(), "old")
            os.chown(out, STRANGER, STRANGER)
            self.score(*PSNR, "-o", out, user=STRANGER, cwd="/")
            self.assertIn("<VMAF", out.read_text())

    def test_a_chain_of_links_to_nothing_yet(self):
        middle, end = self.folder / "middle", self.folder / "end.xml"
        middle.symlink_to("end.xml")
        self.out.symlink_to("middle")
        self.score(*PSNR, "-o", self.out)
        self.assertTrue(self.out.is_symlink() and middle.is_symlink())
        self.assertIn("<VMAF", end.read_text())

    def test_inputs_are_not_overwritten_under_any_name(self):
        copy, model = self.file("copy.y4m", read(self.dist)), self.file("model.json", "{}")
        hard, soft = self.folder / "hard.y4m", self.folder / "soft.y4m"
        os.link(copy, hard)
        soft.symlink_to("hard.y4m")
        for name in (copy, hard, soft, self.folder / "." / "copy.y4m", f"{self.folder}/../{self.folder.name}/copy.y4m"):
            for pair in ((self.ref, copy), (copy, self.ref)):
                run = self.vmaf("-r", pair[0], "-d", pair[1], *PSNR, "-o", name, expect=255)
                self.assertIn("would overwrite", run.stderr)
        with open(copy, "rb") as piped:
            run = self.vmaf("-r", self.ref, "-d", "-", *PSNR, "-o", copy, expect=255, stdin=piped)
        self.assertIn("would overwrite the distorted clip standard input", run.stderr)
        self.assertEqual(read(copy), read(self.dist))
        os.link(model, self.folder / "other.json")
        run = self.score("-m", f"path={model}", "-o", self.folder / "other.json", expect=255)
        self.assertIn("would overwrite the model", run.stderr)
        regions = self.file("regions.csv", "0,face,0,0,16,16\n")
        for output in (("-o", regions), ("--ndjson", regions)):
            self.assertIn("would overwrite the list of regions", self.score("--regions", regions, *output, expect=255).stderr)
        # A refused backend does not overwrite the model with its document either.
        self.score("-m", f"path={model}", "--json", "--backend", "cuda", "-o", model, expect=255)
        self.assertEqual(read(model), b"{}")

    def test_outputs_of_one_run_are_files_of_their_own(self):
        one, other = self.folder / "one.csv", f"{self.folder}/../{self.folder.name}/one.csv"
        for outputs in (("-o", one, "--ndjson", other), ("-o", one, "--map", other), ("--ndjson", one, "--map", other), ("--map", one, "--map", other)):
            self.assertIn("would both write", self.score(*PSNR, *outputs, expect=1).stderr)
        self.assertFalse(one.exists())
        self.score(*PSNR, "-o", "/dev/null", "--ndjson", "/dev/null")

    def test_a_folder_that_is_mounted_twice_is_one_folder(self):
        folders = [self.folder / "once", self.folder / "twice"]
        for folder in folders:
            folder.mkdir()
        if os.geteuid() != 0 or subprocess.call(["mount", "--bind", *folders], stderr=subprocess.DEVNULL):
            self.skipTest("needs the right to mount a folder a second time")
        self.addCleanup(subprocess.check_call, ["umount", folders[1]])
        one, other = (folder / "one.csv" for folder in folders)
        self.assertIn("would both write", self.score(*PSNR, "-o", one, "--ndjson", other, expect=1).stderr)
        pairs = self.file("pairs.txt", f"{self.ref} {self.dist} {one}\n{self.ref} {self.dist} {other}\n")
        self.assertIn("is also that of line 1", self.vmaf("--list", pairs, *PSNR, expect=1).stderr)
        self.assertFalse(one.exists())

    def test_a_descriptor_of_the_process_is_written_where_it_stands(self):
        path = self.folder / "log.csv"
        with open(path, "w") as log:
            log.write("before\n")
            log.flush()
            self.score(*PSNR, "--csv", "-o", f"/dev/fd/{log.fileno()}", pass_fds=(log.fileno(),))
        self.assertTrue(path.read_text().startswith("before\nFrame,"))


class HeatMaps(CommandTest):
    size, frames = "320x192", 1

    def maps(self, expect, says=""):
        folder = self.folder / "maps"
        run = self.score("-n", "--feature", f"cambi=heatmaps_path={folder}", expect=expect)
        self.assertIn(says, run.stderr)

    def first(self, make):
        shutil.rmtree(self.folder / "maps", ignore_errors=True)
        os.mkdir(self.folder / "maps")
        path = self.folder / "maps" / "cambi_heatmap_scale_0_320x192_16b.gray"
        make(path)
        return path

    def test_links_and_pipes_are_refused(self):
        precious = pathlib.Path(self.file("precious", "old"))
        self.first(lambda path: path.symlink_to(precious))
        self.maps(255, "a link has that name")
        self.assertEqual(precious.read_text(), "old")
        self.first(os.mkfifo)
        self.maps(255, "a folder, pipe or device has that name")

    def test_old_maps_are_replaced_without_their_special_modes(self):
        path = self.first(lambda path: path.write_text("old"))
        path.chmod(0o6640)
        other = self.folder / "other"
        os.link(path, other)
        self.maps(0)
        self.assertEqual((path.stat().st_size, mode(path)), (320 * 192 * 2, 0o640))
        self.assertEqual(other.read_text(), "old")

    @needs_root
    def test_maps_of_another_user(self):
        path = self.first(lambda path: path.write_text("old"))
        os.chown(path, STRANGER, STRANGER)
        path.chmod(0o4777)
        self.maps(0)
        self.assertEqual((mode(path) & 0o7022, path.stat().st_uid), (0, 0))


@unittest.skipUnless("INJECT_LIBRARY" in os.environ, "there is no library that lets calls fail")
class Failures(CommandTest):
    """Failing calls: a message that says what is wrong and what to do, or the same work without them."""

    def test_a_disk_that_does_not_keep_a_document(self):
        out = self.folder / "kept.xml"
        out.write_text("old")
        fails = {**os.environ, "LD_PRELOAD": os.environ["INJECT_LIBRARY"], "INJECT": "sync=ENOSPC@*"}
        self.assertIn("No space", self.score(*PSNR, "-o", out, expect=255, env=fails).stderr)
        self.assertEqual(out.read_text(), "old")  # synced before the new file replaces it
        pairs = self.file("pairs.txt", f"{self.ref} {self.dist} {self.folder}/a.xml\n{self.ref} {self.dist} {self.folder}/b.xml\n")
        self.assertIn("No space", self.vmaf("--list", pairs, *PSNR, expect=255, env=fails).stderr)  # once, at the end

    def test_every_failing_thread_is_reported(self):
        # Small pictures are read without threads.
        ref, dist = (self.clip(name, size="320x240", distort=how) for name, how in (("large_ref.y4m", "none"), ("large_dist.y4m", "dct:40")))
        for flags in ((), ("--threads", "2")):
            sentences = []
            for number in range(1, 12):
                run = self.vmaf("-r", ref, "-d", dist, *PSNR, *flags, "-o", os.devnull, expect=None,
                                env={**os.environ, "LD_PRELOAD": os.environ["INJECT_LIBRARY"], "INJECT": f"thread@{number}"})
                if run.returncode == 0: continue
                self.assertIn(run.returncode, (234, 255), run.stderr)
                sentences += run.stderr.splitlines()
            self.assertTrue(sentences)
            for sentence in sentences:
                self.assertRegex(sentence, "^vmaf: .*(cannot start a thread to .*ulimit|cannot start 2 threads.*use fewer)")


@unittest.skipUnless(MODULE.exists() and shutil.which("ffmpeg"), "there is no module, or no ffmpeg")
class Modules(CommandTest):
    """Where the module for video files is found, and when it is refused."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mkv = str(cls.folder / "dist.mkv")
        subprocess.check_call(["ffmpeg", "-v", "error", "-i", cls.dist, "-c:v", "ffv1", cls.mkv])
        os.chmod(cls.folder, 0o755)

    def setUp(self):
        self.place = self.folder / "place"
        self.place.mkdir()
        self.addCleanup(shutil.rmtree, self.place)

    def install(self, program, module):
        for source, target in ((VMAF, program), (MODULE, module)):
            (self.place / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.place / target)
        return self.place / program

    def run_in(self, program, expect, says="", user=None, **environment):
        run = subprocess.run([program, "-r", self.ref, "-d", self.mkv, *PSNR, "--pair", "index"], capture_output=True, text=True,
                             user=user, env={**os.environ, **environment})
        self.assertEqual(run.returncode, expect, run.stderr)
        self.assertIn(says, run.stderr)

    def make(self, name):
        (self.place / name).parent.mkdir(parents=True, exist_ok=True)
        (self.place / name).touch()

    def test_beside_the_program_only_in_a_build_folder(self):
        program = self.install("x/vmaf", "x/libvmaf-libav.so")
        self.install("x/vmaf", "vmaf/libvmaf-libav.so")
        self.run_in(program, 255, "was not found")
        self.make("meson-private/coredata.dat")  # from another project
        self.run_in(program, 255, "was not found")
        self.make("src/system/module_paths.h")
        self.run_in(program, 0)

    def libdir(self):
        """Module folders relative to a prefix: all usual ones, since the program's message is no interface."""
        return [f"{lib}/vmaf/libvmaf-libav.so" for lib in ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")]

    def moved(self):
        for module in self.libdir():
            program = self.install("bin/vmaf", module)
            self.make(str(pathlib.Path(module).with_name("movable")))
        return program

    def test_only_an_installation_marked_for_it_can_be_moved(self):
        program = self.moved()
        self.run_in(program, 0)
        for module in self.libdir():
            (self.place / module).with_name("movable").unlink()
        self.run_in(program, 255, "was not found")

    def test_modules_of_a_moved_installation_that_everyone_can_change(self):
        program = self.moved()
        for module in self.libdir():
            os.chmod(self.place / module, 0o777)
        self.run_in(program, 255, "all users can write to")

    def test_folders_that_everyone_can_write_to(self):
        program = self.moved()
        os.chmod(self.place, 0o777)
        self.run_in(program, 255, "all users can write to")
        os.chmod(self.place, 0o1777)
        self.run_in(program, 0)

    @needs_root
    def test_modules_of_another_user(self):
        program = self.moved()
        for module in self.libdir():
            os.chown(self.place / module, STRANGER, STRANGER)
        self.run_in(program, 255, "belongs to another user")
        self.run_in(program, 0, user=STRANGER)
        for module in self.libdir():
            os.chown(self.place / module, 0, 0)
            os.chown((self.place / module).parent, STRANGER, STRANGER)
        self.run_in(program, 255, "belongs to another user")

    def test_the_variable(self):
        program = self.install("x/vmaf", "y/libvmaf-libav.so")
        named = self.place / "y" / "libvmaf-libav.so"
        self.run_in(program, 0, VMAF_LIBAV_MODULE=str(named))
        os.chmod(self.place / "y", 0o777)
        self.run_in(program, 255, "all users can write to", VMAF_LIBAV_MODULE=str(named))

    @needs_root
    def test_programs_with_more_rights_ignore_the_variable(self):
        program = self.install("x/vmaf", "y/libvmaf-libav.so")
        named = self.place / "y" / "libvmaf-libav.so"
        self.run_in(program, 0, user=STRANGER, VMAF_LIBAV_MODULE=str(named))
        os.chmod(program, 0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("the folder is mounted nosuid")
        self.run_in(program, 255, "was not found", user=STRANGER, VMAF_LIBAV_MODULE=str(named))
        self.moved()
        program = self.place / "bin" / "vmaf"
        self.run_in(program, 0, user=STRANGER)
        for mode in (0o4755, 0o2755):  # who links it elsewhere chooses the files around it
            os.chown(program, 0, 0 if mode == 0o4755 else STRANGER + 1)
            os.chmod(program, mode)
            self.run_in(program, 255, "was not found", user=STRANGER)


if __name__ == "__main__":
    unittest.main()
