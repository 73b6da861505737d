// The boxes of MP4 files (ISO/IEC 14496-12).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace vmaf::tune {

class Boxes {
  public:
    explicit Boxes(std::FILE *file) : file_(file) {}

    off_t end() {
        fseeko(file_, 0, SEEK_END);
        return ftello(file_);
    }

    // Numbers of four bytes; none at the end of the file.
    std::vector<std::int64_t> words(off_t at, std::size_t count) {
        std::vector<unsigned char> bytes(4 * count);
        std::vector<std::int64_t> values;
        if (fseeko(file_, at, SEEK_SET) != 0 || std::fread(bytes.data(), 1, bytes.size(), file_) != bytes.size())
            return values;
        for (std::size_t i = 0; i < bytes.size(); i += 4)
            values.push_back(std::int64_t(bytes[i]) << 24 | bytes[i + 1] << 16 | bytes[i + 2] << 8 | bytes[i + 3]);
        return values;
    }

    // Calls visit(name, first, end) for the content of each box between two offsets. A size of 0 means to the end.
    template <class Visit> void each(off_t at, off_t end, Visit visit) {
        for (int boxes = 0; boxes < 10000 && at + 8 <= end; boxes++) {
            const auto start = words(at, 2);
            if (start.size() < 2) return;
            std::int64_t size = start[0], header = 8;
            if (const auto large = words(at + 8, 2); size == 1 && large.size() == 2) {
                size = large[0] << 32 | large[1];
                header = 16;
            }
            if (size == 0) size = end - at;
            if (size < header || size > end - at) return;
            std::string name;
            for (int shift = 24; shift >= 0; shift -= 8) name += static_cast<char>(start[1] >> shift & 0xFF);
            visit(name, at + header, at + size);
            at += size;
        }
    }

  private:
    std::FILE *file_;
};

} // namespace vmaf::tune
