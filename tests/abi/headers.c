/* The public headers compile without a warning as strict C89. */
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"
#include "libvmaf/turbo.h"
#include "libvmaf/version.h"

typedef int translation_unit_is_not_empty;
