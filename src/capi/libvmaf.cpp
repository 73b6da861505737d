#include <algorithm>

#include "capi/context.hpp"
#include "config.h"
#include "report/report.hpp"
#include "system/output_file.hpp"

using namespace vmaf;

namespace {

constexpr unsigned kMaxThreads = 4096; // larger numbers are mistakes

// Maps unknown methods to `unknown`, which is refused.
Pooling pooling(const enum VmafPoolingMethod &method) {
    const int value = capi::value_of(method);
    return value > 0 && value < VMAF_POOL_METHOD_NB ? static_cast<Pooling>(value) : Pooling::unknown;
}

void fill(VmafModelCollectionScore *out, const CollectionScore &score) {
    *out = VmafModelCollectionScore{};
    out->type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    out->bootstrap.bagging_score = score.bagging;
    out->bootstrap.stddev = score.stddev;
    out->bootstrap.ci.p95.lo = score.ci_p95_lo;
    out->bootstrap.ci.p95.hi = score.ci_p95_hi;
}

int write_output(VmafContext *vmaf, const char *path, int format, const char *score_format) {
    if (!vmaf || !path) return capi::missing_argument();
    if (format < VMAF_OUTPUT_FORMAT_XML || format > VMAF_OUTPUT_FORMAT_SUB)
        return capi::refused("unknown output format; use a value of enum VmafOutputFormat");
    constexpr ReportFormat kFormats[] = {ReportFormat::xml, ReportFormat::json, ReportFormat::csv, ReportFormat::sub};
    const int result = capi::guarded(*vmaf, [&] {
        const Session &session = vmaf->session;
        const Report report{.scores = session.scores(),
                            .version = vmaf_version(),
                            .width = session.width(),
                            .height = session.height(),
                            .pictures = session.pictures_offered(),
                            .subsample = session.subsample(),
                            .numbers = score_format ? NumberFormat::pattern(score_format) : NumberFormat(),
                            .backend_used = session.wish().empty() ? "" : std::string(session.backend_used()),
                            .local = capi::local_report(*vmaf)};
        system::write_output_file(path, [&](const auto &out) { write_report(report, kFormats[format - 1], out); });
    });
    if (vmaf->is_of_parent()) return result;
    // A file that cannot be opened is an invalid argument; one that cannot be written is not.
    return result == 0 || result == -EIO || result == -ENOSPC || result == -ENOMEM ? result : -EINVAL;
}

} // namespace

int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg) {
    if (!vmaf) return capi::missing_argument();
    *vmaf = nullptr;
    if (cfg.n_threads > kMaxThreads) return capi::refused("more than 4096 threads are not supported", ENOMEM);
    const int level = std::clamp(capi::value_of(cfg.log_level), 0, 4);
    set_log_level(static_cast<LogLevel>(level));
    const int result = capi::guarded([&] {
        *vmaf = new VmafContext(
            {.threads = cfg.n_threads, .subsample = cfg.n_subsample, .cpumask = cfg.cpumask, .gpumask = cfg.gpumask});
    });
    return result ? -ENOMEM : 0;
}

int vmaf_close(VmafContext *vmaf) {
    // Inside a callback it would wait for the callback to end.
    if (!vmaf) return capi::missing_argument();
    if (vmaf->session.is_inside_handler()) return capi::refused(capi::kInsideHandler);
    // A forked child can neither wait for threads nor release a device: leak their memory.
    if (vmaf->is_of_parent() && (vmaf->has_threads || vmaf->session.device())) return capi::refuse_in_child();
    delete vmaf;
    return 0;
}

int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model) {
    if (!vmaf || !model) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        vmaf->session.use_features_of(model->model);
        vmaf->local.add_model(model->model);
        capi::hand_over_local(*vmaf);
    });
}

int vmaf_use_features_from_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection) {
    if (!vmaf || !model_collection) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] { vmaf->session.use_features_of(model_collection->collection); });
}

int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict) {
    if (!vmaf || !feature_name) return capi::missing_argument();
    // The only failure that leaves the options to the caller. Inactive backends count as unknown, as in a library
    // without them.
    const int found = capi::guarded(
        *vmaf, [&] { vmaf->session.find_extractor(feature_name, opts_dict ? opts_dict->texts : OptionTexts{}); });
    if (found == -EINVAL) return found;
    const auto options = capi::take(opts_dict);
    if (found) return found; // out of memory
    return capi::guarded(*vmaf, [&] {
        const OptionTexts texts = options ? options->texts : OptionTexts{};
        vmaf->session.use_feature(feature_name, texts);
        vmaf->local.add_feature(vmaf->session.find_extractor(feature_name, texts).info->name);
        capi::hand_over_local(*vmaf);
    });
}

