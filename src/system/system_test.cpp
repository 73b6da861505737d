#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "system/dynamic_library.hpp"
#include "system/environment.hpp"
#include "system/files.hpp"
#include "system/leftovers.hpp"
#include "system/module_search.hpp"
#include "system/output_file.hpp"
#include "system/program.hpp"
#include "system/startup.hpp"
#include "system/terminal.hpp"
#include "system/trust.hpp"

namespace vmaf::system {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;

class Files : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/vmaf-output-XXXXXX";
        folder_ = mkdtemp(name);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string content(const std::string &path) const {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    static void put(const std::string &path, const std::string &text) {
        write_output_file(path, [&](const auto &out) { out(text); });
    }
    int entries() const {
        return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    static struct stat status_of(const std::string &path) {
        struct stat status {};
        EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
        return status;
    }
    std::string folder_;
};

TEST_F(Files, ReplacesAndKeepsModeAndLinks) {
    const std::string path = folder_ + "/out", link = folder_ + "/link";
    put(path, "one");
    EXPECT_EQ(content(path), "one");
    ASSERT_EQ(chmod(path.c_str(), 0640), 0);
    ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
    put(link, "two");
    EXPECT_EQ(content(path), "two");
    struct stat status {};
    ASSERT_EQ(lstat(link.c_str(), &status), 0);
    EXPECT_TRUE(S_ISLNK(status.st_mode));
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640u);
    EXPECT_EQ(entries(), 2);
    ASSERT_EQ(unlink(path.c_str()), 0);
    ASSERT_EQ(unlink(link.c_str()), 0);
    ASSERT_EQ(symlink("out", link.c_str()), 0); // its target does not exist yet
    put(link, "three");
    EXPECT_EQ(content(path), "three");
    EXPECT_EQ(entries(), 2);
}

TEST_F(Files, AFailureLeavesTheEarlierContentAndNothingElse) {
    const std::string path = folder_ + "/out";
    put(path, "one");
    EXPECT_THROW(write_output_file(path,
                                   [](const auto &out) {
                                       out("half");
                                       throw Error(EIO, "no more");
                                   }),
                 Error);
    EXPECT_EQ(content(path), "one");
    EXPECT_EQ(entries(), 1);
}

TEST_F(Files, ThreadsWriteTheirOwnFiles) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&, text = std::to_string(t)] {
            const std::string path = folder_ + "/" + text;
            for (int i = 0; i < 100; i++) {
                put(path, text);
                EXPECT_EQ(content(path), text);
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(entries(), 4);
}

TEST_F(Files, CheckingLeavesNoFiles) {
    check_output_file(folder_ + "/out");
    EXPECT_EQ(entries(), 0);
    EXPECT_THROW(check_output_file(folder_), Error);
    EXPECT_THROW(check_output_file(folder_ + "/no/out"), Error);
    EXPECT_THROW(check_output_file(""), Error);
}

TEST_F(Files, AFullDeviceIsAnError) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    check_output_file("/dev/full");
    EXPECT_THROW(put("/dev/full", "text"), Error);
}

// Runs `step` as another user in a child process; an exception or failed expectation fails the test.
template <class Step> void as_stranger(Step step) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (setgid(kStranger) != 0 || setuid(kStranger) != 0) _exit(2);
        try {
            step();
            _exit(testing::Test::HasFailure() ? 1 : 0);
        } catch (const std::exception &e) {
            std::fprintf(stderr, "%s\n", e.what());
            _exit(3);
        }
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

bool is_root() { return geteuid() == 0; }

TEST_F(Files, SetIdBitsAreNotTakenOver) {
    const std::string path = folder_ + "/out";
    put(path, "one");
    ASSERT_EQ(chmod(path.c_str(), 07751), 0);
    put(path, "two");
    EXPECT_EQ(status_of(path).st_mode & 07777, 0751u);
    ASSERT_EQ(chmod(path.c_str(), 06640), 0);
    { const OffsetFile left_alone(path); }
    EXPECT_EQ(status_of(path).st_mode & 07777, 0640u);
    ASSERT_EQ(chmod(path.c_str(), 06640), 0);
    GrowingFile(path, GrowingFile::Start::at_end).append("line\n");
    EXPECT_EQ(status_of(path).st_mode & 07777, 0640u);
}

