// The Objective-C objects of Metal devices, queues and kernels, with our bookkeeping.
#pragma once

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "device/metal/metal_device.hpp"
#include "device/module_api/images.hpp"
#include "device/picture_memory.hpp"

// Context refuses older systems before anything of macOS 15 is used.
#pragma clang diagnostic ignored "-Wunguarded-availability-new"

namespace vmaf::metal {

constexpr unsigned kGroupWidth = 32;
constexpr NSUInteger kMostArgumentBytes = 4096; // limit of setBytes
constexpr NSUInteger kBlocksOfSharedMemory = 16;
constexpr uint64_t kPatience = 1000; // milliseconds between checks for failures

inline std::string text_of(NSString *text) { return text ? text.UTF8String : ""; }
inline std::string text_of(NSError *error) { return error ? text_of(error.localizedDescription) : "no reason given"; }

inline Error not_usable(const std::string &why) {
    return Error(ENODEV, "Metal: " + why + "; it needs a GPU of Apple family 7 or newer (M1) and macOS 15 or newer",
                 "Metal: " + why);
}

// Pending work of all queues of a device. Command buffers fail after the calls that filled them.
class Work {
  public:
    void begin() {
        const std::lock_guard lock(mutex_);
        under_way_++;
    }
    void end(id<MTLCommandBuffer> buffer) {
        const std::lock_guard lock(mutex_);
        under_way_--;
        changed_.notify_all();
        if (buffer.status != MTLCommandBufferStatusError || !text_.empty()) return;
        text_ = "Metal: work on the device failed: " + text_of(buffer.error);
        code_ = buffer.error.code == MTLCommandBufferErrorOutOfMemory ? ENOMEM : EIO;
    }
    void check() {
        const std::lock_guard lock(mutex_);
        if (!text_.empty()) throw Error(code_, text_);
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return under_way_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t under_way_ = 0;
    std::string text_;
    int code_ = 0;
};

// A buffer and an offset.
struct Place {
    id<MTLBuffer> buffer;
    NSUInteger offset;
};

// A device, alive while anything created on it exists.
class Context {
  public:
    Context(id<MTLDevice> device, id<MTLCommandQueue> callers_queue) : device_(device), callers_queue_(callers_queue) {
        if (![device supportsFamily:MTLGPUFamilyApple7])
            throw not_usable("the device '" + text_of(device.name) + "' is of an older family");
        if (@available(macOS 15.0, *)) {
            MTLResidencySetDescriptor *descriptor = [[MTLResidencySetDescriptor alloc] init];
            NSError *error = nil;
            residency_ = [device newResidencySetWithDescriptor:descriptor error:&error];
            if (!residency_) throw Error(EIO, "Metal: no residency set: " + text_of(error));
            [callers_queue_ addResidencySet:residency_];
        } else {
            throw not_usable("this system is too old");
        }
    }
    // A queue takes at most 32 sets, and a caller's queue outlives us.
    ~Context() {
        @autoreleasepool {
            [callers_queue_ removeResidencySet:residency_];
        }
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    id<MTLDevice> device() const { return device_; }
    const std::shared_ptr<Work> &work() const { return work_; }

    // Command buffers of a caller's queue run in order, including ours.
    id<MTLCommandQueue> make_queue() const {
        if (callers_queue_) return callers_queue_;
        id<MTLCommandQueue> queue = [device_ newCommandQueue];
        if (!queue) throw Error(ENOMEM, "Metal: no command queue");
        [queue addResidencySet:residency_];
        return queue;
    }

    // Processor and device share memory: both see a buffer without a copy.
    id<MTLBuffer> make_buffer(std::size_t bytes) {
        id<MTLBuffer> buffer =
            [device_ newBufferWithLength:round_up<std::size_t>(std::max<std::size_t>(bytes, 1), 256)
                                 options:MTLResourceStorageModeShared | MTLResourceHazardTrackingModeUntracked];
        if (!buffer) throw Error(ENOMEM, "Metal: no memory for a buffer of " + std::to_string(bytes) + " bytes");
        const std::lock_guard lock(mutex_);
        by_device_address_[buffer.gpuAddress] = buffer;
        by_host_address_[reinterpret_cast<std::uintptr_t>(buffer.contents)] = buffer;
        [residency_ addAllocation:buffer];
        [residency_ commit];
        return buffer;
    }
    void forget(id<MTLBuffer> buffer) {
        const std::lock_guard lock(mutex_);
        by_device_address_.erase(buffer.gpuAddress);
        by_host_address_.erase(reinterpret_cast<std::uintptr_t>(buffer.contents));
        [residency_ removeAllocation:buffer];
        [residency_ commit];
    }

    Place on_device(const std::byte *at) {
        if (const Place place = find(by_device_address_, reinterpret_cast<std::uintptr_t>(at)); place.buffer)
            return place;
        throw invalid("Metal: an address that is not of this device");
    }
    Place on_host(const std::byte *at) { return find(by_host_address_, reinterpret_cast<std::uintptr_t>(at)); }

  private:
    using Buffers = std::map<std::uintptr_t, id<MTLBuffer>>; // by start address

    Place find(const Buffers &buffers, std::uintptr_t at) {
        const std::lock_guard lock(mutex_);
        auto next = buffers.upper_bound(at);
        if (next == buffers.begin()) return {nil, 0};
        --next;
        const std::uintptr_t offset = at - next->first;
        if (offset >= next->second.length) return {nil, 0};
        return {next->second, offset};
    }

    id<MTLDevice> device_;
    id<MTLCommandQueue> callers_queue_;
    id<MTLResidencySet> residency_;
    std::shared_ptr<Work> work_ = std::make_shared<Work>();
    std::mutex mutex_;
    Buffers by_device_address_, by_host_address_;
};
using ContextPointer = std::shared_ptr<Context>;

// data(): the address that kernels use, or (pinned) the processor uses.
class MetalMemory final : public DeviceMemory {
  public:
    MetalMemory(ContextPointer context, id<MTLBuffer> buffer, std::size_t bytes, bool pinned)
        : DeviceMemory(pinned ? static_cast<std::byte *>(buffer.contents)
                              : reinterpret_cast<std::byte *>(static_cast<std::uintptr_t>(buffer.gpuAddress)),
                       bytes),
          context_(std::move(context)), buffer_(buffer) {}
    ~MetalMemory() override {
        @autoreleasepool {
            context_->forget(buffer_);
        }
    }