int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value, unsigned index) {
    if (!vmaf || !feature_name) return capi::missing_argument();
    // The collector has already logged the reason.
    return capi::guarded(
        *vmaf, [&] { vmaf->session.import_score(feature_name, index, value); }, LogLevel::debug);
}

int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg) {
    if (!vmaf) return capi::missing_argument();
    if (cfg.pic_cnt == 0) return capi::refused("pic_cnt is 0; preallocate at least 1 picture");
    if (vmaf->session.is_inside_handler()) return capi::refused(capi::kInsideHandler);
    // Replaces an existing pool; its pictures that are still in use stay valid and free themselves.
    return capi::guarded(
        *vmaf, [&] { vmaf->pool = std::make_unique<PicturePool>(capi::format_of(cfg.pic_params), cfg.pic_cnt); });
}

int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic) {
    if (!vmaf || !pic) return capi::missing_argument();
    if (!vmaf->pool || vmaf->session.is_inside_handler()) return capi::refused(capi::kNoPool);
    return capi::guarded(*vmaf, [&] { capi::export_picture(vmaf->pool->fetch(), pic); });
}

int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index) {
    if (!vmaf) return capi::missing_argument();
    if (!ref && !dist) return capi::guarded(*vmaf, [&] { vmaf->session.flush(); });
    if (!ref || !dist) return capi::missing_argument();
    if (!capi::is_ours(*ref) || !capi::is_ours(*dist))
        return capi::refused("a picture was not filled by this library; use vmaf_picture_alloc(), or "
                             "vmaf_turbo_read_pictures() for memory of your own");
    const int result =
        capi::guarded(*vmaf, [&] { vmaf->session.read(capi::share_picture(*ref), capi::share_picture(*dist), index); });
    if (result) return result; // the caller keeps the pictures
    vmaf_picture_unref(ref);
    vmaf_picture_unref(dist);
    return 0;
}

int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index) {
    if (!vmaf || !model || !score) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] { *score = vmaf->session.score_at(model->model, index); });
}

int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index) {
    if (!vmaf || !model_collection || !score) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] { fill(score, vmaf->session.score_at(model_collection->collection, index)); });
}

int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score, unsigned index) {
    if (!vmaf || !feature_name || !score) return capi::missing_argument();
    return capi::guarded(
        *vmaf, [&] { *score = vmaf->session.feature_score_at(feature_name, index); }, LogLevel::debug);
}

int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method, double *score,
                      unsigned index_low, unsigned index_high) {
    if (!vmaf || !model || !score) return capi::missing_argument();
    return capi::guarded(
        *vmaf, [&] { *score = vmaf->session.pooled(model->model, pooling(pool_method), index_low, index_high); });
}

int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore *score,
                                       unsigned index_low, unsigned index_high) {
    if (!vmaf || !model_collection || !score) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        fill(score, vmaf->session.pooled(model_collection->collection, pooling(pool_method), index_low, index_high));
    });
}

int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name, enum VmafPoolingMethod pool_method,
                              double *score, unsigned index_low, unsigned index_high) {
    if (!vmaf || !feature_name || !score) return capi::missing_argument();
    return capi::guarded(
        *vmaf,
        [&] { *score = vmaf->session.feature_pooled(feature_name, pooling(pool_method), index_low, index_high); },
        LogLevel::debug);
}

int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt) {
    return write_output(vmaf, output_path, capi::value_of(fmt), nullptr);
}

int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt,
                                  const char *score_format) {
    return write_output(vmaf, output_path, capi::value_of(fmt), score_format ? score_format : "%.6f");
}

const char *vmaf_version(void) { return VMAF_VERSION; }

int vmaf_register_metadata_handler(VmafContext *vmaf, VmafMetadataConfiguration cfg) {
    if (!vmaf || !cfg.feature_name || !cfg.callback) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        std::lock_guard lock(vmaf->handlers_mutex);
        vmaf->handlers.push_back({cfg.feature_name, cfg.callback, cfg.data});
        if (vmaf->handlers.size() > 1) return;
        vmaf->session.on_score([vmaf](const std::string &name, unsigned index, double value) {
            std::vector<VmafContext::Handler> handlers;
            {
                std::lock_guard copying(vmaf->handlers_mutex);
                handlers = vmaf->handlers;
            }
            for (const VmafContext::Handler &handler : handlers) {
                if (handler.name != name) continue;
                std::string own_name = name; // the callback takes a char *
                VmafMetadata metadata{own_name.data(), index, value};
                handler.callback(handler.data, &metadata);
            }
        });
    });
}
