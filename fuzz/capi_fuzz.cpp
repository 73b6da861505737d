// Any bytes as a sequence of C API calls, in any order. Checks that valid calls are accepted and invalid ones refused;
// and that a second context, which gets only the accepted calls and no threads, answers every query alike. So a refused
// call changes nothing, and neither do threads.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <set>
#include <vector>

#include "../src/capi/metadata_handler.h"
#include "libvmaf/libvmaf.h"

namespace {

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (0)

// In C an enum is a number; hides the C++ undefined behaviour from the sanitizer.
#define LIKE_C __attribute__((no_sanitize("undefined")))

constexpr std::size_t kMaxCalls = 48;
constexpr unsigned kMaxFrames = 10;
constexpr const char *kFeatures[] = {"vif",   "motion", "psnr",  "float_motion", "adm",
                                     "ciede", "null",   "cambi", "nosuch"};
constexpr const char *kScores[] = {"VMAF_integer_feature_vif_scale0_score",
                                   "VMAF_integer_feature_motion2_score",
                                   "VMAF_integer_feature_motion_sad_score",
                                   "psnr_y",
                                   "psnr_cb",
                                   "VMAF_feature_motion2_score",
                                   "VMAF_feature_motion3_score",
                                   "VMAF_integer_feature_adm2_score",
                                   "ciede2000",
                                   "elsewhere",
                                   "none"};

struct Bytes {
    const std::uint8_t *at, *end;
    unsigned next() { return at < end ? *at++ : 0; }
    unsigned below(unsigned limit) { return next() % limit; }
    bool empty() const { return at >= end; }
};

VmafModel *model() {
    static VmafModel *const loaded = [] {
        VmafModel *m = nullptr;
        VmafModelConfig cfg{};
        REQUIRE(vmaf_model_load(&m, &cfg, "vmaf_v0.6.1") == 0);
        return m;
    }();
    return loaded;
}

struct Shape {
    unsigned w, h, bpc;
    VmafPixelFormat format;
    bool operator==(const Shape &) const = default;
};
constexpr Shape kShapes[] = {{32, 24, 8, VMAF_PIX_FMT_YUV420P}, {32, 24, 10, VMAF_PIX_FMT_YUV420P},
                             {48, 24, 8, VMAF_PIX_FMT_YUV420P}, {8, 8, 8, VMAF_PIX_FMT_YUV420P},
                             {32, 24, 8, VMAF_PIX_FMT_YUV400P}, {33, 25, 12, VMAF_PIX_FMT_YUV444P}};

VmafPicture picture(const Shape &s, unsigned seed, bool bad) {
    VmafPicture pic;
    REQUIRE(vmaf_picture_alloc(&pic, s.format, s.bpc, s.w, s.h) == 0);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++) {
            auto *const row =
                static_cast<unsigned char *>(pic.data[p]) + static_cast<std::ptrdiff_t>(y) * pic.stride[p];
            for (unsigned x = 0; x < pic.w[p]; x++) {
                const unsigned v = (x * 7 + y * 13 + seed * 29 + x * y % 31) & 0xff;
                if (s.bpc == 8)
                    row[x] = static_cast<unsigned char>(v);
                else
                    reinterpret_cast<unsigned short *>(row)[x] = static_cast<unsigned short>(v << (s.bpc - 8));
            }
        }
    if (bad && s.bpc > 8) reinterpret_cast<unsigned short *>(pic.data[0])[3] = 0xffff;
    return pic;
}

struct Frame {
    Shape shape;
    unsigned index, seed;
    bool bad = false;
};

int give(VmafContext *ctx, const Frame &f) {
    VmafPicture ref = picture(f.shape, f.seed, f.bad), dis = picture(f.shape, f.seed + 1, f.bad);
    const int result = vmaf_read_pictures(ctx, &ref, &dis, f.index);
    if (result) {
        REQUIRE(ref.ref && dis.ref); // the caller keeps them
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dis);
    }
    REQUIRE(!ref.ref && !dis.ref);
    return result;
}

