#include "metrics/cambi/cambi_heatmap.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

double heatmap_gain(const Setup &setup) {
    const int window = setup.encoded.window;
    const int top = kWeights[std::size_t(setup.steps)] * window * window / 4;
    return top > 0 ? 65535.0 / top : 0.0; // C is 0 only for windows of one pixel, where every c is 0
}

Error cannot(const std::string &what, const std::string &path, int code) {
    return Error(EINVAL, "feature 'cambi': cannot " + what + " '" + path + "' for heat maps: " + std::strerror(code) +
                             "; give a heatmaps_path that can be written to");
}

// Creates what is missing of the path with mode 0770 less umask.
void make_folders(const std::string &path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (::mkdir(part.c_str(), 0770) != 0 && errno != EEXIST) {
            const int code = errno;
            struct stat info {};
            if (::stat(part.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) throw cannot("create", part, code);
        }
        if (end == std::string::npos) return;
    }
}

} // namespace

HeatmapFiles::HeatmapFiles(const Setup &setup) : gain_(heatmap_gain(setup)), folder_(setup.heatmaps_path) {
    files_.fill(-1);
    make_folders(folder_);
    // The names start at the encode's size even with the speed-up, where the maps are one size smaller.
    int width = setup.encoded.width, height = setup.encoded.height;
    for (int scale = 0; scale < kScales; scale++) {
        const std::string path = folder_ + "/cambi_heatmap_scale_" + std::to_string(scale) + "_" +
                                 std::to_string(width) + "x" + std::to_string(height) + "_16b.gray";
        int &file = files_[std::size_t(scale)];
        file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0) {
            const int code = errno;
            close();
            throw cannot("open", path, code);
        }
        width = (width + 1) >> 1;
        height = (height + 1) >> 1;
    }
}

HeatmapFiles::~HeatmapFiles() { close(); }

void HeatmapFiles::close() {
    for (int &file : files_) {
        if (file >= 0) ::close(file);
        file = -1;
    }
}

void HeatmapFiles::write(unsigned frame, int scale, std::span<const float> c_values,
                         std::span<std::uint16_t> pixels) const {
    // Values above C wrap, as section 11 says.
    for (std::size_t i = 0; i < c_values.size(); i++) pixels[i] = std::uint16_t(int(gain_ * double(c_values[i])));

    const std::size_t bytes = c_values.size() * sizeof(std::uint16_t);
    const auto *next = reinterpret_cast<const char *>(pixels.data());
    off_t place = off_t(frame) * off_t(bytes);
    for (std::size_t left = bytes; left > 0;) {
        const ssize_t written = ::pwrite(files_[std::size_t(scale)], next, left, place);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            throw Error(EIO, "feature 'cambi': a heat map in '" + folder_ +
                                 "' could not be written: " + std::strerror(written < 0 ? errno : ENOSPC));
        next += written;
        place += written;
        left -= std::size_t(written);
    }
}

} // namespace vmaf::cambi
