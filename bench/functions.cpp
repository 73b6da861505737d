#include <algorithm>
#include <memory>

#include "bench.hpp"
#include "equality/equality.hpp"

namespace vmaf::bench {

void time_functions(const Settings &settings, const Report &report) {
    const PictureFormat &format = settings.format;
    for (const equality::Function &function : equality::registered_functions()) {
        if (!settings.wants(function.name)) continue;
        if (std::find(function.depths.begin(), function.depths.end(), format.bits) == function.depths.end()) continue;
        std::vector<std::unique_ptr<equality::Workload>> workloads;
        std::vector<Contender> contenders;
        for (const Isa isa : settings.isas) {
            const equality::Shape shape{int(format.width), int(format.height), format.bits, equality::Pattern::content};
            workloads.push_back(std::make_unique<equality::Workload>(shape, 1, 1));
            contenders.push_back({isa, function.prepare(*workloads.back(), isa)});
        }
        time_all(function.name, settings, contenders, report);
    }
}

} // namespace vmaf::bench
