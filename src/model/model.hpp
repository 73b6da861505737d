// Model files and prediction (models.md 1 to 4): from the features of a frame to its score.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/cpu.hpp"
#include "device/backend_wish.hpp"
#include "metrics/options.hpp"

namespace vmaf {

inline constexpr std::size_t kMaxFeatures = 64; // per model

struct ModelConfig {
    std::string name = "vmaf";
    bool disable_clip = false;
    bool enable_transform = false;
    bool operator==(const ModelConfig &) const = default;
};

class Model {
  public:
    struct Feature {
        std::string name; // full feature name: "VMAF_integer_feature_adm2_score"
        OptionTexts options;
    };

    // Copies share their data; an overload separates it.
    Model(const Model &) noexcept;
    Model(Model &&) noexcept;
    Model &operator=(const Model &) noexcept;
    Model &operator=(Model &&) noexcept;
    ~Model();

    const std::string &name() const;
    const std::vector<Feature> &features() const;

    // Merges options into every feature that this extractor provides; no effect without such a feature (models.md 5.6).
    // `turbo` is not an extractor: its options say where the model's features are computed.
    void overload(std::string_view extractor, const OptionTexts &options);

    // Logs a warning for each of these options that has no effect on the model.
    void warn_of_idle_overload(std::string_view extractor, const OptionTexts &options) const;

    const BackendWish &wish() const;

    // Stored names of the features with their current options; precomputed, so that reading them is free. Throws Error
    // as stored_name_for_model() does.
    const std::vector<std::string> &stored_names() const;

    // The denormalised regressor output, neither transformed nor clipped. One value per feature, in model order.
    double predict_raw(std::span<const double> features) const;
    // Transform, then clip.
    double finish(double raw) const;
    // The finished predictions of `count` inputs, one after the other in `features`; the same bits.
    std::vector<double> predict_all(std::span<const double> features, std::size_t count, Isa isa) const;

  private:
    friend class ModelReader;
    struct Data;
    explicit Model(std::unique_ptr<Data> data);
    static void form_names(Data &data);
    void check_can_predict(std::size_t features) const;
    std::shared_ptr<const Data> data_;
};

struct CollectionScore {
    double bagging = 0, stddev = 0, ci_p95_lo = 0, ci_p95_hi = 0;
};

// Bootstrap members "1".."N" of a collection file; the base model "0" is a separate Model.
class ModelCollection {
  public:
    explicit ModelCollection(std::vector<Model> members, bool is_bootstrap);

    const std::string &name() const { return name_; } // the base model's name
    std::vector<Model> &members() { return members_; }
    const std::vector<Model> &members() const { return members_; }
    void overload(std::string_view extractor, const OptionTexts &options);

    // Combines the members' raw predictions, in member order (models.md 3). Throws Error for a plain collection.
    CollectionScore combine(std::span<const double> raw) const;

  private:
    std::string name_;
    std::vector<Model> members_;
    bool is_bootstrap_;
};

struct LoadedCollection {
    Model base;
    ModelCollection collection;
};

// All throw Error: EINVAL for content, ENOMEM for a broken regressor text (as in the reference).
Model parse_model(std::string_view json, const ModelConfig &config);
LoadedCollection parse_model_collection(std::string_view json, const ModelConfig &config);
Model load_model_file(const std::string &path, const ModelConfig &config);
LoadedCollection load_model_collection_file(const std::string &path, const ModelConfig &config);
Model load_builtin_model(std::string_view version, const ModelConfig &config);
LoadedCollection load_builtin_model_collection(std::string_view version, const ModelConfig &config);

// Built-in versions, in the order of models.md 4.
struct BuiltinModel {
    std::string_view version;
    std::string_view summary; // one line for users
    bool is_collection;
};
std::span<const BuiltinModel> builtin_models();
std::string builtin_json(std::string_view version); // the model file

} // namespace vmaf
