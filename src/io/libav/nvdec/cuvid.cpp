#include "io/libav/nvdec/cuvid.hpp"

#include <mutex>
#include <string>

#include "base/error.hpp"
#include "system/gpu_runtimes.hpp"

namespace vmaf::nvdec {

namespace {

const std::string kLibrary = system::nvidia_decoder_library();

template <class F> void find(const system::DynamicLibrary &library, const char *symbol, F &function) {
    function = reinterpret_cast<F>(library.symbol(symbol));
    if (!function)
        throw invalid("the NVIDIA decoder library " + kLibrary + " has no function " + symbol +
                      "; the driver is too old");
}

} // namespace

Library::Library(std::unique_ptr<system::DynamicLibrary> library) : library_(std::move(library)) {
    find(*library_, "cuvidGetDecoderCaps", capabilities);
    find(*library_, "cuvidCreateDecoder", create_decoder);
    find(*library_, "cuvidDestroyDecoder", destroy_decoder);
    find(*library_, "cuvidDecodePicture", decode);
    find(*library_, "cuvidGetDecodeStatus", status);
    find(*library_, "cuvidMapVideoFrame64", map);
    find(*library_, "cuvidUnmapVideoFrame64", unmap);
    find(*library_, "cuvidCreateVideoParser", create_parser);
    find(*library_, "cuvidParseVideoData", parse);
    find(*library_, "cuvidDestroyVideoParser", destroy_parser);
}

std::shared_ptr<const Library> Library::load() {
    static std::mutex mutex;
    static std::shared_ptr<const Library> kept;
    const std::lock_guard lock(mutex);
    if (kept) return kept;
    std::unique_ptr<system::DynamicLibrary> library;
    try {
        library = std::make_unique<system::DynamicLibrary>(kLibrary);
    } catch (const Error &e) {
        throw invalid("the NVIDIA decoder library " + kLibrary + " cannot be loaded: " + e.what());
    }
    kept.reset(new Library(std::move(library)));
    return kept;
}

} // namespace vmaf::nvdec
