// Reads a clip a few frames ahead of the consumer. Several threads read files, each frame directly to its destination;
// the consumer itself reads small frames; one thread reads pipes.
#pragma once

#include "io/ahead.hpp"
#include "io/clip_reader.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead {
  public:
    struct Config {
        unsigned bits = 0;         // of the pictures; 0: the clip's own
        bool has_chroma = true;    // false: pictures have no chroma samples, and none are read
        unsigned frames_ahead = 1; // most frames read but not taken
        unsigned threads = 1;      // 0: the consumer reads files itself
        PictureMemory memory = host_memory();
    };
    ReadAhead(ClipReader &reader, const Config &config); // pictures taken may outlive it

    // The next frame; empty at the end of the clip. Rethrows read errors.
    Picture next() {
        reader_.check_whole();
        return ahead_.next();
    }
    // The number of pictures to read into.
    unsigned pictures() const { return pool_.size(); }

  private:
    Picture read_one(Ahead<Picture>::Lock &lock, FrameLoader &loader); // empty at the end

    ClipReader &reader_;
    const bool is_file_;
    const bool is_mapped_; // maps frames in the file if possible
    PicturePool pool_;
    Ahead<Picture> ahead_; // last: uses everything above
};

} // namespace vmaf
