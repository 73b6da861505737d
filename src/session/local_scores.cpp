#include "session/local_scores.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "metrics/early_scores.hpp"
#include "metrics/registry.hpp"
#include "model/rbf.hpp"
#include "scores/feature_name.hpp"
#include "session/metric_use.hpp"

namespace vmaf {

namespace {

std::string described(const PictureArea &a) {
    return std::to_string(a.left) + "," + std::to_string(a.top) + "," + std::to_string(a.width()) + "," +
           std::to_string(a.height());
}

template <class Word> void add_words(std::span<const std::int64_t> tile, std::span<std::int64_t> sums) {
    for (std::size_t i = 0; i < sums.size(); i++)
        sums[i] = std::bit_cast<std::int64_t>(std::bit_cast<Word>(sums[i]) + std::bit_cast<Word>(tile[i]));
}

// Sums a block of tiles, word by word. `memory` has a tile's size.
std::span<const std::int64_t> sum_of(const TileGrid &grid, const TileGrid::Block &block,
                                     std::span<const std::int64_t> tiles, bool is_real,
                                     std::span<std::int64_t> memory) {
    const std::size_t words = memory.size();
    const auto tile = [&](int x, int y) {
        return tiles.subspan((std::size_t(y) * std::size_t(grid.columns()) + std::size_t(x)) * words, words);
    };
    if (block.right == block.left + 1 && block.bottom == block.top + 1) return tile(block.left, block.top); // as cells
    std::fill(memory.begin(), memory.end(), 0); // also all bits of 0.0
    for (int y = block.top; y < block.bottom; y++)
        for (int x = block.left; x < block.right; x++)
            is_real ? add_words<double>(tile(x, y), memory) : add_words<std::int64_t>(tile(x, y), memory);
    return memory;
}

} // namespace

void check_cell_size(int size) {
    if (size < kAreaUnit || size > 4096 || size % kAreaUnit)
        throw invalid("cells cannot be " + std::to_string(size) + " pixels wide; give a multiple of 16 up to 4096");
}

void check_region_name(const std::string &name) {
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '.';
    });
    if (name.empty() || !is_plain)
        throw invalid("'" + name + "' cannot name a region; use letters, digits, '_', '-' and '.'");
}

LocalScores::LocalScores(LocalConfig config, const PictureFormat &format, Uses uses, Isa isa)
    : config_(std::move(config)), isa_(isa), width_(int(format.width)), height_(int(format.height)) {
    if (std::min(width_, height_) < kSmallestMappedSide)
        throw invalid("maps and regions need pictures of at least 32x32 pixels; these are " + std::to_string(width_) +
                      "x" + std::to_string(height_));
    if (!config_.cell_scores.empty()) {
        const int size = config_.cell_size ? config_.cell_size : usual_cell_size(width_);
        check_cell_size(size);
        layout_ = {size, cell_edges(width_, size), cell_edges(height_, size)};
        for (std::size_t y = 0; y + 1 < layout_.y.size(); y++)
            for (std::size_t x = 0; x + 1 < layout_.x.size(); x++)
                cells_.push_back({layout_.x[x], layout_.y[y], layout_.x[x + 1], layout_.y[y + 1]});
    }
    for (const std::string &name : config_.cell_scores) cell_scores_.push_back(resolve(name, uses));
    if (!config_.regions.empty()) resolve_regions(uses);
    check_names(uses);
    bool has_moving = false;
    std::vector<PictureArea> all = cells_;
    for (const Region &region : config_.regions) {
        if (region.everywhere) all.push_back(checked(region, *region.everywhere));
        for (const auto &[frame, area] : region.at) all.push_back(checked(region, area));
        has_moving |= !region.everywhere;
    }
    all_tiles_ = TileGrid(width_, height_, all);
    if (!has_moving) fixed_ = make_areas(0);
}

PictureArea LocalScores::checked(const Region &region, const PictureArea &area) const {
    if (area.width() <= 0 || area.height() <= 0)
        throw invalid("region '" + region.name + "' (" + described(area) + ") is empty; give x,y,width,height");
    if (area.left < 0 || area.top < 0 || area.right > width_ || area.bottom > height_)
        throw invalid("region '" + region.name + "' (" + described(area) + ") is not inside the picture of " +
                      std::to_string(width_) + "x" + std::to_string(height_) + " pixels");
    return snapped_area(area, width_, height_);
}