TEST_F(Files, PermissionsOfAnotherUsersFileAreNotTakenOver) {
    if (!is_root()) GTEST_SKIP() << "only root can make files of another user";
    const std::string path = folder_ + "/out";
    const mode_t mask = umask(022);
    const auto someone_elses = [&] {
        std::ofstream(path) << "one";
        ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0);
        ASSERT_EQ(chmod(path.c_str(), 04777), 0);
    };
    const auto expect_plain = [&] {
        EXPECT_EQ(status_of(path).st_mode & 07777, 0644u);
        EXPECT_EQ(status_of(path).st_uid, 0u);
        fs::remove(path);
    };
    someone_elses();
    put(path, "two");
    expect_plain();
    someone_elses();
    { const OffsetFile left_alone(path); }
    expect_plain();
    someone_elses();
    GrowingFile(path, GrowingFile::Start::empty).append("line\n"); // written in place, so the owner stays
    EXPECT_EQ(status_of(path).st_mode & 07777, 0777u);
    EXPECT_EQ(status_of(path).st_uid, kStranger);
    umask(mask);
}

TEST_F(Files, GroupPermissionsStayWithTheirGroup) {
    if (!is_root()) GTEST_SKIP() << "only root can give files to any group";
    const std::string path = folder_ + "/out";
    put(path, "one");
    ASSERT_EQ(chown(path.c_str(), uid_t(-1), 4711), 0);
    ASSERT_EQ(chmod(path.c_str(), 0660), 0);
    put(path, "two");
    EXPECT_EQ(status_of(path).st_gid, 4711u);
    EXPECT_EQ(status_of(path).st_mode & 07777, 0660u);
    ASSERT_EQ(chown(folder_.c_str(), kStranger, kStranger), 0);
    ASSERT_EQ(chown(path.c_str(), kStranger, 4711), 0);
    as_stranger([&] { put(path, "three"); }); // not in the group
    EXPECT_EQ(status_of(path).st_gid, kStranger);
    EXPECT_EQ(status_of(path).st_mode & 07777, 0600u);
}

TEST_F(Files, ChainsOfLinksLeadToTheirEnd) {
    const std::string end = folder_ + "/end", first = folder_ + "/first", second = folder_ + "/deep/second";
    ASSERT_EQ(mkdir((folder_ + "/deep").c_str(), 0700), 0);
    ASSERT_EQ(symlink("deep/second", first.c_str()), 0);
    ASSERT_EQ(symlink("../end", second.c_str()), 0);
    put(first, "one"); // not yet at its final place
    EXPECT_EQ(content(end), "one");
    put(first, "two");
    EXPECT_EQ(content(end), "two");
    GrowingFile(first, GrowingFile::Start::at_end).append("!");
    EXPECT_EQ(content(end), "two!");
    EXPECT_TRUE(S_ISLNK(status_of(first).st_mode));
    EXPECT_TRUE(S_ISLNK(status_of(second).st_mode));
    EXPECT_TRUE(would_overwrite(first, end));
    const std::string loop = folder_ + "/loop";
    ASSERT_EQ(symlink("loop", loop.c_str()), 0);
    EXPECT_THROW(put(loop, "x"), Error);
    EXPECT_THROW(check_output_file(loop), Error);
    ASSERT_EQ(unlink(loop.c_str()), 0);
    ASSERT_EQ(symlink("nowhere/", loop.c_str()), 0);
    EXPECT_THROW(put(loop, "x"), Error);
}

