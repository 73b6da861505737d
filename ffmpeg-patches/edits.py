"""The edits behind both series, described once.

A place is text that occurs exactly once in the file as earlier patches left it; generate.py stops if it does not. Bases that
lack a place are left out of that edit's `bases`.
"""
from dataclasses import dataclass

FILTER, CONFIGURE, MANUAL = "libavfilter/vf_libvmaf.c", "configure", "doc/filters.texi"
BASES = ("n5.1", "n8.1")


@dataclass
class Edit:
    file: str
    place: str
    text: str
    how: str = "before"  # or "after", "instead"
    bases: tuple = BASES


@dataclass
class Patch:
    name: str
    subject: str
    reason: str
    edits: list
    bases: tuple = BASES


# Places of the pristine files that several patches use.
FIRST_INCLUDE = {"n5.1": "#include <libvmaf.h>\n", "n8.1": '#include "config_components.h"\n'}
CONTEXT_STRUCT = "typedef struct LIBVMAFContext {\n"
CONTEXT_END = "} LIBVMAFContext;\n"
OPTIONS_END = "    { NULL }\n};\n\nFRAMESYNC_DEFINE_CLASS(libvmaf,"
INIT = "static av_cold int init(AVFilterContext *ctx)\n"
UNINIT_END = "}\n\nstatic const AVFilterPad libvmaf_inputs[] = {\n"
SELECTORS_END = "    };\n\n    *found = (BackendSelector){ 0 };\n"
SELECTOR_TYPE = "typedef struct BackendSelector {\n"
HELP = "  --enable-libvmaf         enable vmaf filter via libvmaf [no]\n"
LIBRARY = "\n    libvmaf\n"
CHECK = 'enabled libvmaf           && require_pkg_config libvmaf "libvmaf >= 2.0.0" libvmaf.h vmaf_init\n'
CHECKS_END = {
    "n5.1": CHECK,
    "n8.1": CHECK + 'enabled libvmaf           && check_pkg_config libvmaf_cuda "libvmaf >= 2.0.0" libvmaf_cuda.h vmaf_cuda_state_init\n',
}
DEPENDENCIES_RESOLVED = "enabled threads && ! enabled pthreads && ! enabled atomics_native && die "
MANUAL_END = "Set frame subsampling interval to be used.\n"


def option(name, text, kind, default, low, high):
    return (f'    {{"{name}", "{text}", OFFSET({name}), AV_OPT_TYPE_{kind}, '
            f'{{.i64={default}}}, {low}, {high}, FLAGS}},\n')


def device_backend(short, long, off, field, manual, extra_option="", extra_field=""):
    """A backend that takes a device index and pictures in ordinary memory: everything but its place in the series."""
    library, config, state = f"libvmaf_{short}", f"CONFIG_LIBVMAF_{short.upper()}", f"Vmaf{long[0]}{long[1:].lower()}"
    device = f"{short}_device"
    fields = "".join(f"        .{name:<{max(map(len, field))}} = {value},\n" for name, value in field.items())
    return [
        Edit(FILTER, CONTEXT_STRUCT, f"#if {config}\n#include <libvmaf/libvmaf_{short}.h>\n#endif\n\n"),
        Edit(FILTER, CONTEXT_END, f"    int {device};\n{extra_field}#if {config}\n    {state}State *{short}_state;\n#endif\n"),
        Edit(FILTER, OPTIONS_END,
             option(device, f"Compute on the {long} device of this index.", "INT", off, off, "INT_MAX") + extra_option),
        Edit(FILTER, SELECTOR_TYPE, f"""\
static int select_{short}(AVFilterContext *ctx)
{{
#if {config}
    LIBVMAFContext *s = ctx->priv;
    {state}Configuration cfg = {{
{fields}    }};

    int err = vmaf_{short}_state_init(&s->{short}_state, cfg);
    if (err)
        return backend_failed(ctx, "vmaf_{short}_state_init", err);

    err = vmaf_{short}_import_state(s->vmaf, s->{short}_state);
    if (err)
        return backend_failed(ctx, "vmaf_{short}_import_state", err);

    av_log(ctx, AV_LOG_INFO, "libvmaf computes with {long}, device %d.\\n", s->{device});
    return 0;
#else
    return backend_not_built(ctx, "{device}", "{long}", "{short}");
#endif
}}

"""),
        Edit(FILTER, SELECTORS_END, f'        {{ "{device}", s->{device} != {off}, select_{short} }},\n'),
        Edit(FILTER, UNINIT_END, f"#if {config}\n    vmaf_{short}_state_free(&s->{short}_state);\n#endif\n"),
        Edit(CONFIGURE, CHECK, f"enabled {library:<17} && enable libvmaf\n"),
        *({"n5.1": Edit(CONFIGURE, CHECKS_END["n5.1"], probe(short), "after", ("n5.1",)),
           "n8.1": Edit(CONFIGURE, CHECKS_END["n8.1"], probe(short), "after", ("n8.1",))}.values()),
        Edit(MANUAL, MANUAL_END, manual, "after"),
    ]


