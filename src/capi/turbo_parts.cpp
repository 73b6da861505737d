// libvmaf/turbo.h: maps and regions.
#include <algorithm>

#include "capi/context.hpp"
#include "capi/own_version.hpp"

using namespace vmaf;

namespace vmaf::capi {

void LocalRequest::add_model(const Model &model) {
    const auto same = [&](const Model &known) { return known.name() == model.name(); };
    if (std::none_of(config.models.begin(), config.models.end(), same)) config.models.push_back(model);
}

void LocalRequest::add_feature(std::string_view extractor) {
    auto &known = config.region_features;
    if (std::find(known.begin(), known.end(), extractor) == known.end()) known.emplace_back(extractor);
}

namespace {

void hand_out(const VmafContext &vmaf, const CellFrame &frame) {
    for (std::size_t i = 0; i < vmaf.local.maps.size(); i++) {
        const LocalRequest::Map &map = vmaf.local.maps[i];
        const VmafTurboCells cells{.size = sizeof cells,
                                   .score = map.score.c_str(),
                                   .index = frame.index,
                                   .cell = frame.layout.size,
                                   .columns = frame.layout.columns(),
                                   .rows = frame.layout.rows(),
                                   .x = frame.layout.x.data(),
                                   .y = frame.layout.y.data(),
                                   .scores = frame.scores[i].data()};
        map.on_cells(map.user, &cells);
    }
}

void check_early(const VmafContext &vmaf) {
    if (vmaf.session.width() > 0) throw invalid("maps and regions must be added before the first pictures");
}

std::string score_of(const VmafContext &vmaf, const VmafTurboMap &map) {
    if (!map.on_cells) throw invalid("a map needs a callback for its cells; set on_cells");
    if (!map.model == !map.score) throw invalid("a map shows either a model or a score; set exactly one");
    if (map.score) return map.score;
    const auto &models = vmaf.local.config.models;
    const std::string &name = map.model->model.name();
    if (std::none_of(models.begin(), models.end(), [&](const Model &known) { return known.name() == name; }))
        throw invalid("model '" + name + "' is not in use; call vmaf_use_features_from_model() first");
    return name;
}

Region &region_of(LocalConfig &config, const std::string &name) {
    const auto known = std::find_if(config.regions.begin(), config.regions.end(),
                                    [&](const Region &region) { return region.name == name; });
    return known == config.regions.end() ? config.regions.emplace_back(Region{name, {}, {}}) : *known;
}

void add_region(LocalConfig &config, const VmafTurboRegion &given) {
    if (!given.name) throw invalid("a region needs a name");
    check_region_name(given.name);
    constexpr int kFar = 1 << 20; // keeps sums in range
    const auto [least, greatest] = std::minmax({given.x, given.y, given.w, given.h});
    if (least < -kFar || greatest > kFar) // avoids abs(INT_MIN)
        throw invalid("region '" + std::string(given.name) + "' is outside of any possible picture");
    const PictureArea area{given.x, given.y, given.x + given.w, given.y + given.h};
    Region &region = region_of(config, given.name);
    if (region.everywhere || (!given.moves && !region.at.empty()))
        throw invalid("two regions are named '" + region.name + "'; give each its own name");
    if (!given.moves)
        region.everywhere = area;
    else if (!region.at.emplace(given.index, area).second)
        throw invalid("region '" + region.name + "' is in frame " + std::to_string(given.index) + " already");
}

} // namespace

void hand_over_local(VmafContext &vmaf) {
    LocalConfig &config = vmaf.local.config;
    if ((vmaf.local.maps.empty() && config.regions.empty()) || vmaf.session.width() > 0) return;
    if (!vmaf.local.maps.empty()) config.on_cells = [&vmaf](const CellFrame &frame) { hand_out(vmaf, frame); };
    vmaf.session.use_local_scores(config);
}

LocalReport local_report(const VmafContext &vmaf) {
    LocalReport report;
    const LocalScores *const local = vmaf.session.local_scores();
    if (!local) return report;
    const auto &regions = vmaf.local.config.regions;
    for (std::size_t i = 0; i < regions.size(); i++) {
        std::optional<ReportArea> place;
        if (const auto area = local->area_of(i)) place = {area->left, area->top, area->width(), area->height()};
        report.regions.push_back({regions[i].name, place});
    }
    report.sparse_names = local->sparse_names();
    return report;
}

} // namespace vmaf::capi

int vmaf_turbo_use_map(VmafContext *vmaf, const VmafTurboMap *map) {
    if (!vmaf || !map) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        const VmafTurboMap given = capi::own_version(*map);
        capi::check_early(*vmaf);
        LocalConfig &config = vmaf->local.config;
        const std::string score = capi::score_of(*vmaf, given);
        if (given.cell) check_cell_size(given.cell);
        if (!vmaf->local.maps.empty() && given.cell != config.cell_size)
            throw invalid("all maps of a context must have the same cell size");
        config.cell_size = given.cell;
        config.cell_scores.push_back(score);
        vmaf->local.maps.push_back({score, given.on_cells, given.user});
        capi::hand_over_local(*vmaf);
    });
}

int vmaf_turbo_use_region(VmafContext *vmaf, const VmafTurboRegion *region) {
    if (!vmaf || !region) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        const VmafTurboRegion given = capi::own_version(*region);
        capi::check_early(*vmaf);
        capi::add_region(vmaf->local.config, given);
        capi::hand_over_local(*vmaf);
    });
}
