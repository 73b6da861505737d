#include "system/windows.hpp"

#include <gtest/gtest.h>

namespace vmaf::system {
namespace {

TEST(WindowsPaths, LongNamesAreGivenInTheFormThatHasNoLimit) {
    const std::string name(250, 'x');
    const std::wstring wide_name(250, L'x');
    EXPECT_EQ(wide_path("C:/clips/" + name), L"\\\\?\\C:\\clips\\" + wide_name);
    EXPECT_EQ(wide_path("C:\\clips\\.\\a\\..\\" + name), L"\\\\?\\C:\\clips\\" + wide_name);
    EXPECT_EQ(wide_path("//server/share/" + name), L"\\\\?\\UNC\\server\\share\\" + wide_name);
    EXPECT_EQ(wide_path("\\\\server\\share\\" + name), L"\\\\?\\UNC\\server\\share\\" + wide_name);
    EXPECT_EQ(wide_path("\\\\?\\C:\\" + name), L"\\\\?\\C:\\" + wide_name);
    EXPECT_EQ(wide_path("\\\\.\\pipe\\" + name), L"\\\\.\\pipe\\" + wide_name);
    EXPECT_TRUE(wide_path(name).starts_with(L"\\\\?\\"));
}

TEST(WindowsPaths, ShortNamesStayAsTheyAre) {
    for (const char *name :
         {"clip.y4m", "C:/clips/a.y4m", "..\\a.y4m", "\\\\server\\share\\a.y4m", "NUL", "größe/映像.y4m", ""})
        EXPECT_EQ(wide_path(name), wide(name)) << name;
}

TEST(WindowsPaths, DevicesAreKnownByName) {
    for (const char *name : {"NUL", "nul", "Con", "com1", "\\\\.\\pipe\\name", "//./NUL"})
        EXPECT_TRUE(is_device(name)) << name;
    for (const char *name : {"null", "C:/null.json", "a.y4m", "", "\\\\server\\share\\a"})
        EXPECT_FALSE(is_device(name)) << name;
}

} // namespace
} // namespace vmaf::system
