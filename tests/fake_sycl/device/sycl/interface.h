// For programs that test the SYCL backend with the fake module.
#define VMAF_SYCL_INTERFACE "vmaf sycl stand-in"
