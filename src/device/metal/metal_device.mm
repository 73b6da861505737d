#include "device/metal/metal_device.hpp"

#include <algorithm>

#include "device/metal/copy_kernels.hpp"
#include "device/metal/metal_objects.hpp"
#include "device/picture_memory.hpp"

namespace vmaf {

using namespace metal;

namespace {

// Kernels address memory directly, which Metal does not track: a fence orders encoders, barriers order dispatches. Copies are kernels too
// (copy_kernels.hpp).
class MetalQueue final : public Queue {
  public:
    MetalQueue(ContextPointer context, std::shared_ptr<Libraries> libraries)
        : context_(std::move(context)), libraries_(std::move(libraries)), queue_(context_->make_queue()),
          fence_([context_->device() newFence]), copy_bytes_(libraries_->load({"copies", "copy_bytes"})),
          copy_words_(libraries_->load({"copies", "copy_words"})) {
        if (!fence_) throw Error(ENOMEM, "Metal: no fence");
    }
    ~MetalQueue() override {
        @autoreleasepool {
            commit();
            [last_ waitUntilCompleted];
        }
    }

    void upload(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                CopyShape shape) override {
        if (is_empty(shape)) return;
        @autoreleasepool {
            Place source = context_->on_host(from);
            if (!source.buffer) { // ordinary memory: copied synchronously
                const std::size_t bytes = (shape.rows - 1) * static_cast<std::size_t>(from_pitch) + shape.row_bytes;
                id<MTLBuffer> staged = [context_->device() newBufferWithBytes:from
                                                                       length:bytes
                                                                      options:MTLResourceStorageModeShared];
                if (!staged) throw Error(ENOMEM, "Metal: no memory for a copy of " + std::to_string(bytes) + " bytes");
                [compute() useResource:staged usage:MTLResourceUsageRead];
                [buffer() addCompletedHandler:^(id<MTLCommandBuffer>) {
                    (void)staged; // keeps it alive until then
                }];
                source = {staged, 0};
            }
            copy_rows(to, to_pitch, &source, from_pitch, shape);
        }
    }
    void download(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
                  CopyShape shape) override {
        @autoreleasepool {
            const Place target = context_->on_host(to), source = context_->on_device(from);
            if (!target.buffer) throw invalid("Metal: downloads go to memory that the device knows");
            copy_rows(address_of(target), to_pitch, &source, from_pitch, shape);
        }
    }
    void copy(std::byte *to, std::ptrdiff_t to_pitch, const std::byte *from, std::ptrdiff_t from_pitch,
              CopyShape shape) override {
        @autoreleasepool {
            const Place source = context_->on_device(from);
            copy_rows(to, to_pitch, &source, from_pitch, shape);
        }
    }
    void clear(std::byte *at, std::size_t bytes) override {
        @autoreleasepool {
            copy_rows(at, 0, nullptr, 0, {bytes, 1});
        }
    }
    void launch(const LoadedKernel &kernel, Grid grid, const void *args, std::size_t args_bytes) override {
        if (args_bytes > kMostArgumentBytes)
            throw Error(ENOTSUP, "Metal: a kernel with " + std::to_string(args_bytes) + " bytes of arguments");
        @autoreleasepool {
            id<MTLComputeCommandEncoder> encoder = compute();
            [encoder setComputePipelineState:static_cast<const MetalKernel *>(kernel.entry)->pipeline];
            [encoder setBytes:args length:args_bytes atIndex:0];
            [encoder setThreadgroupMemoryLength:round_up<NSUInteger>(kernel.shape.shared_bytes, kBlocksOfSharedMemory)
                                        atIndex:0];
            [encoder dispatchThreadgroups:MTLSizeMake(grid.x, grid.y, grid.frames)
                    threadsPerThreadgroup:MTLSizeMake(kernel.shape.threads, 1, 1)];
        }
    }
    void record(Event &event) override {
        @autoreleasepool {
            auto &e = static_cast<MetalEvent &>(event);
            end_encoder();
            id<MTLCommandBuffer> here = buffer();
            [here encodeSignalEvent:e.event() value:e.record(here)];
            commit();
        }
    }
    void wait(Event &event) override {
        @autoreleasepool {
            auto &e = static_cast<MetalEvent &>(event);
            end_encoder();
            [buffer() encodeWaitForEvent:e.event() value:e.recorded()];
        }
    }
    void finish() override {
        @autoreleasepool {
            commit();
            [last_ waitUntilCompleted];
        }
        context_->work()->check();
    }