// The result of a call: its code, and its score if any.
struct Answer {
    int code = 0;
    double score = 0;
    bool operator==(const Answer &other) const {
        return code == other.code && std::memcmp(&score, &other.score, sizeof score) == 0;
    }
};
using Call = std::function<Answer(VmafContext *)>;

struct Run {
    VmafContext *ctx = nullptr;
    unsigned threads = 0, subsample = 0;
    std::uint64_t cpumask = 0;
    std::vector<std::pair<Call, Answer>> accepted; // in order, with their results
    std::set<unsigned> given, imported;            // frame numbers
    const Shape *shape = nullptr;                  // of the first pair
    unsigned next = 0, frames = 0;
    bool flushed = false;
    bool pending = false;      // the next call reports an earlier frame
    bool all_are_read = false; // some metric reads the luma of every picture

    void close();
};

// Forgets refused calls.
Answer ask(Run &run, const Call &call) {
    const Answer answer = call(run.ctx);
    REQUIRE(answer.code == 0 || answer.code == -EINVAL);
    if (answer.code == 0) run.accepted.emplace_back(call, answer);
    return answer;
}
// Keeps queries whatever their result.
void inquire(Run &run, const Call &call) {
    const Answer answer = call(run.ctx);
    REQUIRE(answer.code == 0 || answer.code == -EINVAL);
    run.accepted.emplace_back(call, answer);
}

void Run::close() {
    if (!ctx) return;
    REQUIRE(vmaf_close(ctx) == 0);
    VmafContext *straight = nullptr;
    VmafConfiguration cfg{};
    cfg.n_subsample = subsample;
    cfg.cpumask = cpumask;
    REQUIRE(vmaf_init(&straight, cfg) == 0);
    for (const auto &[call, answer] : accepted) REQUIRE(call(straight) == answer);
    REQUIRE(vmaf_close(straight) == 0);
}

void misbehave(void *data, VmafMetadata *m) {
    VmafContext *const ctx = *static_cast<std::atomic<VmafContext *> *>(data);
    if (!ctx) return; // of the second context
    REQUIRE(give(ctx, {kShapes[0], m->picture_index + 1, 1}) == -EINVAL);
    REQUIRE(vmaf_read_pictures(ctx, nullptr, nullptr, 0) == -EINVAL);
    REQUIRE(vmaf_close(ctx) == -EINVAL);
    double score = 0;
    REQUIRE(vmaf_feature_score_at_index(ctx, m->feature_name, &score, m->picture_index) == 0);
    vmaf_score_at_index(ctx, model(), &score, m->picture_index);
}

void begin(Run &run, Bytes &bytes) {
    VmafConfiguration cfg{};
    run = Run();
    cfg.n_threads = run.threads = bytes.below(4);
    cfg.n_subsample = run.subsample = bytes.below(3);
    cfg.cpumask = run.cpumask = bytes.below(2) ? ~0ull : 0;
    REQUIRE(vmaf_init(&run.ctx, cfg) == 0);
}

void add_feature(Run &run, Bytes &bytes) {
    const char *const name = kFeatures[bytes.below(std::size(kFeatures))];
    const unsigned kind = bytes.below(4);
    const Answer answer = ask(run, [=](VmafContext *ctx) {
        VmafFeatureDictionary *options = nullptr;
        if (kind == 1) vmaf_feature_dictionary_set(&options, "no_such_option", "1");
        if (kind == 2) vmaf_feature_dictionary_set(&options, "vif_enhn_gain_limit", "1.0");
        if (kind == 3) vmaf_feature_dictionary_set(&options, "vif_enhn_gain_limit", "-7");
        const bool known = std::strcmp(name, "nosuch") != 0;
        const int code = vmaf_use_feature(ctx, name, options);
        if (!known) {
            REQUIRE(code == -EINVAL);
            vmaf_feature_dictionary_free(&options);
        }
        return Answer{code};
    });
    // Metrics that look back may skip a frame.
    const bool reads_all = std::strcmp(name, "null") != 0 && !std::strstr(name, "motion") && run.subsample < 2;
    if (answer.code == 0 && reads_all) run.all_are_read = true;
}