  private:
    ContextPointer context_;
    id<MTLBuffer> buffer_;
};

class MetalEvent final : public Event {
  public:
    explicit MetalEvent(ContextPointer context)
        : context_(std::move(context)), event_([context_->device() newSharedEvent]) {
        if (!event_) throw Error(ENOMEM, "Metal: no event");
    }
    void wait() override {
        const uint64_t value = recorded();
        while (![event_ waitUntilSignaledValue:value timeoutMS:kPatience]) context_->work()->check();
        context_->work()->check();
    }
    bool reached() override { return event_.signaledValue >= recorded(); }
    float milliseconds_since(Event &earlier) override {
        return static_cast<float>((ended_->at() - static_cast<MetalEvent &>(earlier).ended_->at()) * 1000);
    }

    id<MTLSharedEvent> event() const { return event_; }
    uint64_t recorded() const {
        const std::lock_guard lock(mutex_);
        return recorded_;
    }
    // The next value, signalled at the end of `buffer`.
    uint64_t record(id<MTLCommandBuffer> buffer) {
        const std::shared_ptr<Ended> ended = ended_;
        ended->expect();
        [buffer addCompletedHandler:^(id<MTLCommandBuffer> done) {
          ended->set(done.GPUEndTime);
        }];
        const std::lock_guard lock(mutex_);
        return ++recorded_;
    }

  private:
    // When the last command buffer ended; set once its handler has run.
    class Ended {
      public:
        void expect() {
            const std::lock_guard lock(mutex_);
            pending_++;
        }
        void set(double seconds) {
            const std::lock_guard lock(mutex_);
            seconds_ = seconds;
            pending_--;
            changed_.notify_all();
        }
        double at() {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return pending_ == 0; });
            return seconds_;
        }

      private:
        std::mutex mutex_;
        std::condition_variable changed_;
        unsigned pending_ = 0;
        double seconds_ = 0;
    };

    ContextPointer context_;
    id<MTLSharedEvent> event_;
    std::shared_ptr<Ended> ended_ = std::make_shared<Ended>();
    mutable std::mutex mutex_;
    uint64_t recorded_ = 0;
};

struct MetalKernel {
    id<MTLComputePipelineState> pipeline;
    KernelShape shape;
};

// The kernels of a device, compiled on demand from the source text in the library.
class Libraries {
  public:
    explicit Libraries(ContextPointer context) : context_(std::move(context)) {}