def probe(short):
    return (f'enabled {"libvmaf_" + short:<17} && check_pkg_config libvmaf_{short} "libvmaf >= 3.0.0" '
            f'libvmaf/libvmaf_{short}.h vmaf_{short}_state_init\n')


def switch(short, long, after):
    """Help line and list entry of --enable-libvmaf-X, after those of `after`."""
    text = f"let the libvmaf filter compute with {long} [no]"
    return [Edit(CONFIGURE, after[0], f"  {'--enable-libvmaf-' + short:<24} {text}\n", "after"),
            Edit(CONFIGURE, after[1], f"    libvmaf_{short}\n", "after")]


def switch_of(short, long):
    return (f"  {'--enable-libvmaf-' + short:<24} let the libvmaf filter compute with {long} [no]\n", f"    libvmaf_{short}\n")


SHARED_HELPERS = """\
static int backend_not_built(AVFilterContext *ctx, const char *option,
                             const char *backend, const char *name)
{
    av_log(ctx, AV_LOG_ERROR, "%s is set, but this FFmpeg has no libvmaf %s "
           "support: configure it with --enable-libvmaf-%s and a libvmaf that "
           "has it.\\n", option, backend, name);
    return AVERROR(ENOSYS);
}

static av_unused int backend_failed(AVFilterContext *ctx, const char *function,
                                    int err)
{
    av_log(ctx, AV_LOG_ERROR, "%s failed with %d; the messages of libvmaf "
           "above say why.\\n", function, err);
    return err < 0 ? AVERROR(-err) : AVERROR(EINVAL);
}

"""

SELECTION = """\
typedef struct BackendSelector {
    const char *option;
    int is_set;
    int (*select)(AVFilterContext *ctx);
} BackendSelector;

static int find_selector(AVFilterContext *ctx, BackendSelector *found)
{
    LIBVMAFContext *s = ctx->priv;
    const BackendSelector selectors[] = {
    };

    *found = (BackendSelector){ 0 };
    for (unsigned i = 0; i < FF_ARRAY_ELEMS(selectors); i++) {
        if (!selectors[i].is_set)
            continue;
        if (found->is_set) {
            av_log(ctx, AV_LOG_ERROR, "%s and %s are both set: choose one.\\n",
                   found->option, selectors[i].option);
            return AVERROR(EINVAL);
        }
        *found = selectors[i];
    }
    return 0;
}

/* Before models and features are registered: they bind to the backend then. */
static int select_backend(AVFilterContext *ctx)
{
    BackendSelector selector;
    int err = find_selector(ctx, &selector);
    if (err || !selector.is_set)
        return err;
    return selector.select(ctx);
}

"""

SELECT_CALL = """\
    err = select_backend(ctx);
    if (err)
        return err;

"""

INIT_CUDA = """\
static av_cold int init_cuda(AVFilterContext *ctx)
{
    LIBVMAFContext *s = ctx->priv;
"""
REFUSAL = "    if (selector.is_set) {\n"

