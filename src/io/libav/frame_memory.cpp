#include "io/libav/frame_memory.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "base/aligned.hpp"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

constexpr std::size_t kPlaneAlignment = 256;
constexpr std::size_t kSlack = 128; // that decoders' vector code may access beyond a plane
constexpr int kWidthStep = 16;

struct FrameLayout {
    std::array<int, 4> pitch{};
    std::array<std::size_t, 4> offset{};
    unsigned planes = 0;
    std::size_t bytes = 0;
};

// Empty for frames that are not planes of samples.
FrameLayout layout_of(AVCodecContext &context, const AVFrame &frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor *const description = av_pix_fmt_desc_get(format);
    if (!description || (description->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL))) return {};
    std::array<int, AV_NUM_DATA_POINTERS> alignment{};
    int width = frame.width, height = frame.height;
    avcodec_align_dimensions2(&context, &width, &height, alignment.data());
    FrameLayout layout;
    const auto is_aligned = [&] {
        for (std::size_t p = 0; p < layout.pitch.size(); p++)
            if (layout.pitch[p] % std::max(alignment[p], 1)) return false;
        return true;
    };
    do { // chroma keeps its share of the width, as decoders expect
        if (av_image_fill_linesizes(layout.pitch.data(), format, width) < 0) return {};
        width += kWidthStep;
    } while (!is_aligned());
    std::array<std::ptrdiff_t, 4> pitches{};
    std::copy(layout.pitch.begin(), layout.pitch.end(), pitches.begin());
    std::array<std::size_t, 4> sizes{};
    if (av_image_fill_plane_sizes(sizes.data(), format, height, pitches.data()) < 0) return {};
    for (std::size_t p = 0; p < sizes.size() && sizes[p]; p++) {
        layout.offset[p] = layout.bytes;
        layout.bytes += round_up<std::size_t>(sizes[p] + kSlack, kPlaneAlignment);
        layout.planes++;
    }
    return layout;
}

} // namespace

struct FrameMemory::Block {
    PictureBlock memory;
    std::size_t bytes = 0;
    std::shared_ptr<State> home; // while in use
};

struct FrameMemory::State {
    PictureMemory memory;
    std::mutex mutex;
    std::vector<std::unique_ptr<Block>> idle;

    std::unique_ptr<Block> take(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex);
            std::erase_if(idle, [&](const auto &block) { return block->bytes != bytes; }); // of another size
            if (!idle.empty()) {
                std::unique_ptr<Block> block = std::move(idle.back());
                idle.pop_back();
                return block;
            }
        }
        auto block = std::make_unique<Block>();
        block->memory = memory.allocate(bytes + kPlaneAlignment);
        block->bytes = bytes;
        return block;
    }
    static void give_back(void *opaque, std::uint8_t *) noexcept {
        std::unique_ptr<Block> block(static_cast<Block *>(opaque));
        const std::shared_ptr<State> home = std::move(block->home);
        try {
            const std::lock_guard lock(home->mutex);
            home->idle.push_back(std::move(block));
        } catch (...) { // free it instead
        }
    }
};

FrameMemory::FrameMemory(PictureMemory memory) : state_(std::make_shared<State>()) {
    state_->memory = std::move(memory);
}

bool FrameMemory::fill(AVCodecContext &context, AVFrame &frame) const noexcept try {
    const FrameLayout layout = layout_of(context, frame);
    if (layout.planes == 0) return false;
    std::unique_ptr<Block> block = state_->take(layout.bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(block->memory.data);
    auto *const first = reinterpret_cast<std::uint8_t *>(round_up<std::uintptr_t>(address, kPlaneAlignment));
    block->home = state_;
    frame.buf[0] = av_buffer_create(first, layout.bytes, State::give_back, block.get(), 0);
    if (!frame.buf[0]) return false;
    static_cast<void>(block.release()); // now owned by the buffer
    for (unsigned p = 0; p < layout.planes; p++) {
        frame.data[p] = first + layout.offset[p];
        frame.linesize[p] = layout.pitch[p];
    }
    frame.extended_data = frame.data;
    return true;
} catch (...) { // memory is short
    return false;
}

} // namespace vmaf::libav