    LoadedKernel load(const Kernel &kernel) {
        const std::lock_guard lock(mutex_);
        const std::string name = std::string(kernel.set) + "/" + kernel.name;
        auto found = kernels_.find(name);
        if (found == kernels_.end()) found = kernels_.emplace(name, made(kernel)).first;
        return {kernel.name, found->second.shape, &found->second};
    }

  private:
    MetalKernel made(const Kernel &kernel) {
        id<MTLLibrary> library = library_of(kernel);
        const std::string entry = "vmaf_" + std::string(kernel.name);
        id<MTLComputePipelineState> pipeline = pipeline_of(library, entry);
        const KernelShape shape = shape_of(library, entry);
        if (shape.threads > pipeline.maxTotalThreadsPerThreadgroup ||
            shape.group_width != pipeline.threadExecutionWidth ||
            shape.shared_bytes > context_->device().maxThreadgroupMemoryLength)
            throw Error(ENOTSUP, "Metal code for " + entry + " does not fit this device: blocks of " +
                                     std::to_string(shape.threads) + " threads and " +
                                     std::to_string(shape.shared_bytes) + " bytes of shared memory, " +
                                     std::to_string(pipeline.maxTotalThreadsPerThreadgroup) + " and " +
                                     std::to_string(context_->device().maxThreadgroupMemoryLength) + " are possible");
        return {pipeline, shape};
    }
    id<MTLLibrary> library_of(const Kernel &kernel) {
        const auto found = libraries_.find(kernel.set);
        if (found != libraries_.end()) return found->second;
        const auto *text = static_cast<const char *>(metal::images().find(kernel.set));
        if (!text) throw Error(ENOTSUP, "no Metal code for " + std::string(kernel.set));
        MTLCompileOptions *options = [[MTLCompileOptions alloc] init];
        options.languageVersion = MTLLanguageVersion3_2;
        options.mathMode = MTLMathModeSafe; // every operation rounds as in IEEE 754
        options.mathFloatingPointFunctions = MTLMathFloatingPointFunctionsPrecise;
        NSError *error = nil;
        id<MTLLibrary> library =
            [context_->device() newLibraryWithSource:[NSString stringWithUTF8String:text] options:options error:&error];
        if (!library)
            throw Error(ENOTSUP,
                        "Metal: the kernels of " + std::string(kernel.set) + " do not compile: " + text_of(error));
        return libraries_.emplace(kernel.set, library).first->second;
    }
    id<MTLComputePipelineState> pipeline_of(id<MTLLibrary> library, const std::string &name) {
        id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:name.c_str()]];
        if (!function) throw Error(ENOTSUP, "Metal: no kernel '" + name + "'");
        NSError *error = nil;
        id<MTLComputePipelineState> pipeline =
            [context_->device() newComputePipelineStateWithFunction:function error:&error];
        if (!pipeline) throw Error(ENOTSUP, "Metal: " + name + ": " + text_of(error));
        return pipeline;
    }
    // Asks the device for the sizes of its kernels.
    KernelShape shape_of(id<MTLLibrary> library, const std::string &entry) {
        id<MTLComputePipelineState> pipeline = pipeline_of(library, entry + "_shape");
        if (!queue_) queue_ = context_->make_queue();
        id<MTLBuffer> out =
            [context_->device() newBufferWithLength:sizeof(KernelShape) options:MTLResourceStorageModeShared];
        id<MTLCommandBuffer> buffer = out ? [queue_ commandBuffer] : nil;
        id<MTLComputeCommandEncoder> encoder = [buffer computeCommandEncoder]; // must be ended once it exists
        if (!encoder) throw Error(ENOMEM, "Metal: no memory to ask for the sizes of " + entry);
        [encoder setComputePipelineState:pipeline];
        [encoder setBuffer:out offset:0 atIndex:0];
        [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
        [encoder endEncoding];
        context_->work()->begin();
        [buffer commit];
        [buffer waitUntilCompleted];
        context_->work()->end(buffer);
        context_->work()->check();
        KernelShape shape{};
        std::memcpy(&shape, out.contents, sizeof shape);
        return shape;
    }

    ContextPointer context_;
    std::mutex mutex_;
    id<MTLCommandQueue> queue_ = nil;
    std::map<std::string, id<MTLLibrary>, std::less<>> libraries_; // by set
    std::map<std::string, MetalKernel, std::less<>> kernels_;      // by set and name
};

} // namespace vmaf::metal
