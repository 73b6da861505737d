// A Device over a driver with loadable modules: all that CUDA and HIP have in common.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/module_api/driver.hpp"
#include "device/module_api/images.hpp"

namespace vmaf::module_api {

// A device of a driver as it was opened, kept for as long as anything made on it lives.
class Place {
  public:
    virtual ~Place() = default;
    virtual const Driver &driver() const = 0;
    virtual const Images &images() const = 0;
    virtual DeviceInfo describe() const = 0;
    // A caller knows better what matters on a place of its own.
    virtual bool is_callers() const { return false; }
    virtual void *native_context() const { return nullptr; } // see Device
    // The calling thread works on the device; pairs may be nested.
    virtual void enter() const = 0;
    virtual void leave() const noexcept = 0;
};

std::shared_ptr<Device> make_device(std::shared_ptr<const Place> place);

// The place is the thread's own while this lives.
class Entered {
  public:
    explicit Entered(const Place &place) : place_(place) { place_.enter(); }
    ~Entered() { place_.leave(); }
    Entered(const Entered &) = delete;
    Entered &operator=(const Entered &) = delete;

  private:
    const Place &place_;
};

} // namespace vmaf::module_api
