// Scores of parts of pictures: map cells and regions (maps.md). Turns the metrics' sums per tile into scores of areas,
// by the metrics' formulas and the models' predictions.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/metric.hpp"
#include "metrics/tiles.hpp"
#include "model/model.hpp"
#include "scores/collector.hpp"

namespace vmaf {

class MetricUse;

// A requested region.
struct Region {
    std::string name;
    std::optional<PictureArea> everywhere;
    std::map<unsigned, PictureArea> at; // by frame number, if it moves
};

struct CellLayout {
    int size = 0;
    std::vector<int> x, y; // edges, in luma pixels

    int columns() const { return int(x.size()) - 1; }
    int rows() const { return int(y.size()) - 1; }
    std::size_t count() const { return std::size_t(columns()) * std::size_t(rows()); }
};

// A frame's cells, row by row from the top.
struct CellFrame {
    unsigned index = 0;
    const CellLayout &layout;
    std::vector<std::vector<double>> scores; // in the order of LocalConfig::cell_scores
};

struct LocalConfig {
    std::vector<std::string> cell_scores; // names of models and features; empty: no cells
    int cell_size = 0;                    // 0: usual_cell_size()
    std::vector<Region> regions;
    std::vector<std::string> region_features; // extractors that score regions; all models do too
    std::vector<Model> models;
    std::function<void(const CellFrame &)> on_cells; // in frame order, by one thread at a time
};

// Throw Error for an invalid cell size or region name.
void check_cell_size(int size);
void check_region_name(const std::string &name);

class LocalScores {
  public:
    // A use, and its metric as prepared for the pictures.
    struct Prepared {
        const MetricUse *use;
        const Metric *metric;
    };
    using Uses = std::span<const Prepared>;

    // Throws Error if a score is not defined for parts of pictures, or a region is not inside the picture.
    LocalScores(LocalConfig config, const PictureFormat &format, Uses uses, Isa isa);

    // The parts of a frame.
    struct Areas {
        TileGrid grid;
        std::vector<PictureArea> areas;        // cells, then regions
        std::vector<std::size_t> regions;      // the region of each area
        std::vector<TileGrid::Block> of_tiles; // per area
        std::vector<TileGrid::Block> of_all;   // the same in all_tiles()
    };
    std::shared_ptr<const Areas> areas_at(unsigned index) const;
    // Tiles cut along the edges of all areas of all frames: for devices, which use one grid for all frames, and for
    // sums of doubles, whose bits depend on the grid.
    const TileGrid &all_tiles() const { return all_tiles_; }
    // Tells which metrics run on a device. Call it before the first frame.
    void split_by(const std::function<bool(const MetricUse &)> &is_on_device);
    // What a metric on the CPU adds up for a frame; null: nothing.
    const TileGrid *tiles_for(const MetricUse &use, const Areas &areas) const;

    const CellLayout &layout() const { return layout_; }
    // The area of a region that does not move.
    std::optional<PictureArea> area_of(std::size_t region) const;
    // Whether a moving region has different edges in some frames.
    bool moves_edges(std::size_t region) const;
    bool needs(const MetricUse &use) const { return find(use) != nullptr; }
    // Scores of moving regions, which some frames may lack.
    std::vector<std::string> sparse_names() const;

    // Computes all areas from the metrics' results for a frame. Thread-safe.
    void measure(const Areas &areas, std::span<MetricUse *const> uses, std::span<const FrameResult> results,
                 std::span<const std::size_t> result_of_use, std::vector<double> &figures) const;

    // Called in frame order after the frame's scores are stored: delivers complete frames. Whole-frame scores that
    // models need may arrive with later frames.
    void add(unsigned index, std::shared_ptr<const Areas> areas, const std::vector<double> &figures);
    void hand_out(ScoreCollector &scores, Parallel &parallel);

  private:
    // The source of a figure.
    struct Source {
        std::size_t column = 0;
        std::string of_frame; // if not empty: the frame's score of this name,
        const MetricUse *use = nullptr;
        std::string_view given_as; // which the metric calls this
    };
    struct Score {
        std::vector<Source> sources;
        std::optional<Model> model; // empty: the only source
    };
    struct Measured {
        const MetricUse *use;
        std::size_t first_column;
        bool has_all_tiles = false;
    };
    struct Pending {
        unsigned index = 0;
        std::shared_ptr<const Areas> areas;
        std::vector<double> figures;
        std::vector<std::vector<double>> of_cells, of_regions; // per score, once predicted
    };

    const Measured *find(const MetricUse &use) const;
    Score resolve(const std::string &name, Uses uses);
    void resolve_regions(Uses uses);
    void check_names(Uses uses) const;
    Source source_of(const std::string &stored_name, const std::string &wanted_by, Uses uses);
    std::shared_ptr<const Areas> make_areas(unsigned index) const;
    PictureArea checked(const Region &region, const PictureArea &area) const;
    static std::optional<double> frame_score(const Source &source, unsigned index, const ScoreCollector &scores);
    bool is_complete(const Score &score, unsigned index, const ScoreCollector &scores) const;
    std::vector<Pending> take_ready(const ScoreCollector &scores);
    void predict_all(std::vector<Pending> &frames, const ScoreCollector &scores, Parallel &parallel) const;
    std::vector<double> predict(const Score &score, const Pending &frame, std::size_t from, std::size_t to,
                                const ScoreCollector &scores) const;
    void deliver(Pending &frame, ScoreCollector &scores) const;

    LocalConfig config_;
    Isa isa_;
    int width_, height_;
    CellLayout layout_;
    std::vector<PictureArea> cells_;
    TileGrid all_tiles_;
    std::vector<Measured> measured_;
    std::size_t columns_ = 0;
    std::vector<Score> cell_scores_, region_scores_;
    std::vector<std::string> region_names_; // without the region's name
    std::shared_ptr<const Areas> fixed_;    // null if a region moves
    std::deque<Pending> pending_;
};

} // namespace vmaf
