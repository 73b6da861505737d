// Reads a clip a few frames ahead of the consumer. Files are read by several threads, each frame straight to where it
// is wanted, small frames by the consumer; pipes by one.
#pragma once

#include "io/ahead.hpp"
#include "io/clip_reader.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ReadAhead {
  public:
    struct Config {
        unsigned bits = 0;         // of the pictures; 0: the clip's own
        bool has_chroma = true;    // false: pictures have no samples of chroma, and none are read
        unsigned frames_ahead = 1; // most that are read and not taken
        unsigned threads = 1;      // 0: the consumer reads files itself
        PictureMemory memory = host_memory();
    };
    ReadAhead(ClipReader &reader, const Config &config); // pictures taken outlive it

    // The next frame; an empty picture at the end of the clip. Throws what reading threw.
    Picture next() {
        reader_.check_whole();
        return ahead_.next();
    }
    // How many pictures there are to read into.
    unsigned pictures() const { return pool_.size(); }

  private:
    Picture read_one(Ahead<Picture>::Lock &lock, FrameLoader &loader); // empty at the end

    ClipReader &reader_;
    const bool is_file_;
    const bool is_mapped_; // frames are taken where they lie in the file, if they can be
    PicturePool pool_;
    Ahead<Picture> ahead_; // last: it uses all of the above
};

} // namespace vmaf
