// A Device over a driver with loadable modules: everything common to CUDA and HIP.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/module_api/driver.hpp"
#include "device/module_api/images.hpp"

namespace vmaf::module_api {

// An open device, alive while anything created on it exists.
class Place {
  public:
    virtual ~Place() = default;
    virtual const Driver &driver() const = 0;
    virtual const Images &images() const = 0;
    virtual DeviceInfo describe() const = 0;
    // On their own place callers know best what matters.
    virtual bool is_callers() const { return false; }
    virtual void *native_context() const { return nullptr; } // see Device
    // Makes the device current for the calling thread; pairs may be nested.
    virtual void enter() const = 0;
    virtual void leave() const noexcept = 0;
};

std::shared_ptr<Device> make_device(std::shared_ptr<const Place> place);

// Makes the place current for the thread while this exists.
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
