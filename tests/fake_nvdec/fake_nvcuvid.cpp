// A fake of NVIDIA's decoder library: takes Annex B streams of H.264 without parsing pictures, outputs them in time
// order, and fails on request.
//
//   FAKE_NVDEC_SIZE=WxH     picture size
//   FAKE_NVDEC_CROP=XxY     samples cropped at the left and top
//   FAKE_NVDEC_FAIL=NAME:N  the N-th call of that function fails; N of `status` is a damaged picture, of `display`
//                           a lost one
//   FAKE_NVDEC_LOG=FILE     how often each was called, when the process ends
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "io/libav/nvdec/cuvid.hpp"

namespace vmaf::nvdec {

struct OpaqueDecoder {
    std::vector<unsigned char> surface;
    unsigned pitch = 0;
    unsigned long most_mapped = 0, mapped = 0;
};
struct OpaqueParser {
    ParserParameters parameters{};
    std::vector<long long> waiting; // times of pictures
    bool has_begun = false;
};

} // namespace vmaf::nvdec

using namespace vmaf::nvdec;

namespace {

// Counts the calls of all decoders of the process.
class Calls {
  public:
    ~Calls() {
        const char *const path = std::getenv("FAKE_NVDEC_LOG");
        std::FILE *const file = path ? std::fopen(path, "w") : nullptr;
        if (!file) return;
        for (const auto &[name, count] : counts_) std::fprintf(file, "%s %d\n", name.c_str(), count);
        std::fclose(file);
    }
    int add(const char *name) {
        const std::lock_guard lock(mutex_);
        return ++counts_[name];
    }

  private:
    std::mutex mutex_;
    std::map<std::string, int> counts_;
};

// Whether this call fails.
bool fails(const char *name) {
    static Calls calls;
    const char *const wanted = std::getenv("FAKE_NVDEC_FAIL");
    const int count = calls.add(name);
    return wanted && std::string(wanted) == std::string(name) + ":" + std::to_string(count);
}

bool is_key(const unsigned char *data, unsigned long bytes) {
    for (unsigned long i = 0; i + 3 < bytes; i++)
        if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1 && (data[i + 3] & 31) == 5) return true;
    return false;
}

int show_all(OpaqueParser &parser) {
    std::sort(parser.waiting.begin(), parser.waiting.end());
    for (const long long time : parser.waiting) {
        if (fails("display")) continue;
        DisplayInfo info{static_cast<int>(time & 0xff), 1, 0, 0, time};
        if (!parser.parameters.on_display(parser.parameters.user, &info)) return 0;
    }
    parser.waiting.clear();
    return 1;
}

} // namespace

extern "C" {

Result cuvidGetDecoderCaps(Capabilities *can) {
    can->is_supported = !fails("capabilities");
    can->max_width = can->max_height = 4096;
    return 0;
}
Result cuvidCreateDecoder(DecoderHandle *out, CreateInfo *info) {
    if (fails("create")) return 2;
    auto *const decoder = new OpaqueDecoder;
    decoder->pitch = static_cast<unsigned>((info->width + 255) / 256 * 256);
    decoder->surface.resize(decoder->pitch * info->height * 3 / 2);
    decoder->most_mapped = info->output_surfaces;
    *out = decoder;
    return 0;
}
Result cuvidDestroyDecoder(DecoderHandle decoder) {
    if (decoder->mapped) std::fprintf(stderr, "destroyed while pictures are out\n");
    delete decoder;
    return 0;
}
Result cuvidDecodePicture(DecoderHandle, PictureParameters *) { return fails("decode") ? 1 : 0; }
Result cuvidGetDecodeStatus(DecoderHandle, int, Status *status) {
    status->status = fails("status") ? Status::kConcealed : 2;
    return 0;
}
Result cuvidMapVideoFrame64(DecoderHandle decoder, int picture, unsigned long long *at, unsigned *pitch,
                            MapParameters *) {
    if (fails("map") || decoder->mapped == decoder->most_mapped) return 205;
    decoder->mapped++;
    for (std::size_t i = 0; i < decoder->surface.size(); i++) // byte x of row y: x + 3 y, with a mark per picture
        decoder->surface[i] = static_cast<unsigned char>(i % decoder->pitch + 3 * (i / decoder->pitch) +
                                                         static_cast<std::size_t>(picture));
    *at = reinterpret_cast<unsigned long long>(decoder->surface.data());
    *pitch = decoder->pitch;
    return 0;
}
Result cuvidUnmapVideoFrame64(DecoderHandle decoder, unsigned long long) {
    decoder->mapped--;
    return 0;
}
Result cuvidCreateVideoParser(ParserHandle *out, ParserParameters *parameters) {
    if (fails("parser")) return 1;
    *out = new OpaqueParser{*parameters, {}};
    return 0;
}
Result cuvidParseVideoData(ParserHandle parser, SourcePacket *packet) {
    if (packet->flags & SourcePacket::kEndOfStream) return show_all(*parser) ? 0 : 1;
    if (fails("parse")) return 1;
    if (is_key(packet->data, packet->bytes)) {
        if (!show_all(*parser)) return 1;
        Format format{};
        format.codec = Codec::h264;
        format.min_decode_surfaces = 4;
        format.chroma = Chroma::yuv420;
        auto &area = format.display_area;
        std::sscanf(std::getenv("FAKE_NVDEC_SIZE"), "%dx%d", &area.right, &area.bottom);
        if (const char *const crop = std::getenv("FAKE_NVDEC_CROP")) std::sscanf(crop, "%dx%d", &area.left, &area.top);
        area.right += area.left;
        area.bottom += area.top;
        format.coded_width = static_cast<unsigned>(area.right + 15) / 16 * 16;
        format.coded_height = static_cast<unsigned>(area.bottom + 15) / 16 * 16;
        if (!parser->parameters.on_sequence(parser->parameters.user, &format)) return 1;
    }
    if (!parser->parameters.on_decode(parser->parameters.user, nullptr)) return 1;
    parser->waiting.push_back(packet->timestamp);
    return 0;
}
Result cuvidDestroyVideoParser(ParserHandle parser) {
    delete parser;
    return 0;
}
}
