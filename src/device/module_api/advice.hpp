// What users can do about driver error codes; CUDA and HIP share the numbers.
#pragma once

namespace vmaf::module_api {

// Appended to the driver's name for the code; empty if we have no advice.
inline const char *advice_for(int result) {
    switch (result) {
    case 2:
        return "; device memory is full: end other programs that use it, run fewer jobs, or score on the CPU "
               "(--backend cpu, and --hwaccel none for video)";
    case 46: return "; another process holds the device exclusively";
    case 100:
    case 101: return "; no such device is visible to this process";
    case 209:
    case 218:
    case 222: return "; this build has no code for this device, or its driver is too old for it";
    case 214: return "; the device's memory has an error";
    case 700:
    case 702:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719: return "; the device aborted this process's work and its data is lost; start again";
    default: return "";
    }
}

} // namespace vmaf::module_api
