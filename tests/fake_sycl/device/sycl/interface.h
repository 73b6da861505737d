// For programs that test the SYCL backend with the stand-in of the module.
#define VMAF_SYCL_INTERFACE "vmaf sycl stand-in"
