#include "capi/context.hpp"

using namespace vmaf;

namespace {

ModelConfig config_of(const VmafModelConfig &cfg) {
    ModelConfig config;
    if (cfg.name) config.name = cfg.name;
    config.disable_clip = (cfg.flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0;
    config.enable_transform = (cfg.flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0;
    return config;
}

bool is_builtin(const char *version) {
    for (const BuiltinModel &model : builtin_models())
        if (model.version == version) return true;
    return false;
}

int load_collection(VmafModel **model, VmafModelCollection **collection, auto load) {
    *collection = nullptr;
    return capi::guarded([&] {
        LoadedCollection loaded = load();
        auto base = std::make_unique<VmafModel>(VmafModel{std::move(loaded.base)});
        *collection = new VmafModelCollection{std::move(loaded.collection)};
        *model = base.release();
    });
}

} // namespace

int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version) {
    if (!model || !cfg || !version) return capi::missing_argument();
    // An unknown version leaves *model unchanged; a parse error clears it.
    if (is_builtin(version)) *model = nullptr;
    return capi::guarded([&] { *model = new VmafModel{load_builtin_model(version, config_of(*cfg))}; },
                         LogLevel::warning);
}

int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path) {
    if (!model || !cfg || !path) return capi::missing_argument();
    *model = nullptr;
    return capi::guarded([&] { *model = new VmafModel{load_model_file(path, config_of(*cfg))}; });
}

int vmaf_model_feature_overload(VmafModel *model, const char *feature_name, VmafFeatureDictionary *opts_dict) {
    if (!model || !feature_name || !opts_dict) return capi::missing_argument();
    const auto options = capi::take(opts_dict);
    return capi::guarded([&] {
        model->model.overload(feature_name, options->texts);
        model->model.warn_of_idle_overload(feature_name, options->texts);
    });
}

void vmaf_model_destroy(VmafModel *model) { delete model; }

int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection, VmafModelConfig *cfg,
                               const char *version) {
    if (!model || !model_collection || !cfg || !version) return capi::missing_argument();
    return load_collection(model, model_collection,
                           [&] { return load_builtin_model_collection(version, config_of(*cfg)); });
}

int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                         VmafModelConfig *cfg, const char *path) {
    if (!model || !model_collection || !cfg || !path) return capi::missing_argument();
    return load_collection(model, model_collection, [&] { return load_model_collection_file(path, config_of(*cfg)); });
}

int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                           const char *feature_name, VmafFeatureDictionary *opts_dict) {
    if (!model || !model_collection || !*model_collection || !feature_name || !opts_dict)
        return capi::missing_argument();
    const auto options = capi::take(opts_dict);
    return capi::guarded([&] {
        (*model_collection)->collection.overload(feature_name, options->texts);
        model->model.overload(feature_name, options->texts);
        model->model.warn_of_idle_overload(feature_name, options->texts);
    });
}

void vmaf_model_collection_destroy(VmafModelCollection *model_collection) { delete model_collection; }

const void *vmaf_model_version_next(const void *prev, const char **version) {
    const auto models = builtin_models();
    const BuiltinModel *next = prev ? static_cast<const BuiltinModel *>(prev) + 1 : models.data();
    if (next < models.data() || next >= models.data() + models.size()) return nullptr;
    if (version) *version = next->version.data(); // zero-terminated literals
    return next;
}