  private:
    static bool is_empty(CopyShape shape) { return shape.rows == 0 || shape.row_bytes == 0; }
    // As kernels address it.
    static std::byte *address_of(const Place &place) {
        return reinterpret_cast<std::byte *>(static_cast<std::uintptr_t>(place.buffer.gpuAddress + place.offset));
    }
    // Without a source: zeros.
    void copy_rows(std::byte *to, std::ptrdiff_t to_pitch, const Place *from, std::ptrdiff_t from_pitch, CopyShape shape) {
        if (is_empty(shape)) return;
        const kernels::CopyArgs args{reinterpret_cast<kernels::u8 *>(to),
                                     from ? reinterpret_cast<const kernels::u8 *>(address_of(*from)) : nullptr,
                                     static_cast<kernels::u64>(to_pitch), static_cast<kernels::u64>(from_pitch),
                                     shape.row_bytes};
        const auto all = reinterpret_cast<std::uintptr_t>(args.to) | reinterpret_cast<std::uintptr_t>(args.from) |
                         args.to_pitch | args.from_pitch | args.row_bytes;
        const LoadedKernel &kernel = all % 4 == 0 ? copy_words_ : copy_bytes_;
        const auto tile = static_cast<std::size_t>(kernel.shape.tile_width);
        launch(kernel, {static_cast<unsigned>((shape.row_bytes + tile - 1) / tile), static_cast<unsigned>(shape.rows), 1},
               &args, sizeof args);
    }

    id<MTLCommandBuffer> buffer() {
        if (!buffer_) buffer_ = [queue_ commandBuffer];
        if (!buffer_) throw Error(ENOMEM, "Metal: no command buffer");
        return buffer_;
    }
    id<MTLComputeCommandEncoder> compute() {
        if (compute_) {
            [compute_ memoryBarrierWithScope:MTLBarrierScopeBuffers];
            return compute_;
        }
        compute_ = [buffer() computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
        if (!compute_) throw Error(ENOMEM, "Metal: no command encoder");
        if (has_fence_) [compute_ waitForFence:fence_];
        return compute_;
    }
    void end_encoder() {
        if (!compute_) return;
        [compute_ updateFence:fence_];
        [compute_ endEncoding];
        has_fence_ = true;
        compute_ = nil;
    }
    void commit() {
        end_encoder();
        if (!buffer_) return;
        const std::shared_ptr<Work> work = context_->work();
        work->begin();
        [buffer_ addCompletedHandler:^(id<MTLCommandBuffer> done) {
            work->end(done);
        }];
        [buffer_ commit];
        last_ = buffer_;
        buffer_ = nil;
    }

    ContextPointer context_;
    std::shared_ptr<Libraries> libraries_;
    id<MTLCommandQueue> queue_;
    id<MTLFence> fence_;
    LoadedKernel copy_bytes_, copy_words_;
    bool has_fence_ = false; // an earlier encoder has signalled it
    id<MTLCommandBuffer> buffer_ = nil, last_ = nil;
    id<MTLComputeCommandEncoder> compute_ = nil;
};

DeviceInfo describe(id<MTLDevice> device, unsigned index) {
    unsigned family = 0;
    for (NSInteger f = MTLGPUFamilyApple7; [device supportsFamily:static_cast<MTLGPUFamily>(f)]; f++)
        family = static_cast<unsigned>(f - MTLGPUFamilyApple7) + 7;
    return {.backend = "metal",
            .index = index,
            .name = text_of(device.name),
            .arch = family ? "apple" + std::to_string(family) : "older than apple7",
            .driver = text_of([NSProcessInfo processInfo].operatingSystemVersionString),
            .memory_bytes = device.recommendedMaxWorkingSetSize,
            .multiprocessors = 1, // Metal does not report it
            .group_width = kGroupWidth};
}

class MetalDevice final : public Device {
  public:
    MetalDevice(id<MTLDevice> device, id<MTLCommandQueue> callers_queue, unsigned index)
        : context_(std::make_shared<Context>(device, callers_queue)), libraries_(std::make_shared<Libraries>(context_)),
          info_(describe(device, index)),
          pictures_({Memory::pinned_host, [context = context_](std::size_t bytes) {
                         auto memory = std::make_shared<MetalMemory>(context, context->make_buffer(bytes + kOverreadBytes),
                                                                     bytes, true);
                         std::byte *const data = memory->data();
                         return PictureBlock{data, std::move(memory)};
                     }}) {}

