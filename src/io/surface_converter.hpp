// Makes pictures on a device of what a decoder left there: the same samples that PictureMaker's moves give, with the
// thumbnail of luma_signature().
#pragma once

#include <memory>

#include "device/device.hpp"
#include "io/alignment.hpp"
#include "io/range_change.hpp"
#include "io/video_file.hpp"

namespace vmaf {

class SurfaceConverter {
  public:
    // Throws Error where the device has no code or memory for it.
    SurfaceConverter(Device &device, const VideoOutput &output);

    // Memory for the sums of thumbnails, one for each picture that is in work at once.
    struct Thumbnails {
        std::unique_ptr<DeviceMemory> on_device, on_host;
    };
    Thumbnails make_thumbnails(std::size_t count) const;

    // Puts the work into the queue; the surface stays until it is done. Planes that the picture has no memory for are
    // left out. The caller keeps a scope.
    void enqueue(Queue &queue, const DeviceSurface &surface, const Picture &picture, const Thumbnails &thumbnails,
                 std::size_t thumbnail) const;
    // Once that is done.
    LumaSignature signature(const Thumbnails &thumbnails, std::size_t thumbnail) const;

  private:
    Device &device_;
    PictureFormat format_;
    LoadedKernel convert_, blocks_;
    std::unique_ptr<DeviceMemory> luma_table_, chroma_table_; // null: the range is kept
};

} // namespace vmaf