TEST_F(Files, LinksOfOthersAreNotFollowed) {
    if (!is_root()) GTEST_SKIP() << "only root can make links of another user";
    const std::string precious = folder_ + "/precious", link = folder_ + "/link";
    put(precious, "one");
    ASSERT_EQ(symlink("precious", link.c_str()), 0);
    ASSERT_EQ(lchown(link.c_str(), kStranger, kStranger), 0);
    EXPECT_THROW(check_output_file(link), Error);
    EXPECT_THROW(put(link, "two"), Error);
    EXPECT_THROW(GrowingFile(link, GrowingFile::Start::empty), Error);
    EXPECT_EQ(content(precious), "one");
}

// A folder that everyone can write to, with another user's link to another folder.
TEST_F(Files, PathsThroughLinksOfOthersAreRefused) {
    if (!is_root()) GTEST_SKIP() << "only root can make links of another user";
    const std::string open = folder_ + "/open", precious = folder_ + "/precious", link = open + "/link",
                      own = folder_ + "/own";
    for (const std::string &folder : {open, precious, precious + "/deep"}) ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
    ASSERT_EQ(chmod(open.c_str(), 01777), 0);
    ASSERT_EQ(symlink("../precious", link.c_str()), 0);
    ASSERT_EQ(symlink("open/link/deep", own.c_str()), 0); // leads over it
    for (int round = 0; round < 2; round++) {
        const bool is_foreign = round == 0;
        ASSERT_EQ(lchown(link.c_str(), is_foreign ? kStranger : 0, 0), 0);
        for (const std::string &way : {link, link + "/deep", own, open + "/../open/link/deep"}) {
            const std::string path = way + "/out";
            const auto tried = [&](const auto &write) {
                if (is_foreign)
                    EXPECT_THROW(write(), OutputError) << path;
                else
                    EXPECT_NO_THROW(write()) << path;
            };
            tried([&] { check_output_file(path); });
            tried([&] { put(path, "one"); });
            tried([&] { GrowingFile(path, GrowingFile::Start::empty); });
            tried([&] { OffsetFile{path}; });
            tried([&] { reserve_file(path); });
            tried([&] { make_folders(way + "/new/folders"); });
        }
        EXPECT_EQ(fs::exists(precious + "/out"), !is_foreign);
        EXPECT_EQ(fs::exists(precious + "/new"), !is_foreign);
    }
}

// In a folder that only its owner can write to; such links are common on clusters.
TEST_F(Files, TheAdministratorFollowsNoLinkOfOthers) {
    if (!is_root()) GTEST_SKIP() << "only root can make links of another user";
    const std::string theirs = folder_ + "/theirs", precious = folder_ + "/precious", link = theirs + "/link";
    for (const std::string &folder : {theirs, precious}) ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
    ASSERT_EQ(symlink(precious.c_str(), link.c_str()), 0);
    ASSERT_EQ(lchown(link.c_str(), kStranger, 0), 0);
    const std::string path = link + "/out";
    EXPECT_THROW(put(path, "one"), OutputError);
    EXPECT_THROW(GrowingFile(path, GrowingFile::Start::empty), OutputError);
    EXPECT_THROW(OffsetFile{path}, OutputError);
    EXPECT_THROW(make_folders(link + "/new"), OutputError);
    EXPECT_TRUE(fs::is_empty(precious));
    // Another user may follow it.
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    ASSERT_EQ(chown(precious.c_str(), kStranger - 1, 0), 0);
    ASSERT_EQ(seteuid(kStranger - 1), 0);
    EXPECT_NO_THROW(put(path, "one"));
    ASSERT_EQ(seteuid(0), 0);
    EXPECT_EQ(content(precious + "/out"), "one");
}

TEST_F(Files, PendingOutputsAreWrittenAndKeptTogether) {
    PendingOutputs pending;
    for (const char *name : {"/a", "/b"})
        write_output_file(
            folder_ + name, [](const auto &out) { out("one"); }, &pending);
    EXPECT_NO_THROW(pending.make_durable());
    EXPECT_EQ(content(folder_ + "/b"), "one");
    EXPECT_EQ(entries(), 2);
}

