// Reads a model or a collection from JSON (models.md 1).
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "model/json_tree.hpp"
#include "model/model.hpp"
#include "model/model_data.hpp"
#include "system/c_file.hpp"
#include "system/c_locale.hpp"

namespace vmaf {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kMaxKnots = 10;
constexpr int kMaxMembers = 9999; // names have four digits
constexpr std::size_t kMaxFileBytes = std::size_t(256) << 20;

const JsonValue &expect(const JsonValue &value, Kind kind, const std::string &what) {
    if (value.kind == kind) return value;
    throw invalid("'" + what + "' must be " + std::string(to_string(kind)) + ", not " +
                  std::string(to_string(value.kind)));
}

const std::vector<JsonValue> &list(const JsonValue &value, std::string_view name, std::size_t most) {
    const std::string what(name);
    expect(value, Kind::array, what);
    if (value.items.size() > most) throw invalid("'" + what + "' has more than " + std::to_string(most) + " elements");
    return value.items;
}

double number(const JsonValue &value, const std::string &what) { return expect(value, Kind::number, what).number; }
const std::string &string(const JsonValue &value, const std::string &what) {
    return expect(value, Kind::string, what).text;
}

template <class Visit> void for_each_member(const JsonValue &object, Visit visit) {
    for (std::size_t i = 0; i < object.items.size(); i++) visit(object.names[i], object.items[i]);
}

ModelType model_type(const std::string &name) {
    if (name == "LIBSVMNUSVR") return ModelType::plain;
    if (name == "BOOTSTRAP_LIBSVMNUSVR" || name == "RESIDUEBOOTSTRAP_LIBSVMNUSVR") return ModelType::bootstrap;
    throw invalid("unknown model_type '" + name + "'");
}

Normalisation normalisation(const std::string &name) {
    if (name == "linear_rescale") return Normalisation::linear_rescale;
    if (name == "none") return Normalisation::none;
    throw invalid("unknown norm_type '" + name + "'");
}

std::array<double, kMaxFeatures + 1> coefficients(const JsonValue &value, const std::string &what) {
    std::array<double, kMaxFeatures + 1> result{};
    const auto &elements = list(value, what, result.size());
    if (elements.empty()) throw invalid("'" + what + "' is empty");
    std::transform(elements.begin(), elements.end(), result.begin(),
                   [&](const JsonValue &element) { return number(element, what); });
    return result;
}

// Converts option values to text; numbers pass through single precision and six digits (models.md 1.3).
std::string option_text(const std::string &name, const JsonValue &value) {
    switch (value.kind) {
    case Kind::string: return value.text;
    case Kind::boolean: return value.flag ? "true" : "false";
    case Kind::number: {
        const CLocale c_locale;
        std::array<char, 32> buffer{};
        std::snprintf(buffer.data(), buffer.size(), "%g", double(value.single));
        return buffer.data();
    }
    default: throw invalid("option '" + name + "' must be a number, a string, true or false");
    }
}

OptionTexts option_texts(const JsonValue &object) {
    OptionTexts texts;
    for_each_member(expect(object, Kind::object, "feature_opts_dicts"),
                    [&](const std::string &name, const auto &value) {
                        const auto [entry, is_new] = texts.try_emplace(name, option_text(name, value));
                        if (!is_new && entry->second != option_text(name, value))
                            throw invalid("option '" + name + "' is given twice with different values");
                    });
    return texts;
}

std::vector<Knot> knots(const JsonValue &value) {
    std::vector<Knot> result;
    for (const JsonValue &pair : list(value, "knots", kMaxKnots)) {
        const auto &xy = list(pair, "knots", 2);
        result.push_back({xy.empty() ? 0 : number(xy[0], "knots"), xy.size() < 2 ? 0 : number(xy[1], "knots")});
    }
    return result;
}

ScoreTransform score_transform(const JsonValue &object) {
    ScoreTransform t;
    for_each_member(object, [&](const std::string &name, const JsonValue &value) {
        if (name == "enabled") t.enabled = expect(value, Kind::boolean, name).flag;
        if (name == "p0") t.p0 = number(value, name);
        if (name == "p1") t.p1 = number(value, name);
        if (name == "p2") t.p2 = number(value, name);
        if (name == "knots") t.knots = knots(value);
        if (name == "out_lte_in") t.out_lte_in = string(value, name) == "true";
        if (name == "out_gte_in") t.out_gte_in = string(value, name) == "true";
    });
    return t;
}

} // namespace

class ModelReader {
  public:
    // `object` contains a model_dict; a later model_dict overrides keys of an earlier one.
    static Model read(const JsonValue &object, const ModelConfig &config, const std::string &name) {
        ModelReader reader(config);
        reader.data_->name = name;
        if (object.kind != Kind::object) throw invalid("not a JSON object");
        bool found = false;
        for_each_member(object, [&](const std::string &key, const JsonValue &value) {
            if (key != "model_dict") return;
            found = true;
            for_each_member(expect(value, Kind::object, key),
                            [&](const std::string &k, const JsonValue &v) { reader.read_entry(k, v); });
        });
        if (!found) throw invalid("it has no 'model_dict'");
        return reader.finished();
    }

