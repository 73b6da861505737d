// Converts decoded surfaces to pictures on a device: the same samples that PictureMaker's moves give, plus the
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
    // Throws Error if the device has no code or memory for it.
    SurfaceConverter(Device &device, const VideoOutput &output);

    // Memory for the sums of thumbnails, one per picture in progress.
    struct Thumbnails {
        std::unique_ptr<DeviceMemory> on_device, on_host;
    };
    Thumbnails make_thumbnails(std::size_t count) const;

    // Enqueues the work; the surface must stay until it is done. Skips planes without memory in the picture. The caller
    // holds a scope.
    void enqueue(Queue &queue, const DeviceSurface &surface, const Picture &picture, const Thumbnails &thumbnails,
                 std::size_t thumbnail) const;
    // Call it once that is done.
    LumaSignature signature(const Thumbnails &thumbnails, std::size_t thumbnail) const;

  private:
    Device &device_;
    PictureFormat format_;
    LoadedKernel convert_, blocks_;
    std::unique_ptr<DeviceMemory> luma_table_, chroma_table_; // null: the range is kept
};

} // namespace vmaf