void use_model(Run &run) {
    if (ask(run, [](VmafContext *ctx) { return Answer{vmaf_use_features_from_model(ctx, model())}; }).code) return;
    if (run.subsample < 2) run.all_are_read = true;
}

void read(Run &run, Bytes &bytes, bool plain) {
    if (run.frames >= kMaxFrames) return;
    Frame f{run.shape ? *run.shape : kShapes[0], run.next, bytes.next(), false};
    if (!plain) {
        f.shape = kShapes[bytes.below(std::size(kShapes))];
        switch (bytes.below(5)) {
        case 0: break;
        case 1: f.index = bytes.below(8); break;
        case 2: f.index += bytes.below(3); break;
        case 3: f.index = 1u << 30; break;
        default: f.index = ~0u; break;
        }
        f.bad = bytes.below(3) == 0 && f.shape.bpc > 8 && run.all_are_read;
    }
    const int code = f.bad ? give(run.ctx, f) : ask(run, [=](VmafContext *ctx) { return Answer{give(ctx, f)}; }).code;
    REQUIRE(code == 0 || code == -EINVAL);
    const bool must_fail = run.flushed || run.pending || f.index >= 1u << 30 || run.given.contains(f.index) ||
                           (run.shape && !(f.shape == *run.shape)) || (f.bad && run.threads == 0);
    if (must_fail) REQUIRE(code == -EINVAL);
    if (plain && !must_fail && run.shape && !run.imported.contains(f.index)) REQUIRE(code == 0);
    if (!run.flushed) run.pending = f.bad && code == 0; // the next call reports it
    if (code || f.bad) return;
    run.frames++;
    if (run.all_are_read) run.given.insert(f.index);
    run.next = std::max(run.next, f.index + 1);
    for (const Shape &known : kShapes)
        if (known == f.shape) run.shape = &known;
}

void flush(Run &run) {
    const int code =
        ask(run, [](VmafContext *ctx) { return Answer{vmaf_read_pictures(ctx, nullptr, nullptr, 0)}; }).code;
    if (run.flushed || run.pending) REQUIRE(code == -EINVAL);
    if (!run.flushed) run.pending = false;
    if (code == 0) run.flushed = true;
}

void import_score(Run &run, Bytes &bytes) {
    const char *const name = kScores[bytes.below(std::size(kScores))];
    const unsigned index = bytes.below(12), value = bytes.next();
    if (ask(run, [=](VmafContext *ctx) { return Answer{vmaf_import_feature_score(ctx, name, value, index)}; }).code ==
        0)
        run.imported.insert(index);
}

void ask_for_scores(Run &run, Bytes &bytes) {
    const char *const name = kScores[bytes.below(std::size(kScores))];
    const unsigned kind = bytes.below(4), low = bytes.below(12), high = bytes.below(12), number = bytes.next();
    inquire(run, [=](VmafContext *ctx) LIKE_C {
        Answer answer;
        VmafPoolingMethod method;
        const int any = number < 200 ? static_cast<int>(number % 6) : static_cast<int>(number * 16777619u);
        std::memcpy(&method, &any, sizeof method);
        switch (kind) {
        case 0: answer.code = vmaf_feature_score_at_index(ctx, name, &answer.score, low); break;
        case 1: answer.code = vmaf_score_at_index(ctx, model(), &answer.score, low); break;
        case 2: answer.code = vmaf_feature_score_pooled(ctx, name, method, &answer.score, low, high); break;
        default: answer.code = vmaf_score_pooled(ctx, model(), method, &answer.score, low, high); break;
        }
        if (answer.code) answer.score = 0;
        return answer;
    });
}

