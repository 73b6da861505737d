#include "io/read_ahead.hpp"

#include <algorithm>
#include <memory>

#include "system/program.hpp"

namespace vmaf {

namespace {

// Tells the reader the format of its pictures before reading.
PicturePool make_pool(ClipReader &reader, const ReadAhead::Config &config) {
    PictureFormat format = reader.format();
    if (config.bits) format.bits = config.bits;
    reader.set_pictures(format.bits, config.has_chroma);
    PictureMemory memory = config.memory;
    memory.luma_only = !config.has_chroma;
    // Device memory is slow to allocate: only as much as needed. A pipe may contain no frame at all.
    const bool is_made_now = memory.kind == Memory::host && reader.is_file();
    return {format, is_made_now ? config.frames_ahead + 1 : 0, std::move(memory)};
}

unsigned threads_for(const ClipReader &reader, const ReadAhead::Config &config) {
    if (!reader.is_file()) return 1;
    return system::has_threads() ? std::min(config.threads, std::max(1u, config.frames_ahead)) : 0;
}

} // namespace

ReadAhead::ReadAhead(ClipReader &reader, const Config &config)
    : reader_(reader), is_file_(reader.is_file()), is_mapped_(config.memory.kind == Memory::host),
      pool_(make_pool(reader, config)),
      ahead_({reader.name(),
              [this] {
                  return [this, loader = std::make_shared<FrameLoader>(reader_.loader())](Ahead<Picture>::Lock &lock) {
                      return read_one(lock, *loader);
                  };
              },
              [this] { reader_.cancel(); }},
             config.frames_ahead, threads_for(reader, config)) {}

Picture ReadAhead::read_one(Ahead<Picture>::Lock &lock, FrameLoader &loader) {
    // The consumer determines how many frames are in use.
    if (!is_file_) {
        lock.unlock();
        return reader_.read(pool_);
    }
    const auto place = reader_.find(); // in order
    lock.unlock();
    if (!place) return {};
    if (is_mapped_)
        if (Picture picture = reader_.map_at(*place, loader)) return picture;
    Picture picture = pool_.fetch_or_add();
    reader_.read_at(*place, picture, loader);
    return picture;
}

} // namespace vmaf
