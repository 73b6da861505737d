#include "system/module_search.hpp"

#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "system/dynamic_library.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"
#include "system/module_paths.h"
#include "system/program.hpp"
#include "system/trust.hpp"

namespace vmaf::system {

namespace {

constexpr int kBuildLevels = 4; // programs are in tools/ or tests/NAME/; a subproject's are two folders deeper

struct Place {
    fs::path folder;
    Reach reach;
};

// The build folder of a program that is still in it; otherwise empty.
fs::path build_folder(const fs::path &program) {
    std::error_code error;
    fs::path folder = program.parent_path();
    for (int level = 0; level < kBuildLevels && folder.has_relative_path(); level++, folder = folder.parent_path())
        if (fs::exists(folder / VMAF_BUILD_MARK, error)) return folder;
    return {};
}

// A forged build folder or mark is useless: modules there must belong to the user anyway.
std::vector<Place> places() {
    const fs::path program = program_path();
    if (!program.empty() && !has_more_rights_than_caller()) {
        if (const fs::path build = build_folder(program); !build.empty())
            return {{program.parent_path(), Reach::beside_program},
                    {build / "tools", Reach::beside_program},
                    {build / "src/device/sycl", Reach::beside_program}};
        const fs::path beside = program.parent_path().parent_path() / VMAF_LIBDIR / "vmaf";
        std::error_code error;
        if (fs::exists(beside / VMAF_MOVABLE_MARK, error)) return {{beside, Reach::beside_program}};
    }
    return {{VMAF_MODULE_DIR, Reach::with_parents}};
}

std::string trusted(const fs::path &path, Reach reach) {
    const std::string danger = who_else_can_change(path.string(), reach);
    if (!danger.empty())
        throw Untrusted("the module '" + path.string() + "' is not loaded, because " + danger +
                        "; modules and the folders above them must belong to you or the administrator and be "
                        "writable by no one else");
    std::error_code error;
    const fs::path real = fs::canonical(path, error); // loads exactly the file that was checked
    return error ? path.string() : real.string();
}

const void *load_file(const std::string &path, const ModuleName &name, std::string &reason) {
    try {
        DynamicLibrary library(path);
        const void *const module = library.symbol(name.symbol);
        if (!module || std::strcmp(*static_cast<const char *const *>(module), name.interface) != 0) {
            reason = "'" + path + "' belongs to another version";
            return nullptr;
        }
        library.keep();
        return module;
    } catch (const Error &e) {
        reason = "cannot be loaded (" + std::string(e.what()) + ")";
        return nullptr;
    }
}

} // namespace

std::optional<std::string> find_module(const std::string &file_name, const std::string &variable) {
    std::error_code error;
    if (const auto named = environment(variable))
        return fs::exists(*named, error) ? std::optional(trusted(*named, Reach::with_parents)) : std::nullopt;
    for (const Place &place : places())
        if (fs::exists(place.folder / file_name, error)) return trusted(place.folder / file_name, place.reach);
    return std::nullopt;
}

const void *load_module(const ModuleName &name, std::string &reason) {
    if (const auto path = find_module(name.file, name.variable)) return load_file(*path, name, reason);
    reason = std::string("(") + name.file + ") was not found";
    return nullptr;
}

const void *load_own_library(const char *symbol, const char *interface, std::string &reason) {
    const ModuleName name{VMAF_LIBRARY_FILE, "", symbol, interface};
    std::vector<fs::path> folders;
    const fs::path program = program_path();
    if (!program.empty() && !has_more_rights_than_caller()) {
        if (const fs::path build = build_folder(program); !build.empty())
            return load_file((build / "src" / name.file).string(), name, reason);
        folders.push_back(program.parent_path().parent_path() / VMAF_LIBRARY_SUBDIR);
    }
    folders.push_back(VMAF_LIBRARY_DIR);
    std::error_code error;
    for (const fs::path &folder : folders)
        if (fs::exists(folder / name.file, error)) return load_file((folder / name.file).string(), name, reason);
    return load_file(name.file, name, reason);
}

} // namespace vmaf::system
