// The public headers compile as C++ and link from C++.
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"
#include "libvmaf/turbo.h"
#include "libvmaf/version.h"

#include <cstring>

int main() { return std::strncmp(vmaf_version(), "3.2.0", 5) == 0 ? 0 : 1; }
