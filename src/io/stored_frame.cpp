#include "io/stored_frame.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/error.hpp"

namespace vmaf {

namespace {

int half_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

// Creating and removing a mapping takes microseconds: as long as copying a small frame.
constexpr std::uint64_t kLeastMappedBytes = 1 << 18;

// Its samples are read-only.
class MappedPicture final : public PictureBuffer {
  public:
    MappedPicture(const StoredFrame &stored, unsigned planes, std::shared_ptr<const std::byte> samples)
        : PictureBuffer(stored.picture), samples_(std::move(samples)) {
        std::byte *plane = const_cast<std::byte *>(samples_.get());
        for (unsigned p = 0; p < planes; p++) {
            data[p] = plane;
            stride[p] = static_cast<std::ptrdiff_t>(stored.row_bytes(p));
            plane += stored.plane_bytes(p);
        }
    }

  private:
    std::shared_ptr<const std::byte> samples_;
};

} // namespace

StoredFrame::StoredFrame(const PictureFormat &format, ChromaConversion chroma_conversion)
    : picture(format), conversion(chroma_conversion) {
    check_format(format);
    const int w = static_cast<int>(format.width), h = static_cast<int>(format.height);
    const bool is_444 = format.pixel_format == PixelFormat::yuv444p;
    const int across = conversion == ChromaConversion::from_411 ? 4 : is_444 ? 1 : 2;
    const int down = format.pixel_format == PixelFormat::yuv420p ? 2 : 1;
    const ChromaSize chroma{half_up(w, across), half_up(h, down)};
    sizes_ = {ChromaSize{w, h}, chroma, chroma, {w, h}};
    planes_ = 3;
    if (!format.has_chroma() || conversion == ChromaConversion::fill_grey) planes_ = 1;
    if (conversion == ChromaConversion::drop_fourth) planes_ = 4;
}

void StoredFrame::crop(const Crop &part, const std::string &clip) {
    check_crop(part, picture.width, picture.height, columns_of_chroma(picture.pixel_format),
               rows_of_chroma(picture.pixel_format), clip);
    picture.width = part.width;
    picture.height = part.height;
    x += part.x;
    y += part.y;
}

std::uint64_t StoredFrame::row_bytes(unsigned plane) const {
    return static_cast<std::uint64_t>(sizes_[plane].width) * picture.bytes_per_sample();
}

std::uint64_t StoredFrame::plane_bytes(unsigned plane) const {
    return row_bytes(plane) * static_cast<unsigned>(sizes_[plane].height);
}

std::uint64_t StoredFrame::bytes() const {
    std::uint64_t sum = 0;
    for (unsigned p = 0; p < plane_count(); p++) sum += plane_bytes(p);
    return sum;
}

FrameLoader::FrameLoader(const StoredFrame &stored, unsigned picture_bits, bool has_chroma)
    : stored_(stored), picture_bits_(picture_bits), planes_(std::min(has_chroma ? 3u : 1u, stored.plane_count())),
      tail_bytes_(stored.bytes()), widens_(stored.picture.bits == 8 && picture_bits > 8) {
    discarded_.resize(static_cast<std::size_t>(stored_.row_bytes(0)));
    for (unsigned p = 0; p < planes_; p++) {
        tail_bytes_ -= stored_.plane_bytes(p);
        if (!widens_ && !is_converted(p)) continue;
        staged_width_[p] = stored_.plane_size(p).width;
        if (is_converted(p) && stored_.conversion == ChromaConversion::from_411)
            staged_width_[p] = half_up(stored_.plane_size(0).width, 2);
    }
}

void FrameLoader::stage() {
    for (unsigned p = 0; p < planes_; p++) {
        if (staged_width_[p] == 0 || staging_.planes[p].size() > 0) continue;
        const std::size_t converted = std::size_t(staged_width_[p]) * std::size_t(stored_.plane_size(p).height);
        staging_.planes[p] =
            AlignedArray<std::byte>(std::max(converted, static_cast<std::size_t>(stored_.plane_bytes(p))));
        if (is_converted(p) && staging_.scratch.size() == 0) staging_.scratch = AlignedArray<std::uint8_t>(converted);
    }
}

bool FrameLoader::is_converted(unsigned plane) const {
    const auto c = stored_.conversion;
    return plane > 0 &&
           (c == ChromaConversion::move_right || c == ChromaConversion::paldv || c == ChromaConversion::from_411);
}

std::size_t FrameLoader::first_column(unsigned plane) const {
    return stored_.x / (plane > 0 ? columns_of_chroma(stored_.picture.pixel_format) : 1);
}

std::size_t FrameLoader::first_row(unsigned plane) const {
    return stored_.y / (plane > 0 ? rows_of_chroma(stored_.picture.pixel_format) : 1);
}

// Plans where a plane's bytes go: rows of the picture, and aside what is not part of the picture.
void FrameLoader::plan_rows(unsigned plane, const Picture &picture) {
    const ChromaSize size = stored_.plane_size(plane);
    const auto row_bytes = static_cast<std::size_t>(stored_.row_bytes(plane));
    if (staged_width_[plane] > 0) {
        parts_.push_back({staging_.planes[plane].data(), row_bytes * size.height});
        return;
    }
    const auto discard = [&](std::size_t bytes) {
        if (bytes > 0) parts_.push_back({discarded_.data(), bytes});
    };
    const auto discard_rows = [&](std::size_t count) {
        for (std::size_t y = 0; y < count; y++) discard(row_bytes);
    };
    const std::size_t kept_rows = picture.format().plane_height(plane);
    const std::size_t sample_bytes = picture.format().bytes_per_sample();
    const std::size_t kept_bytes = picture.format().plane_width(plane) * sample_bytes;
    const std::size_t bytes_before = first_column(plane) * sample_bytes;
    discard_rows(first_row(plane));
    if (kept_bytes == row_bytes && picture.stride_bytes(plane) == static_cast<std::ptrdiff_t>(row_bytes)) {
        parts_.push_back({picture.data(plane), row_bytes * kept_rows});
    } else {
        for (std::size_t y = 0; y < kept_rows; y++) {
            discard(bytes_before);
            parts_.push_back(
                {picture.data(plane) + static_cast<std::ptrdiff_t>(y) * picture.stride_bytes(plane), kept_bytes});
            discard(row_bytes - kept_bytes - bytes_before);
        }
    }
    discard_rows(static_cast<std::size_t>(size.height) - kept_rows - first_row(plane));
}

void FrameLoader::convert_chroma(unsigned plane) {
    const ChromaSize size = stored_.plane_size(plane);
    const std::span<std::uint8_t> samples(reinterpret_cast<std::uint8_t *>(staging_.planes[plane].data()),
                                          staging_.planes[plane].size());
    const std::span<std::uint8_t> scratch = staging_.scratch.span();
    switch (stored_.conversion) {
    case ChromaConversion::move_right:
        move_right(samples, scratch, size);
        std::copy(scratch.begin(), scratch.end(), samples.begin());
        break;
    case ChromaConversion::paldv:
        move_right(samples, scratch, size);
        (plane == 1 ? move_up : move_down)(scratch, samples, size);
        break;
    case ChromaConversion::from_411:
        double_width(samples, scratch, size, staged_width_[plane]);
        std::copy(scratch.begin(), scratch.end(), samples.begin());
        break;
    default: break;
    }
}

// Copies the picture's part of a staged plane.
void FrameLoader::store_plane(unsigned plane, const Picture &picture) const {
    const unsigned width = picture.format().plane_width(plane), height = picture.format().plane_height(plane);
    const auto *const from = reinterpret_cast<const std::uint8_t *>(staging_.planes[plane].data());
    for (unsigned y = 0; y < height; y++) {
        const std::uint8_t *row = from + (first_row(plane) + y) * staged_width_[plane] + first_column(plane);
        std::byte *const target = picture.data(plane) + static_cast<std::ptrdiff_t>(y) * picture.stride_bytes(plane);
        if (!widens_) {
            std::memcpy(target, row, width);
            continue;
        }
        auto *const wide = reinterpret_cast<std::uint16_t *>(target);
        const unsigned shift = picture_bits_ - stored_.picture.bits;
        for (unsigned x = 0; x < width; x++) wide[x] = static_cast<std::uint16_t>(row[x] << shift);
    }
}

void FrameLoader::shift_plane(unsigned plane, const Picture &picture) const {
    const unsigned width = picture.format().plane_width(plane), height = picture.format().plane_height(plane);
    const unsigned bits = stored_.picture.bits, shift = picture_bits_ - bits;
    // A shift would hide samples above the bit depth from later checks.
    const auto samples = picture.plane<std::uint16_t>(plane);
    unsigned all = 0;
    for (int y = 0; y < samples.height; y++)
        for (int x = 0; x < samples.width; x++) all |= samples.row(y)[x];
    if (all >> bits) throw Error(kBadSample, describe(first_above(samples, plane, bits)));
    for (unsigned y = 0; y < height; y++) {
        auto *const row = reinterpret_cast<std::uint16_t *>(picture.data(plane) + static_cast<std::ptrdiff_t>(y) *
                                                                                      picture.stride_bytes(plane));
        for (unsigned x = 0; x < width; x++) row[x] = static_cast<std::uint16_t>(row[x] << shift);
    }
}

void FrameLoader::fill_chroma(const Picture &picture) {
    const PictureFormat &f = picture.format();
    for (unsigned plane = 1; plane < 3; plane++)
        for (unsigned y = 0; y < f.plane_height(plane); y++) {
            std::byte *const row = picture.data(plane) + static_cast<std::ptrdiff_t>(y) * picture.stride_bytes(plane);
            if (f.bits == 8)
                std::memset(row, 128, f.plane_width(plane));
            else
                std::fill_n(reinterpret_cast<std::uint16_t *>(row), f.plane_width(plane),
                            static_cast<std::uint16_t>(1u << (f.bits - 1)));
        }
}

void FrameLoader::plan(const Picture &picture) {
    stage();
    parts_.clear();
    for (unsigned p = 0; p < planes_; p++) plan_rows(p, picture);
}

bool FrameLoader::load(ByteSource &source, const Picture &picture, std::uint64_t &got) {
    plan(picture);
    got = source.read(std::span<const system::Buffer>(parts_));
    if (got + tail_bytes_ == stored_.bytes()) got += source.skip(tail_bytes_);
    if (got < stored_.bytes()) return false;
    finish(picture);
    return true;
}

void FrameLoader::load_at(const ByteSource &source, std::uint64_t offset, const Picture &picture) {
    plan(picture);
    source.read_at(offset, parts_);
    finish(picture);
}

// Only for 8 bits: any byte is a valid sample, even if the file changes after the check.
bool FrameLoader::is_laid_out_as_picture() const {
    if (stored_.picture.bits != 8 || picture_bits_ != 8 || stored_.conversion != ChromaConversion::none) return false;
    for (unsigned p = 0; p < planes_; p++) { // rounded up and rounded down
        const ChromaSize size = stored_.plane_size(p);
        if (static_cast<unsigned>(size.width) != stored_.picture.plane_width(p) ||
            static_cast<unsigned>(size.height) != stored_.picture.plane_height(p))
            return false;
    }
    return true;
}

Picture FrameLoader::map_at(const ByteSource &source, std::uint64_t offset) const {
    if (!is_laid_out_as_picture()) return {};
    const std::uint64_t bytes = stored_.bytes() - tail_bytes_ + kOverreadBytes;
    // The last frame: there may be no page after it.
    if (bytes < kLeastMappedBytes || source.size().value_or(0) < offset + bytes) return {};
    auto memory = source.map(offset, static_cast<std::size_t>(bytes));
    return memory ? Picture(new MappedPicture(stored_, planes_, std::move(memory))) : Picture();
}

// What remains to be done once the samples are read.
void FrameLoader::finish(const Picture &picture) {
    const bool shifts = !widens_ && picture_bits_ > stored_.picture.bits;
    for (unsigned p = 0; p < planes_; p++) {
        if (is_converted(p)) convert_chroma(p);
        if (staged_width_[p] > 0)
            store_plane(p, picture);
        else if (shifts)
            shift_plane(p, picture);
    }
    if (stored_.conversion == ChromaConversion::fill_grey && picture.data(1)) fill_chroma(picture);
}

} // namespace vmaf
