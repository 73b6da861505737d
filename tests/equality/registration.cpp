#include "equality/equality.hpp"

namespace vmaf::equality {

namespace {

std::vector<Function> &functions() {
    static std::vector<Function> list;
    return list;
}

} // namespace

Registration::Registration(Function function) { functions().push_back(std::move(function)); }

const std::vector<Function> &registered_functions() { return functions(); }

} // namespace vmaf::equality