FIRST_AFTER_INIT = {
    "n5.1": "    err = parse_deprecated_options(ctx);\n",
    "n8.1": """\
    err = vmaf_init(&s->vmaf, cfg);
    if (err)
        return AVERROR(EINVAL);

    err = parse_models(ctx);
""",
}

FIX_51 = Patch(
    "0001-libvmaf-copy-whole-rows-above-8-bits.patch",
    "libvmaf: copy whole rows above 8 bits",
    """\
The copy loop took the width of a plane for its size in bytes. Above 8 bits
the right half of every row stayed black, and all scores were wrong.

Likewise pool=harmonic_mean gave the mean: words are found as parts of the
option's value, and "mean" was looked for first.
""",
    [Edit(FILTER, "sizeof(*dst_data) * dst->w[i]", "dst->w[i] * ((bpc + 7) / 8)", "instead"),
     Edit(FILTER, """\
        if (av_stristr(pool_method, "mean"))
            return VMAF_POOL_METHOD_MEAN;
        if (av_stristr(pool_method, "harmonic_mean"))
            return VMAF_POOL_METHOD_HARMONIC_MEAN;
""", """\
        if (av_stristr(pool_method, "harmonic_mean"))
            return VMAF_POOL_METHOD_HARMONIC_MEAN;
        if (av_stristr(pool_method, "mean"))
            return VMAF_POOL_METHOD_MEAN;
""", "instead")],
    ("n5.1",))

SYCL = Patch(
    "0003-libvmaf-wire-sycl-backend-selector.patch",
    "libvmaf: wire SYCL backend selector",
    """\
sycl_device=N lets libvmaf compute on a SYCL device, with frames in ordinary
memory; sycl_profile=1 adds queue profiling. Without the option nothing
changes. A device that cannot be used fails the filter: a named device is
never replaced by another.

The options exist in every build, so that a script learns what is missing
(AVERROR(ENOSYS)) instead of an unknown option. --enable-libvmaf-sycl
switches libvmaf on; where libvmaf lacks SYCL it is left out.

The helpers and the table of selectors serve the backends that follow.
""",
    [*(Edit(FILTER, place, '#include "config.h"\n' + ("\n" if base == "n5.1" else ""), "before", (base,))
       for base, place in FIRST_INCLUDE.items()),
     Edit(FILTER, INIT, SHARED_HELPERS + SELECTION),
     Edit(FILTER, FIRST_AFTER_INIT["n5.1"], SELECT_CALL, "before", ("n5.1",)),
     Edit(FILTER, FIRST_AFTER_INIT["n8.1"],
          FIRST_AFTER_INIT["n8.1"].replace("    err = parse_models(ctx);\n", SELECT_CALL + "    err = parse_models(ctx);\n"),
          "instead", ("n8.1",)),
     Edit(FILTER, INIT_CUDA, """\
    BackendSelector selector;
    int err = find_selector(ctx, &selector);
    if (err)
        return err;
    if (selector.is_set) {
        av_log(ctx, AV_LOG_ERROR, "%s is set, but libvmaf_cuda computes with "
               "CUDA.\\n", selector.option);
        return AVERROR(EINVAL);
    }

""", "after", ("n8.1",)),
     *device_backend("sycl", "SYCL", -1, {"device_index": "s->sycl_device", "enable_profiling": "s->sycl_profile"}, """\

@item sycl_device
Compute on the SYCL device of this index, with frames in ordinary memory.
Needs @code{--enable-libvmaf-sycl}. Default value: @code{-1}, off.

@item sycl_profile
Profile the queue of the SYCL device. Default value: @code{0}.
""", option("sycl_profile", "Profile the SYCL queue.", "BOOL", 0, 0, 1), "    int sycl_profile;\n"),
     *switch("sycl", "SYCL", (HELP, LIBRARY))])

GUARD = "CONFIG_LIBVMAF_CUDA && !CONFIG_LIBVMAF_CUDA_FILTER"
COPY = "static int copy_picture_data(AVFrame *src, VmafPicture *dst, unsigned bpc)\n"
ALLOC = """\
vmaf_picture_alloc(dst, pix_fmt_map(src->format), bpc,
                                 src->width, src->height);
"""

