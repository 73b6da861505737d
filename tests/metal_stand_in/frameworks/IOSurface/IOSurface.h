// The parts of Apple's IOSurface that src/device/metal uses.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct __IOSurface *IOSurfaceRef;
typedef int kern_return_t;
typedef uint32_t IOSurfaceLockOptions;
enum { kIOSurfaceLockReadOnly = 1 };

extern "C" {
kern_return_t IOSurfaceLock(IOSurfaceRef surface, IOSurfaceLockOptions options, uint32_t *seed);
kern_return_t IOSurfaceUnlock(IOSurfaceRef surface, IOSurfaceLockOptions options, uint32_t *seed);
size_t IOSurfaceGetPlaneCount(IOSurfaceRef surface);
void *IOSurfaceGetBaseAddressOfPlane(IOSurfaceRef surface, size_t plane);
size_t IOSurfaceGetBytesPerRowOfPlane(IOSurfaceRef surface, size_t plane);
size_t IOSurfaceGetWidthOfPlane(IOSurfaceRef surface, size_t plane);
size_t IOSurfaceGetHeightOfPlane(IOSurfaceRef surface, size_t plane);
size_t IOSurfaceGetBytesPerElementOfPlane(IOSurfaceRef surface, size_t plane);
}
