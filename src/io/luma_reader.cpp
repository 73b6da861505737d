#include "io/luma_reader.hpp"

#include <algorithm>
#include <system_error>

namespace vmaf {

namespace {

PictureMemory without_chroma(PictureMemory memory) {
    memory.luma_only = true;
    return memory;
}

} // namespace

LumaReader::LumaReader(const ClipReader &reader, PictureMemory memory, unsigned threads)
    : reader_(reader), pool_(reader.format(), 0, without_chroma(std::move(memory))),
      frames_(reader.frames_left().value_or(0)), frames_ahead_(2 * std::max(threads, 1u)) {
    try {
        for (unsigned i = 0; i < std::max(threads, 1u); i++) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error &) { // those that run do the work of all
        if (threads_.empty()) throw;
    }
}

LumaReader::~LumaReader() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    for (std::thread &thread : threads_) thread.join();
}

void LumaReader::end_at(std::uint64_t frame, std::exception_ptr error) {
    if (frame >= end_) return; // what lies behind the end does not matter
    end_ = frame;
    error_ = std::move(error);
    changed_.notify_all();
}

void LumaReader::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || claimed_ >= end_ || claimed_ < taken_ + frames_ahead_; });
        if (stopping_ || claimed_ >= end_) return;
        const std::uint64_t frame = claimed_++;
        lock.unlock();
        Picture picture;
        bool is_there = false;
        std::exception_ptr error;
        try {
            // Who takes frames decides how many are in use. None is made to find the end of the clip: page-locked
            // memory takes long to get.
            if (frame < frames_) picture = pool_.fetch_or_add();
            is_there = reader_.read_luma_at(frame, picture);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        if (is_there) {
            ready_.emplace(frame, std::move(picture));
            changed_.notify_all();
        } else
            end_at(frame, error);
    }
}

Picture LumaReader::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taken_ == end_ || ready_.contains(taken_); });
    if (taken_ == end_) {
        if (error_) std::rethrow_exception(error_);
        return {};
    }
    const auto found = ready_.find(taken_);
    Picture picture = std::move(found->second);
    ready_.erase(found);
    taken_++;
    changed_.notify_all();
    return picture;
}

} // namespace vmaf