    // Members "0", "1", ... in this order; others are ignored (models.md 1.6).
    static LoadedCollection read_collection(const JsonValue &document, const ModelConfig &config) {
        if (document.kind != Kind::object) throw invalid("not a JSON object");
        std::optional<Model> base;
        std::vector<Model> members;
        ModelType type = ModelType::unknown;
        for_each_member(document, [&](const std::string &key, const JsonValue &value) {
            const std::size_t number = members.size() + (base ? 1 : 0);
            if (key != std::to_string(number)) return;
            if (number > kMaxMembers) throw invalid("the collection has too many members");
            if (!base) {
                base = read(value, config, config.name);
                return;
            }
            std::array<char, 16> suffix{};
            std::snprintf(suffix.data(), suffix.size(), "_%04d", int(number));
            members.push_back(read(value, config, config.name + suffix.data()));
            if (number == 1) type = members.back().data_->type;
            if (members.back().data_->type != type) throw invalid("members of a collection differ in model_type");
        });
        if (members.empty()) throw invalid("not a model collection: it needs members \"0\" and \"1\"");
        return {std::move(*base), ModelCollection(std::move(members), type == ModelType::bootstrap)};
    }

  private:
    explicit ModelReader(const ModelConfig &config) : config_(config), data_(std::make_unique<Model::Data>()) {}

    void read_entry(const std::string &key, const JsonValue &value) {
        Model::Data &m = *data_;
        if (key == "model_type") m.type = model_type(string(value, key));
        if (key == "norm_type") m.normalisation = normalisation(string(value, key));
        if (key == "slopes") m.slopes = coefficients(value, key);
        if (key == "intercepts") m.intercepts = coefficients(value, key);
        if (key == "feature_names") {
            names_.clear();
            for (const JsonValue &name : list(value, key, kMaxFeatures)) names_.push_back(string(name, key));
        }
        if (key == "feature_opts_dicts") {
            options_.clear();
            for (const JsonValue &object : list(value, key, kMaxFeatures)) options_.push_back(option_texts(object));
        }
        if (key == "score_clip") read_clip(expect(value, Kind::array, key).items);
        if (key == "score_transform") m.transform = score_transform(expect(value, Kind::object, key));
        if (key == "chroma_correction_parameter") m.chroma_correction = number(value, key);
        if (key == "model") svm_ = parse_svm_text(checked_regressor(string(value, key)));
    }

    static const std::string &checked_regressor(const std::string &text) {
        if (text.empty()) throw invalid("'model' is empty: there is no regressor");
        return text;
    }

    void read_clip(const std::vector<JsonValue> &limits) {
        if (config_.disable_clip) return;
        if (limits.size() < 2) throw invalid("'score_clip' needs two numbers");
        data_->clip = {number(limits[0], "score_clip"), number(limits[1], "score_clip")};
    }

    Model finished() {
        Model::Data &m = *data_;
        if (!svm_) throw invalid("it has no 'model': there is no regressor");
        options_.resize(names_.size());
        for (std::size_t i = 0; i < names_.size(); i++)
            m.features.push_back({std::move(names_[i]), std::move(options_[i])});
        if (m.transform && config_.enable_transform) m.transform->enabled = true;
        m.regressor = std::make_shared<const Regressor>(*svm_, m.features.size());
        return Model(std::move(data_));
    }

    const ModelConfig &config_;
    std::unique_ptr<Model::Data> data_;
    std::vector<std::string> names_;
    std::vector<OptionTexts> options_;
    std::optional<SvmText> svm_;
};

namespace {

std::string read_file(const std::string &path) {
    if (path.ends_with(".pkl")) throw invalid("pickle models (.pkl) are no longer supported; give a .json model");
    const system::CFile file = system::open_to_read(path);
    if (!file)
        throw invalid(errno == ESPIPE ? "not a regular file; save the model to a file"
                                      : std::string("it cannot be opened: ") + std::strerror(errno));
    std::string text;
    std::array<char, 65536> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        text.append(buffer.data(), count);
        if (text.size() > kMaxFileBytes) throw invalid("it is too large for a model");
    }
    if (std::ferror(file.get())) throw invalid("it cannot be read");
    return text;
}

// Adds the model's name to every error.
template <class Work> auto naming(const std::string &what, Work work) {
    try {
        return work();
    } catch (const Error &e) {
        throw Error(e.code(), what + ": " + e.what());
    }
}

} // namespace

Model parse_model(std::string_view json, const ModelConfig &config) {
    return ModelReader::read(parse_json(json), config, config.name);
}

LoadedCollection parse_model_collection(std::string_view json, const ModelConfig &config) {
    return ModelReader::read_collection(parse_json(json), config);
}

Model load_model_file(const std::string &path, const ModelConfig &config) {
    return naming("model file '" + path + "'", [&] { return parse_model(read_file(path), config); });
}

LoadedCollection load_model_collection_file(const std::string &path, const ModelConfig &config) {
    return naming("model file '" + path + "'", [&] { return parse_model_collection(read_file(path), config); });
}

Model load_builtin_model(std::string_view version, const ModelConfig &config) {
    const std::string json = builtin_json(version);
    return naming("model '" + std::string(version) + "'", [&] { return parse_model(json, config); });
}

LoadedCollection load_builtin_model_collection(std::string_view version, const ModelConfig &config) {
    const std::string json = builtin_json(version);
    return naming("model '" + std::string(version) + "'", [&] { return parse_model_collection(json, config); });
}

} // namespace vmaf
