// Runs kernels in Metal's language on the host device: the functions for metal_stdlib in this folder, and the device.
#include <map>
#include <string>
#include <string_view>

#include "device/host/host_device.hpp"
#include "device/host/host_kernels.hpp"
#include "kernel_table.h"
#include "metal_stand_in/metal_stand_in.hpp"
#include "support/devices.hpp"

namespace vmaf {

namespace {

constexpr unsigned kLanes = 32;

struct MetalBody : HostBody {
    const MetalStandInKernel *kernel;
};

thread_local HostBlock *block_under_way = nullptr;

void run_block(HostBlock &block, const HostBody &self, const void *args) {
    struct State {
        HostBlock &block;
        const MetalStandInKernel &kernel;
        const void *args;
    } state{block, *static_cast<const MetalBody &>(self).kernel, args};
    block_under_way = &block;
    block.run(
        self.shape.threads,
        [](void *p, unsigned index) {
            const State &s = *static_cast<State *>(p);
            s.kernel.run(s.args, s.block.shared, static_cast<unsigned>(s.block.x), static_cast<unsigned>(s.block.y),
                         static_cast<unsigned>(s.block.frame), index);
        },
        &state);
}

const kernels::u32 *exchanged(kernels::u32 value) {
    return block_under_way->exchange(block_under_way->thread(), kLanes, false, value);
}

const HostBody *find_body(const Kernel &kernel) {
    static const auto bodies = [] {
        std::map<std::string, MetalBody, std::less<>> out;
        for (const MetalStandInSet &set : metal_stand_in_sets())
            for (const MetalStandInKernel *k = set.kernels; k->name; k++) {
                MetalBody body{};
                k->store_shape(&body.shape);
                body.run = run_block;
                body.kernel = k;
                out.emplace(std::string(set.name) + "/" + k->name, body);
            }
        return out;
    }();
    const auto found = bodies.find(std::string(kernel.set) + "/" + kernel.name);
    return found == bodies.end() ? nullptr : &found->second;
}

} // namespace

namespace {

const bool is_added =
    add_host_run_device("msl", [] { return open_host_device("msl", kLanes, find_body, /*shares_memory=*/true); });

} // namespace

} // namespace vmaf

// Called by kernels.
extern "C" {
void vmaf_metal_barrier();
unsigned vmaf_metal_shuffle(unsigned value, unsigned lane);
unsigned long vmaf_metal_ballot(unsigned flag);
unsigned vmaf_metal_sum(unsigned value);
unsigned vmaf_metal_max(unsigned value);

void vmaf_metal_barrier() { vmaf::block_under_way->barrier(); }
unsigned vmaf_metal_shuffle(unsigned value, unsigned lane) {
    const unsigned *values = vmaf::exchanged(value);
    return lane < vmaf::kLanes ? values[lane] : 0xdeadbeef; // Metal leaves such lanes undefined
}
unsigned long vmaf_metal_ballot(unsigned flag) {
    const unsigned *flags = vmaf::exchanged(flag);
    unsigned long out = 0;
    for (unsigned i = 0; i < vmaf::kLanes; i++) out |= static_cast<unsigned long>(flags[i] != 0) << i;
    return out;
}
unsigned vmaf_metal_sum(unsigned value) {
    const unsigned *values = vmaf::exchanged(value);
    unsigned out = 0;
    for (unsigned i = 0; i < vmaf::kLanes; i++) out += values[i];
    return out;
}
unsigned vmaf_metal_max(unsigned value) {
    const unsigned *values = vmaf::exchanged(value);
    unsigned out = 0;
    for (unsigned i = 0; i < vmaf::kLanes; i++) out = values[i] > out ? values[i] : out;
    return out;
}
}