LocalScores::Source LocalScores::source_of(const std::string &name, const std::string &wanted_by, Uses uses) {
    for (const auto &[use, metric] : uses) {
        const auto &names = use->stored_names();
        const auto found = std::find_if(names.begin(), names.end(), [&](const auto &entry) {
            return entry.second == name || feature_alias(entry.second) == name;
        });
        if (found == names.end()) continue;
        if (use->info().holds_everywhere) return {0, found->second, use, found->first};
        const auto local = metric->local_names();
        const auto at = std::find(local.begin(), local.end(), found->first);
        if (at == local.end()) continue;
        const Measured *measured = find(*use);
        if (!measured) {
            measured = &measured_.emplace_back(Measured{use, columns_});
            columns_ += local.size();
        }
        return {.column = measured->first_column + std::size_t(at - local.begin()), .of_frame = {}, .given_as = {}};
    }
    const auto is_score = [&](const Prepared &given) {
        const auto &names = given.use->stored_names();
        return std::any_of(names.begin(), names.end(), [&](const auto &entry) {
            return entry.second == name || feature_alias(entry.second) == name;
        });
    };
    std::vector<std::string> names; // with those that the metrics do not have for these pictures
    for (const auto &[use, metric] : uses)
        for (const std::string_view local : use->local_names())
            names.emplace_back(feature_alias(use->stored_names().find(local)->second));
    if (std::none_of(uses.begin(), uses.end(), is_score)) {
        for (const Model &model : config_.models) names.insert(names.begin(), model.name());
        throw invalid("'" + name + "' is not a score of this run; add the feature that has it" +
                      (names.empty() ? "" : ", or name one of " + joined(names)));
    }
    if (std::find(names.begin(), names.end(), name) != names.end())
        throw invalid("'" + name + "' is not a score of these pictures; name one that they have");
    throw invalid("'" + name + "'" + wanted_by +
                  " has no local scores; vif, adm, motion, psnr, ssim, float_ssim, ciede and cambi have");
}

LocalScores::Score LocalScores::resolve(const std::string &name, Uses uses) {
    const auto model =
        std::find_if(config_.models.begin(), config_.models.end(), [&](const Model &m) { return m.name() == name; });
    if (model == config_.models.end()) return {{source_of(name, "", uses)}, {}};
    Score score{{}, *model};
    for (const std::string &feature : model->stored_names())
        score.sources.push_back(source_of(feature, ", which model '" + name + "' needs,", uses));
    return score;
}

void LocalScores::resolve_regions(Uses uses) {
    for (const Model &model : config_.models) region_names_.push_back(model.name());
    for (const auto &[use, metric] : uses) {
        const auto &wanted = config_.region_features;
        if (std::find(wanted.begin(), wanted.end(), use->info().name) == wanted.end()) continue;
        for (const std::string_view name : metric->local_names())
            region_names_.emplace_back(feature_alias(use->stored_names().find(name)->second));
    }
    if (region_names_.empty())
        throw invalid("regions need a score: give a model, or a feature with local scores such as psnr");
    for (const std::string &name : region_names_) region_scores_.push_back(resolve(name, uses));
}

// Regions create score names, which must not collide with others.
void LocalScores::check_names(Uses uses) const {
    std::set<std::string> known;
    for (const Prepared &given : uses)
        for (const auto &[provided, stored] : given.use->stored_names()) {
            known.insert(stored);
            known.emplace(feature_alias(stored));
        }
    for (const Model &model : config_.models) known.insert(model.name());
    for (const Region &region : config_.regions) {
        check_region_name(region.name);
        for (const std::string &score : region_names_)
            if (!known.insert(score + "_" + region.name).second)
                throw invalid("region '" + region.name + "' would give a score '" + score + "_" + region.name +
                              "', which exists already; choose another name");
    }
}