    const DeviceInfo &info() const override { return info_; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override { return make_memory(bytes, false); }
    std::unique_ptr<DeviceMemory> allocate_pinned(std::size_t bytes) override { return make_memory(bytes, true); }
    std::byte *reach(const std::byte *pinned) override {
        const Place place = context_->on_host(pinned);
        return place.buffer ? reinterpret_cast<std::byte *>(static_cast<std::uintptr_t>(place.buffer.gpuAddress + place.offset))
                            : nullptr;
    }
    std::unique_ptr<Queue> make_queue() override {
        @autoreleasepool {
            return std::make_unique<MetalQueue>(context_, libraries_);
        }
    }
    std::unique_ptr<Event> make_event(bool) override {
        @autoreleasepool {
            return std::make_unique<MetalEvent>(context_);
        }
    }
    LoadedKernel load(const Kernel &kernel) override {
        @autoreleasepool {
            return libraries_->load(kernel);
        }
    }
    metal::ImportedPictures &pictures() { return pictures_; }
    void wait() {
        context_->work()->wait();
        context_->work()->check();
    }

  private:
    std::unique_ptr<DeviceMemory> make_memory(std::size_t bytes, bool pinned) {
        @autoreleasepool {
            return std::make_unique<MetalMemory>(context_, context_->make_buffer(bytes), bytes, pinned);
        }
    }

    ContextPointer context_;
    std::shared_ptr<Libraries> libraries_;
    DeviceInfo info_;
    metal::ImportedPictures pictures_;
};

} // namespace

std::shared_ptr<Device> open_metal_device(std::optional<unsigned> index) {
    @autoreleasepool {
        if (!index) {
            id<MTLDevice> device = MTLCreateSystemDefaultDevice();
            if (!device) throw not_usable("the system has no device (MTLCreateSystemDefaultDevice)");
            return std::make_shared<MetalDevice>(device, nil, 0);
        }
        NSArray<id<MTLDevice>> *devices = MTLCopyAllDevices();
        if (*index >= devices.count)
            throw not_usable("there is no device " + std::to_string(*index) + "; the system has " +
                             std::to_string(devices.count));
        return std::make_shared<MetalDevice>(devices[*index], nil, *index);
    }
}

std::shared_ptr<Device> open_metal_device_of(std::uintptr_t device, std::uintptr_t command_queue) {
    @autoreleasepool {
        id<MTLCommandQueue> queue = (__bridge id<MTLCommandQueue>)reinterpret_cast<void *>(command_queue);
        id<MTLDevice> own = (__bridge id<MTLDevice>)reinterpret_cast<void *>(device);
        if (!own) own = queue ? queue.device : MTLCreateSystemDefaultDevice();
        if (!own) throw not_usable("the system has no device (MTLCreateSystemDefaultDevice)");
        if (queue && queue.device != own) throw invalid("Metal: the command queue belongs to another device");
        return std::make_shared<MetalDevice>(own, queue, 0);
    }
}

std::vector<DeviceInfo> list_metal_devices() {
    @autoreleasepool {
        NSArray<id<MTLDevice>> *devices = MTLCopyAllDevices();
        if (devices.count == 0) throw not_usable("the system has no device (MTLCopyAllDevices)");
        std::vector<DeviceInfo> list;
        for (unsigned i = 0; i < devices.count; i++) list.push_back(describe(devices[i], i));
        return list;
    }
}

namespace {

MetalDevice &metal_device(Device &device) {
    if (device.info().backend != "metal") throw invalid("the context works with a device of " + device.info().backend);
    return static_cast<MetalDevice &>(device);
}

} // namespace

metal::ImportedPictures &imported_pictures(Device &device) { return metal_device(device).pictures(); }

void wait_for_metal(Device &device) { metal_device(device).wait(); }

} // namespace vmaf