// The child of the test below: writes files in all threads until a signal ends it.
void write_until_the_end(const std::string &folder, int number) {
    end_orderly_on_signals(130, remove_leftovers);
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; i++)
        writers.emplace_back([=] {
            for (;;) {
                const auto write = [](const auto &out) {
                    for (int part = 0; part < 50; part++) out(std::string(1000, 'x'));
                };
                PendingOutputs pending;
                write_output_file(folder + "/document" + std::to_string(i), write, &pending);
            }
        });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill(getpid(), number);
    for (std::thread &writer : writers) writer.join();
}

TEST_F(Files, ASignalLeavesNoTemporaryFileOfAnyThread) {
    for (int round = 0; round < 10; round++)
        for (const int number : {SIGINT, SIGTERM}) {
            const pid_t child = fork();
            ASSERT_GE(child, 0);
            if (child == 0) {
                write_until_the_end(folder_, number);
                _exit(1);
            }
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_TRUE(number == SIGINT ? WIFEXITED(status) && WEXITSTATUS(status) == 130
                                         : WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
                << status;
            for (const auto &entry : fs::directory_iterator(folder_)) {
                EXPECT_TRUE(entry.path().filename().string().starts_with("document")) << entry.path();
                EXPECT_EQ(fs::file_size(entry.path()), 50'000u);
            }
        }
}

TEST_F(Files, PipesAndGrowingFilesOfOthersAreRefusedWhereEverybodyCanPutThem) {
    if (!is_root()) GTEST_SKIP() << "only root can make files of another user";
    ASSERT_EQ(chmod(folder_.c_str(), 01777), 0);
    const std::string pipe = folder_ + "/pipe", file = folder_ + "/file";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
    put(file, "one");
    for (const std::string &path : {pipe, file}) ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0);
    EXPECT_THROW(check_output_file(pipe), OutputError);
    EXPECT_THROW(put(pipe, "two"), OutputError); // would block until it has a reader
    EXPECT_THROW(GrowingFile(pipe, GrowingFile::Start::at_end), OutputError);
    EXPECT_THROW(GrowingFile(file, GrowingFile::Start::at_end), OutputError);
    put(file, "two"); // replaces it
    EXPECT_EQ(status_of(file).st_uid, 0u);
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    ASSERT_EQ(chown(file.c_str(), kStranger, kStranger), 0);
    GrowingFile(file, GrowingFile::Start::at_end).append("three"); // intended
    EXPECT_EQ(content(file), "twothree");
}

TEST_F(Files, OffsetFilesReplaceOnlyRegularFiles) {
    const std::string path = folder_ + "/map", other = folder_ + "/other";
    put(other, "one");
    ASSERT_EQ(symlink("other", path.c_str()), 0);
    EXPECT_THROW(OffsetFile{path}, Error);
    EXPECT_EQ(content(other), "one");
    ASSERT_EQ(unlink(path.c_str()), 0);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THROW(OffsetFile{path}, Error); // must not wait for a reader
    ASSERT_EQ(unlink(path.c_str()), 0);
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    EXPECT_THROW(OffsetFile{path}, Error);
    EXPECT_EQ(entries(), 2);
}

TEST_F(Files, OffsetFilesKeepHardLinksOfTheOldContent) {
    const std::string path = folder_ + "/map", other = folder_ + "/other";
    put(other, "one");
    ASSERT_EQ(link(other.c_str(), path.c_str()), 0);
    const OffsetFile file(path);
    file.write_at(2, std::as_bytes(std::span("xy", 2)));
    file.write_at(0, std::as_bytes(std::span("ab", 2)));
    EXPECT_EQ(content(path), "abxy");
    EXPECT_EQ(content(other), "one");
}

TEST_F(Files, HardLinkedFilesAreNotTruncatedInPlace) {
    const std::string path = folder_ + "/rows", other = folder_ + "/other";
    put(other, "one\ntor");
    ASSERT_EQ(link(other.c_str(), path.c_str()), 0);
    EXPECT_THROW(GrowingFile(path, GrowingFile::Start::empty), OutputError);
    EXPECT_THROW(GrowingFile(path, GrowingFile::Start::after_whole_lines), OutputError);
    GrowingFile(path, GrowingFile::Start::at_end).append("n\n");
    EXPECT_EQ(content(other), "one\ntorn\n");
    if (!is_root()) GTEST_SKIP() << "root can make a folder of another user";
    ASSERT_EQ(chmod(other.c_str(), 0666), 0);
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    as_stranger([&] { // who cannot create anything here, so nothing can be replaced
        EXPECT_THROW(check_output_file(path), OutputError);
        EXPECT_THROW(put(path, "two"), OutputError);
    });
    EXPECT_EQ(content(other), "one\ntorn\n");
    ASSERT_EQ(unlink(other.c_str()), 0);
    as_stranger([&] { put(path, "two"); });
    EXPECT_EQ(content(path), "two");
}

TEST_F(Files, GrowingFilesStartWhereTheyShould) {
    using Start = GrowingFile::Start;
    const std::string path = folder_ + "/rows";
    {
        GrowingFile file(path, Start::at_end);
        EXPECT_TRUE(file.was_empty());
        file.append("one\ntwo\ntor");
    }
    EXPECT_FALSE(GrowingFile(path, Start::at_end).was_empty());
    GrowingFile(path, Start::after_whole_lines).append("three\n");
    EXPECT_EQ(content(path), "one\ntwo\nthree\n");
    GrowingFile(path, Start::empty).append(std::string(10000, 'x'));
    EXPECT_TRUE(GrowingFile(path, Start::after_whole_lines).was_empty());
    EXPECT_EQ(content(path), "");
    EXPECT_THROW(GrowingFile(folder_, Start::at_end), Error);
    EXPECT_THROW(GrowingFile("", Start::at_end), Error);
}

TEST_F(Files, AReservedFileIsExclusive) {
    const std::string precious = folder_ + "/precious", part = folder_ + "/part";
    put(precious, "one");
    ASSERT_EQ(symlink("precious", part.c_str()), 0);
    reserve_file(part);
    EXPECT_TRUE(S_ISREG(status_of(part).st_mode));
    EXPECT_EQ(status_of(part).st_size, 0);
    reserve_file(part);
    EXPECT_EQ(content(precious), "one");
    EXPECT_THROW(reserve_file(folder_), OutputError);
    EXPECT_THROW(reserve_file(folder_ + "/no/part"), OutputError);
}

TEST_F(Files, OneFileIsFoundUnderAllItsNames) {
    const std::string path = folder_ + "/clip", hard = folder_ + "/hard", soft = folder_ + "/soft";
    put(path, "one");
    ASSERT_EQ(link(path.c_str(), hard.c_str()), 0);
    ASSERT_EQ(symlink("clip", soft.c_str()), 0);
    for (const std::string &name :
         {path, hard, soft, folder_ + "/./clip", folder_ + "/../" + folder_.substr(5) + "/clip"})
        EXPECT_TRUE(would_overwrite(name, path)) << name;
    EXPECT_FALSE(would_overwrite(folder_ + "/other", path));
    EXPECT_FALSE(would_overwrite("/dev/null", "/dev/null"));
}

TEST_F(Files, FilesThatOthersCanChangeAreReported) {
    const auto danger = [&](const std::string &path) { return who_else_can_change(path, Reach::with_parents); };
    const std::string folder = folder_ + "/a", path = folder + "/module";
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    put(path, "x");
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
    EXPECT_EQ(danger(path), ""); // everyone can write to /tmp, but it is sticky
    EXPECT_EQ(danger(folder + "/missing"), "");
    ASSERT_EQ(chmod(path.c_str(), 0757), 0);
    EXPECT_NE(danger(path), "");
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
    EXPECT_NE(danger(path), "");
    EXPECT_NE(danger(folder), "");
    ASSERT_EQ(chmod(folder.c_str(), 01777), 0);
    EXPECT_EQ(danger(path), "");
    EXPECT_NE(who_else_can_change(folder, Reach::itself), "");
    ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
    const std::string way = folder_ + "/way";
    ASSERT_EQ(symlink("a", way.c_str()), 0);
    EXPECT_EQ(danger(way + "/module"), "");
    if (!is_root()) return;
    ASSERT_EQ(lchown(way.c_str(), kStranger, kStranger), 0);
    EXPECT_NE(danger(way + "/module"), "");
    EXPECT_EQ(danger(path), "");
    ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0);
    EXPECT_NE(danger(path), "");
    as_stranger([] {}); // and the other way round:
    ASSERT_EQ(chown(folder.c_str(), kStranger, kStranger), 0);
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    as_stranger([&] { EXPECT_EQ(danger(path), ""); }); // root may
    ASSERT_EQ(chown(path.c_str(), 4711, 4711), 0);
    as_stranger([&] { EXPECT_NE(danger(path), ""); });
    ASSERT_EQ(chown(path.c_str(), kStranger, 4711), 0);
    ASSERT_EQ(chmod(path.c_str(), 0775), 0);
    as_stranger([&] { EXPECT_NE(danger(path), ""); });
    ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0); // the user's private group
    as_stranger([&] { EXPECT_EQ(danger(path), ""); });
}

