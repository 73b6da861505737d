#include "io/read_ahead.hpp"

namespace vmaf {

namespace {

// Tells the reader the depth of its pictures before anything is read.
PictureFormat picture_format(ClipReader &reader, unsigned bits) {
    reader.set_picture_bits(bits);
    PictureFormat format = reader.format();
    format.bits = bits;
    return format;
}

} // namespace

ReadAhead::ReadAhead(ClipReader &reader, unsigned picture_bits, unsigned frames_ahead, PictureMemory memory)
    : pool_(picture_format(reader, picture_bits), frames_ahead + 1, std::move(memory)),
      producer_(
          [this, &reader]() -> std::optional<Picture> {
              Picture picture = pool_.fetch_or_add(); // who takes frames decides how many are in use
              if (!reader.read(picture)) return std::nullopt;
              return picture;
          },
          [&reader] { reader.cancel(); }, frames_ahead) {}

} // namespace vmaf
