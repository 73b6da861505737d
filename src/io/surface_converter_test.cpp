// Pictures converted from surfaces on a device have the samples and the thumbnail of host conversion.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "device/host/host_device.hpp"
#include "device/picture_memory.hpp"
#include "io/component_copy.hpp"
#include "io/surface_converter.hpp"
#include "picture/pool.hpp"

namespace vmaf::surface_converter_test {
namespace {

// A decoder's layout of pictures.
struct Layout {
    const char *name;
    PixelFormat chroma;
    unsigned bits, shift;
    bool is_interleaved; // chroma
};
const Layout kLayouts[] = {
    {"nv12", PixelFormat::yuv420p, 8, 0, true},        {"p010", PixelFormat::yuv420p, 10, 6, true},
    {"p016", PixelFormat::yuv420p, 16, 0, true},       {"p016 of 12 bits", PixelFormat::yuv420p, 12, 4, true},
    {"nv16", PixelFormat::yuv422p, 8, 0, true},        {"yuv444p", PixelFormat::yuv444p, 8, 0, false},
    {"yuv444p16", PixelFormat::yuv444p, 16, 0, false}, {"yuv444p16 of 10 bits", PixelFormat::yuv444p, 10, 6, false},
    {"yuv420p", PixelFormat::yuv420p, 8, 0, false},    {"yuv420p10", PixelFormat::yuv420p, 10, 0, false},
    {"gray", PixelFormat::yuv400p, 8, 0, false},
};

struct Surface {
    std::unique_ptr<DeviceMemory> memory;
    DeviceSurface surface;
};

// Random samples, with garbage in the unused bits.
Surface make_surface(Device &device, const Layout &layout, const PictureFormat &format, unsigned margin) {
    std::mt19937 random(format.width * 7 + format.height + layout.bits);
    const bool is_wide = layout.bits + layout.shift > 8;
    const std::size_t sample = is_wide ? 2 : 1, pitch = round_up<std::size_t>((format.width + margin + 1) * sample, 64);
    const std::size_t plane_bytes = pitch * (format.height + 1 + margin);
    Surface out;
    out.memory = device.allocate(4 * plane_bytes); // the host device uses host memory
    // Bits above samples are 0.
    const std::byte upper{
        static_cast<unsigned char>(layout.shift || layout.bits >= 16 ? 0xff : (1u << layout.bits % 8) - 1)};
    for (std::size_t i = 0; i < out.memory->size(); i++)
        out.memory->data()[i] = static_cast<std::byte>(random()) & (is_wide && i % 2 ? upper : std::byte{0xff});
    for (unsigned c = 0; c < format.planes(); c++) {
        const bool is_woven = c > 0 && layout.is_interleaved;
        ComponentView &view = out.surface.components[c];
        view.first = out.memory->data() + (is_woven ? 1 : c) * plane_bytes + (is_woven && c == 2 ? sample : 0) +
                     margin * (pitch + sample);
        view.across = static_cast<std::ptrdiff_t>(is_woven ? 2 * sample : sample);
        view.down = static_cast<std::ptrdiff_t>(pitch);
        view.bits = layout.bits;
        view.shift = layout.shift;
        view.is_wide = is_wide;
    }
    return out;
}

// The result of host conversion.
Picture on_host(const DeviceSurface &surface, const VideoOutput &output) {
    const Picture picture = Picture::allocate(output.picture);
    const RangeTables tables = range_tables(output.range_change, output.picture.bits);
    for (unsigned p = 0; p < output.picture.planes(); p++) {
        const PlaneTarget target{picture.data(p), picture.stride_bytes(p), output.picture.plane_width(p),
                                 output.picture.plane_height(p), output.picture.bits};
        copy_component(surface.components[p], target);
        const auto &table = p == 0 ? tables.luma : tables.chroma;
        if (!table.empty()) map_samples(target, table);
    }
    return picture;
}

void compare(unsigned group_width, const Layout &layout, const VideoOutput &output, unsigned margin, bool has_chroma) {
    SCOPED_TRACE(std::string(layout.name) + ", " + std::to_string(output.picture.width) + "x" +
                 std::to_string(output.picture.height) + ", " + std::to_string(output.picture.bits) + " bits");
    const std::shared_ptr<Device> device = open_host_device(group_width);
    const SurfaceConverter converter(*device, output);
    const Surface source = make_surface(*device, layout, output.picture, margin);
    PictureMemory memory = device_memory_in_blocks(device, Memory::device, 3);
    memory.luma_only = !has_chroma;
    PicturePool pool(output.picture, 0, memory);
    const auto thumbnails = converter.make_thumbnails(2);
    const Picture expected = on_host(source.surface, output);
    const auto queue = device->make_queue();
    for (std::size_t place = 0; place < 2; place++) {
        const Picture made = pool.fetch_or_add();
        {
            const Device::Scope scope(*device);
            converter.enqueue(*queue, source.surface, made, thumbnails, place);
            queue->finish();
        }
        for (unsigned p = 0; p < (has_chroma ? output.picture.planes() : 1); p++)
            for (unsigned y = 0; y < output.picture.plane_height(p); y++)
                ASSERT_EQ(std::memcmp(made.data(p) + std::ptrdiff_t{y} * made.stride_bytes(p),
                                      expected.data(p) + std::ptrdiff_t{y} * expected.stride_bytes(p),
                                      std::size_t{output.picture.plane_width(p)} * output.picture.bytes_per_sample()),
                          0)
                    << "plane " << p << ", row " << y;
        const LumaSignature a = converter.signature(thumbnails, place), b = luma_signature(expected);
        ASSERT_EQ(a.blocks, b.blocks);
        ASSERT_EQ(a.mean, b.mean);
        ASSERT_EQ(a.deviation, b.deviation);
    }
}

TEST(SurfaceConverter, MakesWhatTheHostMakes) {
    for (const Layout &layout : kLayouts)
        for (const auto &[width, height] : {std::pair{64u, 36u}, {35u, 21u}, {16u, 16u}}) {
            VideoOutput output;
            output.picture = {layout.chroma, layout.bits, width, height};
            compare(32, layout, output, 0, true);
            compare(64, layout, output, 1, width == 35); // cropped: rows have any alignment
        }
}

TEST(SurfaceConverter, DeepensAndChangesTheRange) {
    for (const Layout &layout : kLayouts)
        for (const RangeChange change :
             {RangeChange::none, RangeChange::full_to_limited, RangeChange::limited_to_full}) {
            VideoOutput output;
            output.picture = {layout.chroma, std::max(layout.bits, 12u), 50, 34};
            output.range_change = change;
            compare(32, layout, output, 0, true);
            output.picture.bits = layout.bits;
            compare(64, layout, output, 0, true);
        }
}

} // namespace
} // namespace vmaf::surface_converter_test
