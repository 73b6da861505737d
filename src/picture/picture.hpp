// Pictures: planes of samples in counted buffers. A Picture is a handle; copying it shares the samples.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace vmaf {

enum class PixelFormat { unknown = 0, yuv420p = 1, yuv422p = 2, yuv444p = 3, yuv400p = 4 };

struct PictureFormat {
    PixelFormat pixel_format = PixelFormat::unknown;
    unsigned bits = 0; // 8..16; above 8 samples take two bytes, value in the low bits
    unsigned width = 0, height = 0;

    bool has_chroma() const { return pixel_format != PixelFormat::yuv400p; }
    unsigned planes() const { return has_chroma() ? 3 : 1; }
    unsigned bytes_per_sample() const { return bits > 8 ? 2 : 1; }
    // Chroma sizes are rounded down (c-api.md 6.1); 0 for the chroma planes of 4:0:0.
    unsigned plane_width(unsigned plane) const;
    unsigned plane_height(unsigned plane) const;

    bool operator==(const PictureFormat &) const = default;
};

std::string to_string(PixelFormat format); // "4:2:0"

// A rectangle of samples. `stride` counts samples, not bytes. Rows may be read kOverreadBytes past their end.
template <class T> struct PlaneView {
    const T *data = nullptr;
    std::ptrdiff_t stride = 0;
    int width = 0, height = 0;

    const T *row(int y) const { return data + y * stride; }
};

enum class Memory { host, pinned_host, device };

// The counted block of a picture. Subclasses decide what happens to it after the last handle.
class PictureBuffer {
  public:
    PictureBuffer(const PictureBuffer &) = delete;
    PictureBuffer &operator=(const PictureBuffer &) = delete;

    PictureFormat format;
    Memory memory = Memory::host;
    std::array<std::byte *, 3> data{};
    std::array<std::ptrdiff_t, 3> stride{}; // bytes

    void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
    void drop_reference() {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) last_reference_gone();
    }

  protected:
    explicit PictureBuffer(const PictureFormat &f) : format(f) {}
    virtual ~PictureBuffer() = default;
    virtual void last_reference_gone() { delete this; }
    void revive() { references_.store(1, std::memory_order_relaxed); } // for pools

  private:
    std::atomic<int> references_{1};
};

class Picture {
  public:
    Picture() = default;
    // Takes over one reference.
    explicit Picture(PictureBuffer *buffer) : buffer_(buffer) {}
    Picture(const Picture &other) : buffer_(other.buffer_) {
        if (buffer_) buffer_->add_reference();
    }
    Picture(Picture &&other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
    Picture &operator=(Picture other) noexcept {
        std::swap(buffer_, other.buffer_);
        return *this;
    }
    ~Picture() {
        if (buffer_) buffer_->drop_reference();
    }

    // A zero-filled picture in host memory. Throws Error for an impossible format or lack of memory.
    static Picture allocate(const PictureFormat &format);

    explicit operator bool() const { return buffer_ != nullptr; }
    const PictureFormat &format() const { return buffer_->format; }
    Memory memory() const { return buffer_->memory; }
    std::byte *data(unsigned plane) const { return buffer_->data[plane]; }
    std::ptrdiff_t stride_bytes(unsigned plane) const { return buffer_->stride[plane]; }

    template <class T> PlaneView<T> plane(unsigned p) const {
        return {reinterpret_cast<const T *>(data(p)), stride_bytes(p) / static_cast<std::ptrdiff_t>(sizeof(T)),
                static_cast<int>(format().plane_width(p)), static_cast<int>(format().plane_height(p))};
    }

    PictureBuffer *get() const { return buffer_; }
    PictureBuffer *release() { return std::exchange(buffer_, nullptr); } // hands the reference to the caller

  private:
    PictureBuffer *buffer_ = nullptr;
};

// Throws Error(EINVAL) unless a picture can have this format.
void check_format(const PictureFormat &format);

// Strides, plane offsets and total size of a host picture: one block, one plane after another.
struct HostLayout {
    std::array<std::size_t, 3> stride{}, offset{};
    std::size_t bytes = 0;
};
HostLayout host_layout(const PictureFormat &format);

} // namespace vmaf
