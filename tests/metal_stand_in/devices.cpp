// In place of support/devices.cpp: the tests of devices run on kernels in Metal's language.
#include "support/devices.hpp"

#include "base/error.hpp"
#include "metal_stand_in/metal_stand_in.hpp"

namespace vmaf {

std::vector<std::string> host_run_device_names() { return {"msl"}; }
std::vector<std::string> test_device_names() { return {"msl"}; }

std::shared_ptr<Device> open_test_device(const std::string &name) {
    if (name == "msl") return open_metal_stand_in();
    throw invalid("no device '" + name + "' here");
}

} // namespace vmaf
