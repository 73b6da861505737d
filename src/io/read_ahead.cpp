#include "io/read_ahead.hpp"

#include <utility>

namespace vmaf {

namespace {

PictureFormat with_bits(PictureFormat format, unsigned bits) {
    format.bits = bits;
    return format;
}

} // namespace

ReadAhead::ReadAhead(ClipReader &reader, unsigned picture_bits, unsigned frames_ahead, PictureMemory memory)
    : reader_(reader), pool_(with_bits(reader.format(), picture_bits), frames_ahead + 1, std::move(memory)),
      frames_ahead_(frames_ahead) {
    reader_.set_picture_bits(picture_bits);
    thread_ = std::thread([this] { work(); });
}

ReadAhead::~ReadAhead() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    reader_.cancel();
    thread_.join();
}

void ReadAhead::work() {
    std::unique_lock lock(mutex_);
    try {
        while (!stopping_ && !ended_) {
            lock.unlock();
            Picture picture = pool_.fetch_or_add(); // who takes frames decides how many are in use
            const bool there = reader_.read(picture);
            lock.lock();
            if (there)
                ready_.push_back(std::move(picture));
            else
                ended_ = true;
            changed_.notify_all();
            changed_.wait(lock, [&] { return stopping_ || ended_ || ready_.size() < frames_ahead_; });
        }
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        error_ = std::current_exception();
        ended_ = true;
        changed_.notify_all();
    }
}

Picture ReadAhead::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || ended_; });
    if (!ready_.empty()) {
        Picture picture = std::move(ready_.front());
        ready_.pop_front();
        changed_.notify_all();
        return picture;
    }
    if (error_) std::rethrow_exception(error_);
    return {};
}

} // namespace vmaf