TEST_F(Files, OwnFoldersAreMadeForTheUserAlone) {
    const std::string folder = folder_ + "/some/where";
    EXPECT_TRUE(make_own_folder(folder));
    EXPECT_EQ(status_of(folder).st_mode & 07777, 0700u);
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
    EXPECT_TRUE(make_own_folder(folder)); // unchanged
    EXPECT_EQ(status_of(folder).st_mode & 07777, 0777u);
    EXPECT_NE(who_else_can_change(folder, Reach::itself), "");
    put(folder_ + "/file", "x");
    EXPECT_FALSE(make_own_folder(folder_ + "/file"));
    EXPECT_FALSE(make_own_folder(folder_ + "/file/x"));
}

TEST(Environment, EmptyVariablesAreNotSet) {
    setenv("VMAF_SYSTEM_TEST", "", 1);
    EXPECT_FALSE(environment("VMAF_SYSTEM_TEST"));
    setenv("VMAF_SYSTEM_TEST", "x", 1);
    EXPECT_EQ(environment("VMAF_SYSTEM_TEST"), "x");
    unsetenv("VMAF_SYSTEM_TEST");
    EXPECT_FALSE(environment("VMAF_SYSTEM_TEST"));
}

TEST_F(Files, ModulesThatOthersCanChangeAreRefused) {
    const std::string path = folder_ + "/module.so";
    put(path, "x");
    setenv("VMAF_SYSTEM_TEST", path.c_str(), 1);
    EXPECT_EQ(find_module("module.so", "VMAF_SYSTEM_TEST"), fs::canonical(path).string());
    ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
    EXPECT_THROW(find_module("module.so", "VMAF_SYSTEM_TEST"), Error);
    setenv("VMAF_SYSTEM_TEST", (folder_ + "/none").c_str(), 1);
    EXPECT_FALSE(find_module("module.so", "VMAF_SYSTEM_TEST"));
    unsetenv("VMAF_SYSTEM_TEST");
    EXPECT_FALSE(find_module("no-module-of-that-name.so", "VMAF_SYSTEM_TEST"));
}

TEST(DynamicLibrary, SaysWhyItCannotBeLoaded) {
    EXPECT_THROW(DynamicLibrary("/no/such/library.so"), Error);
    const DynamicLibrary library("libc.so.6");
    EXPECT_TRUE(library.symbol("getpid"));
    EXPECT_FALSE(library.symbol("no_such_symbol"));
}

TEST(Program, KnowsItsFileAndProcessors) {
    EXPECT_TRUE(fs::exists(program_path()));
    EXPECT_GE(usable_processors(), 1u);
    EXPECT_GE(terminal_columns(), 1u);
}

} // namespace
} // namespace vmaf::system
