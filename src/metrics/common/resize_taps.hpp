// Shared by Resizer and by device code.
#pragma once

namespace vmaf {

// Source samples and weights of one row or column of a scaled plane; how many of them count depends on the method.
struct ResizeTaps {
    int index[9];
    float weight[9];
};

} // namespace vmaf
