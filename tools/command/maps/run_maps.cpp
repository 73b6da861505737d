#include "maps/run_maps.hpp"

#include "exit_code.hpp"
#include "say.hpp"
#include "session/extractor_name.hpp"

namespace vmaf::cli {

namespace {

// For a collection, its base model.
std::vector<Model> models_of(const Options &options, const std::deque<LoadedModel> &loaded) {
    std::vector<Model> models;
    if (!options.no_prediction)
        for (const LoadedModel &m : loaded) models.push_back(m.model);
    return models;
}

ReportArea report_area(const PictureArea &area) { return {area.left, area.top, area.width(), area.height()}; }

} // namespace

std::unique_ptr<Maps> make_maps(const Options &options, const std::deque<LoadedModel> &loaded,
                                const FramePairs &clips) {
    if (options.local.maps.empty()) return nullptr;
    const std::vector<Model> models = models_of(options, loaded);
    for (const MapArgument &map : options.local.maps)
        if (map.score.empty() && models.empty())
            throw usage_error("a map without a model needs a score; give --map-of SCORE before --map " + map.path);
    return std::make_unique<Maps>(options.local.maps, models.empty() ? "" : models[0].name(), models, clips.format(),
                                  clips.frame_rate(), std::max(options.subsample, 1u));
}

void ask_for_local_scores(Session &session, const Options &options, const std::deque<LoadedModel> &loaded, Maps *maps) {
    if (!options.local.wanted()) return;
    LocalConfig config;
    config.models = models_of(options, loaded);
    config.cell_size = options.local.cell_size;
    config.regions = options.local.regions;
    for (const FeatureArgument &feature : options.features)
        config.region_features.emplace_back(parse_extractor_name(feature.name).info->name);
    if (maps) {
        config.cell_scores = maps->scores();
        config.on_cells = [maps](const CellFrame &frame) { maps->add(frame); };
    }
    session.use_local_scores(std::move(config));
}

void tell_snapped_regions(const Session &session, const Options &options) {
    const LocalScores *const local = session.local_scores();
    for (std::size_t i = 0; local && i < options.local.regions.size(); i++) {
        const Region &region = options.local.regions[i];
        const auto area = local->area_of(i);
        if (!area && local->moves_edges(i))
            say(options.label + "region '" + region.name + "': edges are moved outward to multiples of 16 pixels");
        if (!area || *area == region.everywhere) continue;
        say(options.label + "region '" + region.name + "' is scored as " + std::to_string(area->left) + "," +
            std::to_string(area->top) + "," + std::to_string(area->width()) + "," + std::to_string(area->height()) +
            ": edges of regions are multiples of 16 pixels");
    }
}

LocalReport local_report(const Session &session, const Options &options, const Maps *maps) {
    LocalReport report;
    const LocalScores *const local = session.local_scores();
    if (!local) return report;
    for (std::size_t i = 0; i < options.local.regions.size(); i++) {
        const Region &region = options.local.regions[i];
        const auto area = local->area_of(i);
        report.regions.push_back({region.name, area ? std::optional(report_area(*area)) : std::nullopt});
    }
    report.sparse_names = local->sparse_names();
    if (!maps) return report;
    report.cell_size = local->layout().size;
    report.map_x = local->layout().x;
    report.map_y = local->layout().y;
    report.map_score = maps->worst_of();
    for (const WorstCell &cell : maps->worst())
        report.worst_cells.push_back({cell.frame, cell.column, cell.row, report_area(cell.area), cell.score});
    return report;
}

} // namespace vmaf::cli
