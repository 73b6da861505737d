#include "io/read_ahead.hpp"

#include <algorithm>

#include "base/thread.hpp"
#include "system/program.hpp"

namespace vmaf {

namespace {

// Tells the reader what its pictures are before anything is read.
PicturePool make_pool(ClipReader &reader, const ReadAhead::Config &config) {
    PictureFormat format = reader.format();
    if (config.bits) format.bits = config.bits;
    reader.set_pictures(format.bits, config.has_chroma);
    PictureMemory memory = config.memory;
    memory.luma_only = !config.has_chroma;
    // Memory of devices takes long to get: no more of it than is used. Of what comes through a pipe nobody knows yet
    // whether there is a frame.
    const bool is_made_now = memory.kind == Memory::host && reader.is_file();
    return {format, is_made_now ? config.frames_ahead + 1 : 0, std::move(memory)};
}

} // namespace

ReadAhead::ReadAhead(ClipReader &reader, const Config &config)
    : reader_(reader), is_file_(reader.is_file()), frames_ahead_(std::max(1u, config.frames_ahead)),
      is_mapped_(config.memory.kind == Memory::host), pool_(make_pool(reader, config)) {
    if (is_file_ && (config.threads == 0 || !system::has_threads())) {
        own_loader_ = reader.loader();
        return;
    }
    const unsigned threads = is_file_ ? std::clamp(config.threads, 1u, frames_ahead_) : 1;
    threads_.reserve(threads);
    try {
        for (unsigned i = 0; i < threads; i++)
            threads_.push_back(start_thread("read " + reader.name(), [this] { work(); }));
    } catch (...) { // those that run do the work of all
        if (threads_.empty()) throw;
    }
}

ReadAhead::~ReadAhead() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        changed_.notify_all();
    }
    reader_.cancel();
    for (std::thread &thread : threads_) thread.join();
}

void ReadAhead::end_at(std::uint64_t frame, std::exception_ptr error) {
    if (frame >= end_) return; // what lies past the end does not matter
    end_ = frame;
    error_ = std::move(error);
    changed_.notify_all();
}

Picture ReadAhead::read_one(std::unique_lock<std::mutex> &lock, FrameLoader &loader) {
    // Who takes frames decides how many are in use.
    if (!is_file_) {
        lock.unlock();
        return reader_.read(pool_);
    }
    const auto place = reader_.find(); // in turn
    lock.unlock();
    if (!place) return {};
    if (is_mapped_)
        if (Picture picture = reader_.map_at(*place, loader)) return picture;
    Picture picture = pool_.fetch_or_add();
    reader_.read_at(*place, picture, loader);
    return picture;
}

void ReadAhead::work() {
    std::unique_lock lock(mutex_);
    try {
        read_frames(lock);
    } catch (...) { // no memory for what a thread needs
        if (!lock.owns_lock()) lock.lock();
        end_at(claimed_, std::current_exception());
    }
}

void ReadAhead::read_frames(std::unique_lock<std::mutex> &lock) {
    lock.unlock();
    FrameLoader loader = reader_.loader();
    lock.lock();
    for (;;) {
        changed_.wait(lock, [&] { return is_stopping_ || claimed_ >= end_ || claimed_ < taken_ + frames_ahead_; });
        if (is_stopping_ || claimed_ >= end_) return;
        claim_and_read(lock, loader);
    }
}

void ReadAhead::claim_and_read(std::unique_lock<std::mutex> &lock, FrameLoader &loader) {
    const std::uint64_t frame = claimed_++;
    std::exception_ptr error;
    bool is_there = false;
    try {
        Picture picture = read_one(lock, loader);
        if (!lock.owns_lock()) lock.lock();
        is_there = bool(picture);
        if (is_there) ready_.emplace(frame, std::move(picture));
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        error = std::current_exception();
    }
    if (is_there && !error)
        changed_.notify_all();
    else
        end_at(frame, error);
}

Picture ReadAhead::next() {
    reader_.check_whole();
    std::unique_lock lock(mutex_);
    if (own_loader_ && claimed_ < end_) claim_and_read(lock, *own_loader_);
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