CUDA = Patch(
    "0010-libvmaf-wire-cuda-backend-selector.patch",
    "libvmaf: wire CUDA backend selector",
    """\
cuda=1 lets libvmaf compute with CUDA on frames in ordinary memory, so that
software decoders and filters can be used. It is a boolean because libvmaf's
CUDA configuration names no device: CUDA_VISIBLE_DEVICES does.

Pictures come from a pool of page-locked memory that the copy loop can write
and the device can read. The pool is made at the first frame, when size and
depth are known.

--enable-libvmaf-cuda asks for it. libvmaf_cuda becomes an external library
for that; the probe that switches the dedicated filter on stays as it was,
and where neither is wanted the library is off. A libvmaf whose CUDA lacks
vmaf_cuda_state_free() cannot release page-locked pictures: with it the
selector stays off.

With the dedicated libvmaf_cuda filter in the same build cuda=1 is refused,
since both share one context and one option class.
""",
    [Edit(FILTER, CONTEXT_STRUCT,
          "#ifndef CONFIG_LIBVMAF_CUDA_FILTER\n#define CONFIG_LIBVMAF_CUDA_FILTER 0\n#endif\n", bases=("n5.1",)),
     Edit(FILTER, CONTEXT_STRUCT, f"#if {GUARD}\n#include <libvmaf_cuda.h>\n#endif\n\n"),
     Edit(FILTER, CONTEXT_END, f"    int cuda;\n#if {GUARD}\n    VmafCudaState *cu_state;\n    int has_cuda_pool;\n#endif\n"),
     Edit(FILTER, OPTIONS_END, option("cuda", "Compute with CUDA.", "BOOL", 0, 0, 1)),
     Edit(FILTER, COPY, f"""\
static int get_picture(AVFilterContext *ctx, AVFrame *src, VmafPicture *dst,
                       unsigned bpc)
{{
#if {GUARD}
    LIBVMAFContext *s = ctx->priv;

    if (s->cu_state) {{
        if (!s->has_cuda_pool) {{
            VmafCudaPictureConfiguration cfg = {{
                .pic_params = {{
                    .w = src->width,
                    .h = src->height,
                    .bpc = bpc,
                    .pix_fmt = pix_fmt_map(src->format),
                }},
                .pic_prealloc_method =
                    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED,
            }};

            int err = vmaf_cuda_preallocate_pictures(s->vmaf, cfg);
            if (err) {{
                av_log(ctx, AV_LOG_ERROR,
                       "vmaf_cuda_preallocate_pictures failed with %d.\\n", err);
                return err;
            }}
            s->has_cuda_pool = 1;
        }}
        return vmaf_cuda_fetch_preallocated_picture(s->vmaf, dst);
    }}
#endif
    return vmaf_picture_alloc(dst, pix_fmt_map(src->format), bpc,
                              src->width, src->height);
}}

"""),
     Edit(FILTER, COPY, """\
static int copy_picture_data(AVFilterContext *ctx, AVFrame *src,
                             VmafPicture *dst, unsigned bpc)
""", "instead"),
     Edit(FILTER, "    int err = " + ALLOC, "    int err = get_picture(ctx, src, dst, bpc);\n", "instead"),
     Edit(FILTER, "copy_picture_data(ref, &pic_ref,", "copy_picture_data(ctx, ref, &pic_ref,", "instead"),
     Edit(FILTER, "copy_picture_data(dist, &pic_dist,", "copy_picture_data(ctx, dist, &pic_dist,", "instead"),
     Edit(FILTER, SELECTOR_TYPE, f"""\
static int select_cuda(AVFilterContext *ctx)
{{
#if {GUARD}
    LIBVMAFContext *s = ctx->priv;
    VmafCudaConfiguration cfg = {{ 0 }};

    int err = vmaf_cuda_state_init(&s->cu_state, cfg);
    if (err)
        return backend_failed(ctx, "vmaf_cuda_state_init", err);

    err = vmaf_cuda_import_state(s->vmaf, s->cu_state);
    if (err)
        return backend_failed(ctx, "vmaf_cuda_import_state", err);

    av_log(ctx, AV_LOG_INFO, "libvmaf computes with CUDA.\\n");
    return 0;
#elif CONFIG_LIBVMAF_CUDA_FILTER
    av_log(ctx, AV_LOG_ERROR, "cuda=1 set on the libvmaf filter, but FFmpeg "
           "was built with the dedicated libvmaf_cuda filter: use that one, "
           "or rebuild with --disable-filter=libvmaf_cuda.\\n");
    return AVERROR(EINVAL);
#else
    return backend_not_built(ctx, "cuda=1", "CUDA", "cuda");
#endif
}}

"""),
     Edit(FILTER, SELECTORS_END, '        { "cuda", s->cuda, select_cuda },\n'),
     Edit(FILTER, REFUSAL, "    if (selector.is_set && selector.select != select_cuda) {\n", "instead", ("n8.1",)),
     Edit(FILTER, UNINIT_END, f"#if {GUARD}\n    vmaf_cuda_state_free(s->cu_state);\n    s->cu_state = NULL;\n#endif\n"),
     *switch("cuda", "CUDA", (HELP, LIBRARY)),
     Edit(CONFIGURE, CHECK, "enabled libvmaf_cuda      && enable libvmaf libvmaf_cuda_selector\n"),
     Edit(CONFIGURE, CHECKS_END["n5.1"],
          'enabled libvmaf_cuda      && check_pkg_config libvmaf_cuda "libvmaf >= 3.0.0" libvmaf_cuda.h vmaf_cuda_state_init\n',
          "after", ("n5.1",)),
     Edit(CONFIGURE, probe("sycl"), 'enabled libvmaf_cuda_selector && check_pkg_config libvmaf_cuda_selector '
          '"libvmaf >= 3.0.0" libvmaf_cuda.h vmaf_cuda_state_free\n', "before"),
     Edit(CONFIGURE, DEPENDENCIES_RESOLVED,
          "# found, but wanted neither by the dedicated filter nor by the user\n"
          "enabled_any libvmaf_cuda_filter libvmaf_cuda_selector || disable libvmaf_cuda\n\n"),
     Edit(MANUAL, MANUAL_END, """\

@item cuda
Compute with CUDA, with frames in ordinary memory. Needs
@code{--enable-libvmaf-cuda} and a build without the libvmaf_cuda filter. The
device is chosen with the environment variable @env{CUDA_VISIBLE_DEVICES}.
Default value: @code{0}.
""", "after")])

