// Map files, written while frames are scored; replaced atomically at the end.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "maps/colours.hpp"
#include "maps/local_options.hpp"
#include "maps/pending_file.hpp"
#include "picture/picture.hpp"
#include "session/local_scores.hpp"

namespace vmaf::cli {

// One file. Frames arrive in order, from one thread at a time.
class MapFile {
  public:
    explicit MapFile(const std::string &path) : file_(path) {}
    virtual ~MapFile() = default;
    // `luma`: the distorted picture in 8 bits, for files that show it.
    virtual void add(const CellFrame &frame, const std::vector<double> &cells,
                     const std::vector<std::uint8_t> &luma) = 0;
    // What is left to write.
    virtual void finish() { file_.finish(); }
    void put_in_place() { file_.put_in_place(); }

  protected:
    PendingFile file_;
};

struct MapTarget {
    std::string path, score;
    ScoreRange range;
    unsigned width = 0, height = 0; // of the pictures
    double frame_rate = 0;          // 0: unknown
};

std::unique_ptr<MapFile> make_array_map(const MapTarget &target);   // .npy
std::unique_ptr<MapFile> make_table_map(const MapTarget &target);   // .csv
std::unique_ptr<MapFile> make_picture_map(const MapTarget &target); // .png
std::unique_ptr<MapFile> make_clip_map(const MapTarget &target);    // .y4m

// A cell of a frame, for documents.
struct WorstCell {
    unsigned frame = 0;
    int column = 0, row = 0;
    PictureArea area;
    double score = 0;
};

// All maps of a run.
class Maps {
  public:
    // Throws Error if a file cannot be written.
    Maps(const std::vector<MapArgument> &maps, const std::string &usual_score, const std::vector<Model> &models,
         const PictureFormat &format, double frame_rate, unsigned subsample);

    const std::vector<std::string> &scores() const { return scores_; }
    bool shows_pictures() const { return shows_pictures_; } // needs keep()
    // Keeps what a clip map will show of a frame to be scored. Call it from the reading thread.
    void keep(unsigned index, const Picture &distorted);
    void add(const CellFrame &frame);
    // First all files are written; then, once nothing else can fail, they take their places.
    void finish();
    void put_in_place();

    // Ten cells of the first map, worst first.
    const std::string &worst_of() const { return scores_[0]; }
    const std::vector<WorstCell> &worst() const { return worst_; }

  private:
    struct Kept {
        unsigned index;
        std::vector<std::uint8_t> luma;
    };
    void note_worst(const CellFrame &frame);
    std::vector<std::uint8_t> kept_luma(unsigned index);

    std::vector<std::string> scores_;
    std::vector<std::size_t> score_of_file_;
    std::vector<std::unique_ptr<MapFile>> files_;
    ScoreRange first_range_{};
    unsigned subsample_;
    bool shows_pictures_ = false;
    std::mutex mutex_;
    std::deque<Kept> kept_;
    std::vector<WorstCell> worst_;
};

} // namespace vmaf::cli