std::optional<PictureArea> LocalScores::area_of(std::size_t region) const {
    const Region &r = config_.regions[region];
    if (!r.everywhere) return std::nullopt;
    return checked(r, *r.everywhere);
}

bool LocalScores::moves_edges(std::size_t region) const {
    const Region &r = config_.regions[region];
    return std::any_of(r.at.begin(), r.at.end(), [&](const auto &at) { return checked(r, at.second) != at.second; });
}

const LocalScores::Measured *LocalScores::find(const MetricUse &use) const {
    const auto found =
        std::find_if(measured_.begin(), measured_.end(), [&](const Measured &m) { return m.use == &use; });
    return found == measured_.end() ? nullptr : &*found;
}

std::vector<std::string> LocalScores::sparse_names() const {
    std::vector<std::string> names;
    for (const Region &region : config_.regions)
        for (const std::string &score : region_names_)
            if (!region.everywhere) names.push_back(score + "_" + region.name);
    return names;
}

std::shared_ptr<const LocalScores::Areas> LocalScores::make_areas(unsigned index) const {
    auto made = std::make_shared<Areas>();
    made->areas = cells_;
    for (std::size_t i = 0; i < config_.regions.size(); i++) {
        const Region &region = config_.regions[i];
        const auto moving = region.at.find(index);
        if (!region.everywhere && moving == region.at.end()) continue;
        made->areas.push_back(checked(region, region.everywhere ? *region.everywhere : moving->second));
        made->regions.push_back(i);
    }
    made->grid = TileGrid(width_, height_, made->areas);
    for (const PictureArea &area : made->areas) {
        made->of_tiles.push_back(made->grid.block(area));
        made->of_all.push_back(all_tiles_.block(area));
    }
    return made;
}

std::shared_ptr<const LocalScores::Areas> LocalScores::areas_at(unsigned index) const {
    return fixed_ ? fixed_ : make_areas(index);
}

void LocalScores::split_by(const std::function<bool(const MetricUse &)> &is_on_device) {
    for (Measured &m : measured_) m.has_all_tiles = is_on_device(*m.use) || m.use->metric().has_real_tiles();
}

const TileGrid *LocalScores::tiles_for(const MetricUse &use, const Areas &areas) const {
    const Measured *const measured = find(use);
    if (!measured) return nullptr;
    return measured->has_all_tiles ? &all_tiles_ : &areas.grid;
}

void LocalScores::measure(const Areas &areas, std::span<MetricUse *const> uses, std::span<const FrameResult> results,
                          std::span<const std::size_t> result_of_use, std::vector<double> &figures) const {
    figures.assign(areas.areas.size() * columns_, 0.0);
    std::vector<std::int64_t> sums;
    for (const Measured &m : measured_) {
        const auto use = std::find(uses.begin(), uses.end(), m.use);
        if (use == uses.end()) continue;
        const FrameResult &result = results[result_of_use[std::size_t(use - uses.begin())]];
        const Metric &metric = m.use->metric();
        sums.resize(metric.tile_words());
        for (std::size_t i = 0; i < areas.areas.size(); i++) {
            const TileGrid::Block &block = m.has_all_tiles ? areas.of_all[i] : areas.of_tiles[i];
            metric.local_scores(
                sum_of(m.has_all_tiles ? all_tiles_ : areas.grid, block, result.tiles, metric.has_real_tiles(), sums),
                areas.areas[i], std::span(figures).subspan(i * columns_ + m.first_column, m.use->local_names().size()));
        }
    }
}

void LocalScores::add(unsigned index, std::shared_ptr<const Areas> areas, const std::vector<double> &figures) {
    pending_.push_back({index, std::move(areas), figures});
}

// Some metrics emit all scores at the end; holding cells until then would fill the memory.
std::optional<double> LocalScores::frame_score(const Source &source, unsigned index, const ScoreCollector &scores) {
    const std::optional<double> given = scores.find(source.of_frame, index);
    const auto *const metric = dynamic_cast<const EarlyScores *>(&source.use->metric());
    return given || !metric ? given : metric->settled(source.given_as, index);
}