HIP = Patch(
    "0011-libvmaf-wire-hip-backend-selector.patch",
    "libvmaf: wire HIP backend selector",
    """\
hip_device=N lets libvmaf compute on a HIP device, with frames in ordinary
memory. Options, errors and the configure switch work as for SYCL.
""",
    [*device_backend("hip", "HIP", -1, {"device_index": "s->hip_device"}, """\

@item hip_device
Compute on the HIP device of this index, with frames in ordinary memory.
Needs @code{--enable-libvmaf-hip}. Default value: @code{-1}, off.
"""), *switch("hip", "HIP", switch_of("cuda", "CUDA"))])

METAL = Patch(
    "0012-libvmaf-wire-metal-backend-selector.patch",
    "libvmaf: wire Metal backend selector",
    """\
metal_device=N lets libvmaf compute on a Metal device, with frames in ordinary
memory; -1 is the system's default device, so that off is -2. Errors and the
configure switch work as for SYCL.
""",
    [*device_backend("metal", "Metal", -2, {"device_index": "s->metal_device"}, """\

@item metal_device
Compute on the Metal device of this index, @code{-1} being the system's default
one, with frames in ordinary memory. Needs @code{--enable-libvmaf-metal}.
Default value: @code{-2}, off.
"""), *switch("metal", "Metal", switch_of("hip", "HIP"))])

SERIES = [FIX_51, SYCL, CUDA, HIP, METAL]
