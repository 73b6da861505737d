// A loaded driver: the common functions, and what differs between drivers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "device/module_api/functions.hpp"
#include "system/dynamic_library.hpp"

namespace vmaf::module_api {

enum class Direction { up, down, across };

// A rectangle of bytes to copy.
struct Rectangle {
    void *to;
    std::size_t to_pitch;
    const void *from;
    std::size_t from_pitch, row_bytes, rows;
    Direction direction;
};

class Driver {
  public:
    Driver(const Driver &) = delete;
    Driver &operator=(const Driver &) = delete;
    virtual ~Driver() = default;

    // Throws Error with the call, the driver's name for the code, and the source location.
    void check(Result result, const char *call, const char *file = __builtin_FILE(),
               int line = __builtin_LINE()) const {
        if (result != kSuccess) fail(result, call, file, line);
    }
    template <class... Parameters>
    void check(Result result, const Function<Parameters...> &function, const char *file = __builtin_FILE(),
               int line = __builtin_LINE()) const {
        check(result, function.name, file, line);
    }
    std::string describe(Result result) const; // "CUDA_ERROR_NO_DEVICE (100)"
    std::string describe_device(DeviceNumber device) const;
    std::size_t memory_of(DeviceNumber device) const;
    int attribute(int which, DeviceNumber device) const;

    virtual const char *error_name(Result result) const = 0; // null if unknown
    virtual std::string version() const = 0;
    virtual void copy(const Rectangle &rectangle, StreamHandle stream) const = 0;
    // Lets a kernel use this much shared memory.
    virtual void allow_shared_memory(FunctionHandle, unsigned) const {}

#define VMAF_MODULE_API_MEMBER(name, cuda, hip, ...) Function<__VA_ARGS__> name;
    VMAF_MODULE_API_FUNCTIONS(VMAF_MODULE_API_MEMBER)
#undef VMAF_MODULE_API_MEMBER

  protected:
    enum class Names { cuda, hip };
    // `missing` makes the error for a function missing from the library.
    using Missing = std::function<Error(const std::string &symbol)>;
    Driver(std::string title, std::unique_ptr<system::DynamicLibrary> library) // "cuda"
        : title_(std::move(title)), library_(std::move(library)) {}
    void find_functions(Names names, const Missing &missing);
    template <class... Parameters>
    void find(Function<Parameters...> &function, const char *symbol, const Missing &missing) {
        function.at = reinterpret_cast<Result (*)(Parameters...)>(address(symbol, missing));
        function.name = symbol;
    }
    void *address(const char *symbol, const Missing &missing) const;
    void *address_or_null(const char *symbol) const { return library_->symbol(symbol); }
    const std::string &title() const { return title_; }

  private:
    [[noreturn]] void fail(Result result, const char *call, const char *file, int line) const;

    std::string title_;
    std::unique_ptr<system::DynamicLibrary> library_;
};

// Maps a driver code to a positive errno value for the C boundary (backends.md 3.1).
int errno_for(Result result);

// Loads a driver on first use. Once started it stays loaded: drivers do not survive unloading while they have threads.
// Failures are retried.
template <class D, std::shared_ptr<const D> (*kLoad)()> std::shared_ptr<const D> load_once() {
    static std::mutex mutex;
    static auto *const kept = new std::shared_ptr<const D>;
    const std::lock_guard lock(mutex);
    if (!*kept) *kept = kLoad();
    return *kept;
}

} // namespace vmaf::module_api