LIKE_C void use_pool(Run &run, Bytes &bytes) {
    VmafPictureConfiguration cfg{};
    cfg.pic_params.w = bytes.below(40);
    cfg.pic_params.h = bytes.below(40);
    cfg.pic_params.bpc = bytes.below(18);
    const int any = static_cast<int>(bytes.below(8)) - 1;
    std::memcpy(&cfg.pic_params.pix_fmt, &any, sizeof any);
    cfg.pic_cnt = bytes.below(4);
    const bool good = cfg.pic_params.w && cfg.pic_params.h && cfg.pic_params.bpc >= 8 && cfg.pic_params.bpc <= 16 &&
                      any >= 1 && any <= 4 && cfg.pic_cnt;
    REQUIRE(vmaf_preallocate_pictures(run.ctx, cfg) == (good ? 0 : -EINVAL));
    VmafPicture pic{};
    if (!good || vmaf_fetch_preallocated_picture(run.ctx, &pic)) return;
    REQUIRE(pic.w[0] == cfg.pic_params.w && pic.bpc == cfg.pic_params.bpc);
    if (bytes.below(2)) REQUIRE(vmaf_preallocate_pictures(run.ctx, cfg) == 0); // while one is in use
    std::memset(pic.data[0], 1, static_cast<std::size_t>(pic.stride[0]) * pic.h[0]);
    REQUIRE(vmaf_picture_unref(&pic) == 0);
}

void add_handler(Run &run, std::atomic<VmafContext *> *slot, Bytes &bytes) {
    static char names[][40] = {"VMAF_integer_feature_vif_scale0_score", "vmaf", "elsewhere", "psnr_y"};
    char *const name = names[bytes.below(4)];
    *slot = run.ctx;
    ask(run, [=](VmafContext *ctx) { return Answer{vmaf_register_metadata_handler(ctx, {name, misbehave, slot})}; });
}

LIKE_C void write_document(Run &run, Bytes &bytes) {
    const int any = static_cast<int>(bytes.below(8)) - 1;
    VmafOutputFormat format;
    std::memcpy(&format, &any, sizeof format);
    REQUIRE(vmaf_write_output(run.ctx, "/dev/null", format) == (any >= 1 && any <= 4 ? 0 : -EINVAL));
}

void wrong_arguments(Run &run) {
    double score = 0;
    VmafPicture pic{};
    REQUIRE(vmaf_read_pictures(run.ctx, &pic, nullptr, run.next) == -EINVAL);
    REQUIRE(vmaf_read_pictures(run.ctx, &pic, &pic, run.next) == -EINVAL);
    REQUIRE(vmaf_use_feature(run.ctx, nullptr, nullptr) == -EINVAL);
    REQUIRE(vmaf_use_features_from_model(run.ctx, nullptr) == -EINVAL);
    REQUIRE(vmaf_import_feature_score(run.ctx, nullptr, 0, 0) == -EINVAL);
    REQUIRE(vmaf_score_at_index(run.ctx, nullptr, &score, 0) == -EINVAL);
    REQUIRE(vmaf_fetch_preallocated_picture(run.ctx, nullptr) == -EINVAL);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Bytes bytes{data, data + size};
    Run run;
    std::atomic<VmafContext *> in_handler{nullptr};
    begin(run, bytes);
    for (std::size_t calls = 0; calls < kMaxCalls && !bytes.empty(); calls++) {
        switch (bytes.below(12)) {
        case 0: add_feature(run, bytes); break;
        case 1: use_model(run); break;
        case 2:
        case 3: read(run, bytes, true); break;
        case 4: read(run, bytes, false); break;
        case 5: flush(run); break;
        case 6: import_score(run, bytes); break;
        case 7: ask_for_scores(run, bytes); break;
        case 8: use_pool(run, bytes); break;
        case 9: add_handler(run, &in_handler, bytes); break;
        case 10: write_document(run, bytes); break;
        default: wrong_arguments(run); break;
        }
    }
    if (!run.flushed) flush(run);
    for (const char *name : kScores)
        for (unsigned i = 0; i < run.next && i < 16; i++)
            inquire(run, [=](VmafContext *ctx) {
                Answer answer;
                answer.code = vmaf_feature_score_at_index(ctx, name, &answer.score, i);
                return answer;
            });
    in_handler = nullptr;
    run.close();
    return 0;
}
