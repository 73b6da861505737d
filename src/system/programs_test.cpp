// What programs ask of the system, the same on all of them.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "system/c_file.hpp"
#include "system/descriptor.hpp"
#include "system/file_lock.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/input_file.hpp"
#include "system/mapped_file.hpp"
#include "system/process.hpp"
#include "system/program.hpp"

namespace vmaf::system {
namespace {

std::span<const std::byte> bytes_of(const std::string &text) { return std::as_bytes(std::span(text)); }

std::string all_of(int descriptor) {
    std::string text;
    std::array<char, 4096> piece;
    while (const std::size_t count = read_some(descriptor, std::as_writable_bytes(std::span(piece))))
        text.append(piece.data(), count);
    return text;
}

// This program again, running one of its disabled tests.
Launch self(const std::string &test) {
    Launch launch;
    launch.words = {program_path(), "--gtest_also_run_disabled_tests", "--gtest_filter=Child.DISABLED_" + test,
                    "a \"quoted\" word\\"};
    return launch;
}

TEST(Child, DISABLED_EndsAtOnce) {}
TEST(Child, DISABLED_Fails) { FAIL(); }
TEST(Child, DISABLED_Sleeps) {
    Launch again = self("SleepsAlone"); // must end when we do
    Process child(again);
    child.wait();
}
TEST(Child, DISABLED_SleepsAlone) { std::this_thread::sleep_for(std::chrono::minutes(5)); }
TEST(Child, DISABLED_ReadsAndReports) {
    InputFile file = InputFile::open("/dev/fd/10");
    std::array<char, 100> memory;
    const Buffer part{memory.data(), memory.size()};
    const std::size_t count = file.read_some({&part, 1});
    EXPECT_TRUE(write_full(12, bytes_of("saw " + std::string(memory.data(), count))));
}

// Whatever the system's code page.
TEST(Filesystem, NamesAreUtf8) {
    const std::string above =
        make_new_folder((fs::path(std::filesystem::temp_directory_path()) / "vmaf-names-").string());
    const std::string folder = above + "/größe", name = "映像 🎞 ñ.y4m";
    std::error_code error;
    ASSERT_TRUE(fs::create_directories(folder, error)) << error.message();
    GrowingFile(folder + "/" + name, GrowingFile::Start::empty).append("line\n");
    EXPECT_TRUE(fs::is_regular_file(fs::path(folder) / name, error));
    EXPECT_EQ(fs::file_size(folder + "/" + name, error), 5u);
    std::string line;
    std::getline(fs::ifstream(folder + "/" + name), line);
    EXPECT_EQ(line, "line");
    for (const auto &entry : fs::directory_iterator(folder, error))
        EXPECT_EQ(fs::path(entry.path()).filename().string(), name);
    EXPECT_EQ(fs::path(folder + "/" + name).stem().string() + fs::path(name).extension().string(), name);
    fs::rename(folder + "/" + name, folder + "/ü", error);
    EXPECT_TRUE(fs::exists(folder + "/ü", error));
    EXPECT_GT(fs::remove_all(above, error), 0u);
    EXPECT_FALSE(fs::exists(above, error));
}

TEST(Process, OutputAndExitStatusComeBack) {
    Pipe pipe = make_pipe(1 << 20);
    Launch launch = self("EndsAtOnce");
    launch.output = pipe.write.get();
    Process child(launch);
    pipe.write.reset();
    EXPECT_NE(all_of(pipe.read.get()).find("1 test from 1 test suite ran"), std::string::npos);
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(Process(self("Fails")).wait(), 1);
}

TEST(Process, DescriptorsAreFoundUnderTheirNumbers) {
    MemoryFile frames;
    ASSERT_TRUE(frames.append(bytes_of("frames")));
    const Descriptor input = frames.open();
    Pipe report = make_pipe();
    Launch launch = self("ReadsAndReports");
    launch.inherited = {{input.get(), 10}, {report.write.get(), 12}};
    Process child(launch);
    report.write.reset();
    EXPECT_EQ(all_of(report.read.get()), "saw frames");
    EXPECT_EQ(child.wait(), 0);
}

TEST(Process, ChildrenOfAProgramEndWithIt) {
    Pipe pipe = make_pipe();
    Launch launch = self("Sleeps");
    launch.output = pipe.write.get();
    Process child(launch);
    pipe.write.reset();
    std::array<Waited, 2> streams = {{{pipe.read.get()}, {}}};
    EXPECT_TRUE(wait_for_input(streams, 60'000)); // it has started
    EXPECT_TRUE(streams[0].is_ready);
    child.kill();
    EXPECT_EQ(child.wait(), 128 + 9);
    all_of(pipe.read.get()); // returns when every other end is closed
}

TEST(Process, MissingProgramsAreNamed) {
    Launch launch;
    launch.words = {"vmaf-no-such-program"};
    try {
        const Process child(launch);
        ADD_FAILURE();
    } catch (const Error &e) {
        EXPECT_NE(std::string(e.what()).find("cannot start 'vmaf-no-such-program'"), std::string::npos);
    }
    EXPECT_FALSE(find_program("vmaf-no-such-program"));
    EXPECT_TRUE(find_program(program_path()));
}

TEST(ProgramFiles, AreLockedClaimedMappedAndStamped) {
    const std::string folder = make_new_folder(testing::TempDir() + "vmaf-programs-"), path = folder + "/ü.txt";
    {
        FileLock lock = FileLock::try_new(folder + "/.lock");
        EXPECT_TRUE(lock.is_held());
        const auto other = FileLock::try_old(folder + "/.lock");
        EXPECT_TRUE(other && !other->is_held());
        lock.release();
        EXPECT_TRUE(FileLock::try_old(folder + "/.lock")->is_held());
        EXPECT_FALSE(FileLock::try_old(folder + "/none"));
    }
    EXPECT_TRUE(claim_file(path, "mine"));
    EXPECT_FALSE(claim_file(path, "yours"));
    EXPECT_EQ(MappedFile(path).text(), "mine");
    EXPECT_EQ(file_stamp(path)->size, 4u);
    EXPECT_FALSE(file_stamp(folder + "/none"));
    EXPECT_TRUE(open_to_read(path));
    std::string reason;
    EXPECT_TRUE(is_writable_folder(folder, reason)) << reason;
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace vmaf::system
