// Shared by Resizer and by device code.
#pragma once

namespace vmaf {

// Source samples and weights of a row or column of a scaled plane; the method determines how many are used.
struct ResizeTaps {
    int index[9];
    float weight[9];
};

} // namespace vmaf
