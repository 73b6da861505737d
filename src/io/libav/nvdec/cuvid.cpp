#include "io/libav/nvdec/cuvid.hpp"

#include <mutex>
#include <string>

#include "base/error.hpp"

namespace vmaf::nvdec {

namespace {

#ifdef _WIN32
constexpr const char *kLibrary = "nvcuvid.dll";
#else
constexpr const char *kLibrary = "libnvcuvid.so.1";
#endif

template <class F> void find(const system::DynamicLibrary &library, const char *symbol, F &function) {
    function = reinterpret_cast<F>(library.symbol(symbol));
    if (!function)
        throw invalid(std::string("the NVIDIA decoder library ") + kLibrary + " has no function " + symbol +
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

std::shared_ptr<const Library> Library::load() try {
    static std::mutex mutex;
    static std::shared_ptr<const Library> kept;
    const std::lock_guard lock(mutex);
    if (!kept) kept.reset(new Library(std::make_unique<system::DynamicLibrary>(kLibrary)));
    return kept;
} catch (const system::LoadError &e) {
    throw invalid(std::string("the NVIDIA decoder library ") + kLibrary + " cannot be loaded: " + e.what());
}

} // namespace vmaf::nvdec
