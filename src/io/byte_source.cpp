#include "io/byte_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kBufferBytes = 4096; // for headers; samples bypass it
constexpr std::size_t kSkipBlockBytes = 1 << 16;
constexpr std::size_t kFirstGatheredBytes = 1 << 20; // doubles while more arrives

} // namespace

ByteSource ByteSource::open(const std::string &path) { return ByteSource(system::InputFile::open(path)); }

ByteSource::ByteSource(int descriptor, std::string name) : ByteSource(system::InputFile(descriptor, std::move(name))) {}

ByteSource::ByteSource(system::InputFile file) : file_(std::move(file)), buffer_(kBufferBytes) {
    if (file_.is_regular()) update_size();
}

std::size_t ByteSource::take_buffered(std::span<std::byte> memory) {
    const std::size_t count = std::min(memory.size(), buffer_end_ - buffer_begin_);
    if (count) std::memcpy(memory.data(), buffer_.data() + buffer_begin_, count);
    buffer_begin_ += count;
    return count;
}

Error ByteSource::became_shorter() const { return invalid(name() + " became shorter while it was read"); }

// One system call; 0 at the end of the data.
std::size_t ByteSource::read_some(std::span<system::Buffer> parts) {
    const std::size_t count = file_.read_some(parts);
    if (count == 0 && bytes_left_ > 0) throw became_shorter();
    bytes_left_ -= std::min<std::uint64_t>(bytes_left_, count);
    return count;
}

std::size_t ByteSource::read(std::span<std::byte> memory) {
    const system::Buffer part{memory.data(), memory.size()};
    return read(std::span(&part, 1));
}

std::size_t ByteSource::read(std::span<const system::Buffer> wanted) {
    std::size_t total = 0, direct = 0;
    parts_.clear();
    for (const system::Buffer &part : wanted) {
        const std::span memory(static_cast<std::byte *>(part.memory), part.bytes);
        const std::size_t taken = take_buffered(memory);
        total += taken;
        if (taken < memory.size()) parts_.push_back({memory.data() + taken, memory.size() - taken});
        direct += memory.size() - taken;
    }
    if (direct == 0) return total;
    // Reads beyond the requested bytes, so that the next header needs no call.
    buffer_begin_ = buffer_end_ = 0;
    if (buffer_.size() != kBufferBytes)
        buffer_ = std::vector<std::byte>(kBufferBytes); // the gathered bytes are used up
    parts_.push_back({buffer_.data(), buffer_.size()});
    std::span<system::Buffer> open = parts_;
    while (direct > 0) {
        std::size_t count = read_some(open);
        if (count == 0) return total;
        while (open.size() > 1 && count >= open[0].bytes) {
            count -= open[0].bytes;
            total += open[0].bytes;
            direct -= open[0].bytes;
            open = open.subspan(1);
        }
        if (direct == 0) {
            buffer_end_ = count;
        } else {
            open[0].memory = static_cast<std::byte *>(open[0].memory) + count;
            open[0].bytes -= count;
            total += count;
            direct -= count;
        }
    }
    return total;
}

std::uint64_t ByteSource::gather(std::uint64_t bytes) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(buffer_begin_));
    buffer_end_ -= std::exchange(buffer_begin_, 0);
    while (buffer_end_ < bytes) {
        if (buffer_end_ == buffer_.size()) {
            const std::size_t more = std::max(kFirstGatheredBytes, 2 * buffer_.size());
            buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, more)));
        }
        system::Buffer part{buffer_.data() + buffer_end_, buffer_.size() - buffer_end_};
        const std::size_t count = read_some(std::span(&part, 1));
        if (count == 0) break;
        buffer_end_ += count;
    }
    return std::min<std::uint64_t>(bytes, buffer_end_);
}

std::uint64_t ByteSource::skip(std::uint64_t bytes) {
    const std::uint64_t buffered = std::min<std::uint64_t>(bytes, buffer_end_ - buffer_begin_);
    buffer_begin_ += buffered;
    std::uint64_t done = buffered;
    if (file_.is_regular()) {
        if (bytes_left_ < bytes - done) update_size();
        const std::uint64_t step = std::min(bytes - done, bytes_left_);
        file_.move_forward(step);
        bytes_left_ -= step;
        return done + step;
    }
    if (done < bytes) skipped_.resize(kSkipBlockBytes);
    while (done < bytes) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, skipped_.size()));
        const std::size_t got = read(std::span(skipped_).first(want));
        done += got;
        if (got < want) break;
    }
    return done;
}

std::optional<std::uint64_t> ByteSource::size() const {
    return file_.is_regular() ? std::optional(file_.size()) : std::nullopt;
}

// A file may grow while it is read.
void ByteSource::update_size() {
    const std::uint64_t bytes = file_.size();
    bytes_left_ = bytes - std::min(bytes, file_.position().value_or(0));
}

std::optional<std::uint64_t> ByteSource::bytes_left() const {
    if (!file_.is_regular()) return std::nullopt;
    return bytes_left_ + (buffer_end_ - buffer_begin_);
}

std::optional<std::uint64_t> ByteSource::position() const {
    const auto behind_buffer = file_.position();
    if (!behind_buffer) return std::nullopt;
    return *behind_buffer - (buffer_end_ - buffer_begin_);
}

std::shared_ptr<const std::byte> ByteSource::map(std::uint64_t offset, std::size_t bytes) const {
    auto memory = file_.map(offset, bytes, {mapped_, &mapped_->is_lost});
    if (!memory) return nullptr;
    std::uint64_t end = mapped_->end;
    while (end < offset + bytes && !mapped_->end.compare_exchange_weak(end, offset + bytes)) {
    }
    return memory;
}

// If a file ends inside a page, the rest of that page silently reads as zeros.
void ByteSource::check_whole() const {
    if (mapped_->end > 0 && file_.size() < mapped_->end) throw became_shorter();
    if (mapped_->is_lost)
        throw Error(EIO, name() + " could not be read in part: a disk failed, or the file was changed meanwhile");
    if (file_.has_changed())
        throw invalid(name() + " was changed while it was read; its frames may be of both versions, so score it again "
                               "when nothing writes to it");
}

std::size_t ByteSource::read_some_at(std::uint64_t offset, std::span<std::byte> memory) const {
    std::size_t done = 0;
    while (done < memory.size()) {
        const system::Buffer part{memory.data() + done, memory.size() - done};
        const std::size_t count = file_.read_some_at(offset + done, std::span(&part, 1));
        if (count == 0) break;
        done += count;
    }
    return done;
}

void ByteSource::read_at(std::uint64_t offset, std::span<system::Buffer> parts) const {
    while (!parts.empty()) {
        const std::size_t count = file_.read_some_at(offset, parts);
        if (count == 0) throw became_shorter();
        offset += count;
        for (std::size_t left = count; left > 0;) {
            system::Buffer &first = parts.front();
            const std::size_t step = std::min(left, first.bytes);
            first.memory = static_cast<std::byte *>(first.memory) + step;
            first.bytes -= step;
            left -= step;
            if (first.bytes == 0) parts = parts.subspan(1);
        }
    }
}

} // namespace vmaf
