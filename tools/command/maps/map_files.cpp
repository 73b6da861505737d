#include "maps/map_files.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "report/number.hpp"

namespace vmaf::cli {

namespace {

constexpr std::size_t kWorstCells = 10;

// Some cells have no score. The sign of their NaN differs between machines.
double without_sign_of_nan(double score) {
    return std::isnan(score) ? std::numeric_limits<double>::quiet_NaN() : score;
}

// NumPy format 1.0: frames x rows x columns of float32.
class ArrayMap final : public MapFile {
  public:
    explicit ArrayMap(const MapTarget &target) : MapFile(target.path) { file_.append(header()); }

    void add(const CellFrame &frame, const std::vector<double> &cells, const std::vector<std::uint8_t> &) override {
        rows_ = frame.layout.rows();
        columns_ = frame.layout.columns();
        frames_++;
        std::string bytes;
        for (const double cell : cells) {
            const auto bits = std::bit_cast<std::uint32_t>(float(without_sign_of_nan(cell)));
            for (int shift = 0; shift < 32; shift += 8) bytes += char(bits >> shift & 0xff);
        }
        file_.append(bytes);
    }
    void finish() override {
        file_.put_first(header());
        MapFile::finish();
    }

  private:
    // Fixed length: the number of frames is known only at the end.
    std::string header() const {
        constexpr std::size_t kLength = 128, kBefore = 10;
        std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(frames_) + ", " +
                           std::to_string(rows_) + ", " + std::to_string(columns_) + "), }";
        text.resize(kLength - kBefore - 1, ' ');
        return std::string("\x93NUMPY\x01\0", 8) + char(kLength - kBefore) + '\0' + text + '\n';
    }

    std::uint64_t frames_ = 0;
    int rows_ = 0, columns_ = 0;
};

class TableMap final : public MapFile {
  public:
    explicit TableMap(const MapTarget &target) : MapFile(target.path) {
        file_.append("frame,row,column,x,y,width,height," + target.score + "\n");
    }
    void add(const CellFrame &frame, const std::vector<double> &cells, const std::vector<std::uint8_t> &) override {
        std::string text;
        std::size_t at = 0;
        const CellLayout &layout = frame.layout;
        for (std::size_t y = 0; y + 1 < layout.y.size(); y++)
            for (std::size_t x = 0; x + 1 < layout.x.size(); x++) {
                for (const int number : {int(frame.index), int(y), int(x), layout.x[x], layout.y[y],
                                         layout.x[x + 1] - layout.x[x], layout.y[y + 1] - layout.y[y]})
                    text += std::to_string(number) + ",";
                NumberFormat::six_decimals().append(text, without_sign_of_nan(cells[at++]));
                text += "\n";
            }
        file_.append(text);
    }
};

} // namespace

std::unique_ptr<MapFile> make_array_map(const MapTarget &target) { return std::make_unique<ArrayMap>(target); }
std::unique_ptr<MapFile> make_table_map(const MapTarget &target) { return std::make_unique<TableMap>(target); }

Maps::Maps(const std::vector<MapArgument> &maps, const std::string &usual_score, const std::vector<Model> &models,
           const PictureFormat &format, double frame_rate, unsigned subsample)
    : subsample_(subsample) {
    for (const MapArgument &map : maps) {
        const std::string &score = map.score.empty() ? usual_score : map.score;
        const auto known = std::find(scores_.begin(), scores_.end(), score);
        score_of_file_.push_back(std::size_t(known - scores_.begin()));
        if (known == scores_.end()) scores_.push_back(score);
        const bool is_model =
            std::any_of(models.begin(), models.end(), [&](const Model &model) { return model.name() == score; });
        const MapTarget target{map.path,     score,         range_of(score, is_model),
                               format.width, format.height, frame_rate / subsample};
        if (files_.empty()) first_range_ = target.range;
        switch (map.format) {
        case MapFormat::npy: files_.push_back(make_array_map(target)); break;
        case MapFormat::csv: files_.push_back(make_table_map(target)); break;
        case MapFormat::png: files_.push_back(make_picture_map(target)); break;
        case MapFormat::y4m: files_.push_back(make_clip_map(target)); break;
        }
        shows_pictures_ |= map.format == MapFormat::y4m;
    }
}

void Maps::keep(unsigned index, const Picture &distorted) {
    if (!shows_pictures_ || index % subsample_) return;
    const PictureFormat &format = distorted.format();
    Kept kept{index, std::vector<std::uint8_t>(std::size_t(format.width) * format.height)};
    std::uint8_t *out = kept.luma.data();
    for (unsigned y = 0; y < format.height; y++, out += format.width) {
        if (format.bits == 8) {
            std::copy_n(distorted.plane<std::uint8_t>(0).row(int(y)), format.width, out);
        } else {
            const std::uint16_t *const row = distorted.plane<std::uint16_t>(0).row(int(y));
            for (unsigned x = 0; x < format.width; x++) out[x] = std::uint8_t(row[x] >> (format.bits - 8));
        }
    }
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(kept));
}

// Skips frames that failed.
std::vector<std::uint8_t> Maps::kept_luma(unsigned index) {
    const std::lock_guard lock(mutex_);
    while (!kept_.empty() && kept_.front().index < index) kept_.pop_front();
    if (kept_.empty() || kept_.front().index != index) return {};
    std::vector<std::uint8_t> luma = std::move(kept_.front().luma);
    kept_.pop_front();
    return luma;
}

void Maps::add(const CellFrame &frame) {
    const std::vector<std::uint8_t> luma = shows_pictures_ ? kept_luma(frame.index) : std::vector<std::uint8_t>();
    for (std::size_t i = 0; i < files_.size(); i++) files_[i]->add(frame, frame.scores[score_of_file_[i]], luma);
    note_worst(frame);
}

void Maps::note_worst(const CellFrame &frame) {
    const auto is_worse = [&](const WorstCell &a, const WorstCell &b) {
        return first_range_.is_worse(a.score, b.score);
    };
    const std::vector<double> &scores = frame.scores[0];
    for (std::size_t i = 0; i < scores.size(); i++) {
        if (std::isnan(scores[i])) continue;
        if (worst_.size() == kWorstCells && !first_range_.is_worse(scores[i], worst_.back().score)) continue;
        const int columns = frame.layout.columns(), column = int(i) % columns, row = int(i) / columns;
        const auto edge = [](const std::vector<int> &edges, int at) { return edges[std::size_t(at)]; };
        const PictureArea area{edge(frame.layout.x, column), edge(frame.layout.y, row),
                               edge(frame.layout.x, column + 1), edge(frame.layout.y, row + 1)};
        const WorstCell cell{frame.index, column, row, area, scores[i]};
        worst_.insert(std::upper_bound(worst_.begin(), worst_.end(), cell, is_worse), cell);
        if (worst_.size() > kWorstCells) worst_.pop_back();
    }
}

void Maps::finish() {
    for (const auto &file : files_) file->finish();
}

void Maps::put_in_place() {
    for (const auto &file : files_) file->put_in_place();
}

} // namespace vmaf::cli
