#import <IOSurface/IOSurface.h>

#include "base/error.hpp"
#include "device/metal/metal_device.hpp"

namespace vmaf {

namespace {

// Lets the processor read the surface while this exists.
class Locked {
  public:
    explicit Locked(IOSurfaceRef surface) : surface_(surface) {
        if (IOSurfaceLock(surface_, kIOSurfaceLockReadOnly, nullptr) != 0)
            throw Error(EIO, "surface: IOSurfaceLock failed");
    }
    ~Locked() { IOSurfaceUnlock(surface_, kIOSurfaceLockReadOnly, nullptr); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;

  private:
    IOSurfaceRef surface_;
};

} // namespace

void import_surface(Device &device, std::uintptr_t handle, unsigned plane, unsigned width, unsigned height, unsigned bits,
                    bool is_ref, unsigned index) {
    const IOSurfaceRef surface = reinterpret_cast<IOSurfaceRef>(handle);
    if (!surface) throw invalid("surface: none given");
    metal::ImportedPictures &pictures = imported_pictures(device);
    const std::size_t planes = IOSurfaceGetPlaneCount(surface);
    if (plane > 2 || (planes != 2 && planes != 3))
        throw invalid("surface: two planes (the second with both chroma components) or three are needed, it has " +
                      std::to_string(planes));
    const bool is_shared = planes == 2 && plane > 0;
    const std::size_t from = is_shared ? 1 : plane;
    const Locked locked(surface);
    metal::SurfacePlane in;
    in.data = static_cast<const std::byte *>(IOSurfaceGetBaseAddressOfPlane(surface, from));
    in.pitch = IOSurfaceGetBytesPerRowOfPlane(surface, from);
    in.width = static_cast<unsigned>(IOSurfaceGetWidthOfPlane(surface, from));
    in.height = static_cast<unsigned>(IOSurfaceGetHeightOfPlane(surface, from));
    in.components = is_shared ? 2 : 1;
    in.component = is_shared ? plane - 1 : 0;
    in.bytes_per_sample = static_cast<unsigned>(IOSurfaceGetBytesPerElementOfPlane(surface, from)) / in.components;
    in.shift = planes == 2 && bits > 8 && bits < 16 ? 16 - bits : 0;
    pictures.add(index, is_ref, plane, bits, width, height, in);
}

} // namespace vmaf