bool LocalScores::is_complete(const Score &score, unsigned index, const ScoreCollector &scores) const {
    return std::all_of(score.sources.begin(), score.sources.end(),
                       [&](const Source &s) { return s.of_frame.empty() || frame_score(s, index, scores); });
}

void LocalScores::hand_out(ScoreCollector &scores, Parallel &parallel) {
    std::vector<Pending> ready = take_ready(scores);
    predict_all(ready, scores, parallel);
    for (Pending &frame : ready) deliver(frame, scores);
}

std::vector<LocalScores::Pending> LocalScores::take_ready(const ScoreCollector &scores) {
    const auto is_ready = [&](const Pending &frame) {
        const auto complete = [&](const Score &score) { return is_complete(score, frame.index, scores); };
        return std::all_of(cell_scores_.begin(), cell_scores_.end(), complete) &&
               std::all_of(region_scores_.begin(), region_scores_.end(), complete);
    };
    std::vector<Pending> taken;
    // If a later frame is complete, a waiting one has lost a neighbour that failed.
    for (auto ready = std::find_if(pending_.begin(), pending_.end(), is_ready); ready != pending_.end();
         ready = std::find_if(pending_.begin(), pending_.end(), is_ready)) {
        taken.push_back(std::move(*ready));
        pending_.erase(pending_.begin(), ready + 1);
    }
    return taken;
}

// In pieces, each for any thread.
void LocalScores::predict_all(std::vector<Pending> &frames, const ScoreCollector &scores, Parallel &parallel) const {
    constexpr std::size_t kPiece = 4 * kRbfBatch;
    struct Piece {
        const Score &score;
        const Pending &frame;
        std::size_t from, to;
        double *out;
    };
    std::vector<Piece> pieces;
    for (Pending &frame : frames) {
        const auto add = [&](const std::vector<Score> &list, std::size_t begin, std::size_t end,
                             std::vector<std::vector<double>> &out) {
            for (const Score &score : list) {
                out.emplace_back(end - begin);
                for (std::size_t from = begin; from < end; from += kPiece)
                    pieces.push_back(
                        {score, frame, from, std::min(from + kPiece, end), out.back().data() + (from - begin)});
            }
        };
        add(region_scores_, cells_.size(), frame.areas->areas.size(), frame.of_regions);
        if (config_.on_cells) add(cell_scores_, 0, cells_.size(), frame.of_cells);
    }
    parallel.run(unsigned(pieces.size()), [&](unsigned i) {
        const Piece &piece = pieces[i];
        const std::vector<double> values = predict(piece.score, piece.frame, piece.from, piece.to, scores);
        std::copy(values.begin(), values.end(), piece.out);
    });
}

std::vector<double> LocalScores::predict(const Score &score, const Pending &frame, std::size_t from, std::size_t to,
                                         const ScoreCollector &scores) const {
    const std::size_t each = score.sources.size();
    std::vector<double> features(each * (to - from));
    for (std::size_t k = 0; k < each; k++) {
        const Source &source = score.sources[k];
        const double of_frame = source.of_frame.empty() ? 0.0 : *frame_score(source, frame.index, scores);
        for (std::size_t i = from; i < to; i++)
            features[(i - from) * each + k] =
                source.of_frame.empty() ? frame.figures[i * columns_ + source.column] : of_frame;
    }
    return score.model ? score.model->predict_all(features, to - from, isa_) : features;
}

void LocalScores::deliver(Pending &frame, ScoreCollector &scores) const {
    std::vector<std::string> names;
    std::vector<NewScore> found;
    names.reserve(region_scores_.size() * frame.areas->regions.size()); // views into them
    for (std::size_t s = 0; s < region_scores_.size(); s++)
        for (std::size_t i = 0; i < frame.areas->regions.size(); i++) {
            names.push_back(region_names_[s] + "_" + config_.regions[frame.areas->regions[i]].name);
            found.push_back({names.back(), frame.index, frame.of_regions[s][i]});
        }
    scores.append(found);
    if (!cells_.empty() && config_.on_cells) config_.on_cells({frame.index, layout_, std::move(frame.of_cells)});
}

} // namespace vmaf
