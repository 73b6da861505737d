// Planes of both pictures that kernels compute, for scorers.
#pragma once

#include "metrics/device_scorer.hpp"

namespace vmaf {

struct MadePlanes {
    MadePlanes(FrameMemory &scratch, int width, int height)
        : width(width), height(height), pitch((width + 31) / 32 * 32), ref(scratch.add<float>(samples())),
          dist(scratch.add<float>(samples())) {}
    int width, height, pitch;
    Piece<float> ref, dist;

    kernels::PicturePlanes planes(const DeviceBatch &batch) const {
        kernels::PicturePlanes out{};
        for (unsigned i = 0; i < batch.count; i++) {
            out.ref.plane[i] = batch.scratch_of(ref).of(static_cast<int>(i));
            out.dist.plane[i] = batch.scratch_of(dist).of(static_cast<int>(i));
        }
        out.pitch = pitch;
        return out;
    }

  private:
    std::size_t samples() const { return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(height); }
};

} // namespace vmaf
