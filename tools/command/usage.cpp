#include "usage.hpp"

#include "backend_choice.hpp"

namespace vmaf::cli {

namespace {

constexpr std::string_view kUsageBeforeBackend = R"(usage: vmaf --reference REF --distorted DIST [options]

Scores a distorted clip against its reference: VMAF, and any other metric asked for with --feature.

examples:
  vmaf -r ref.y4m -d dist.y4m                              the VMAF score of two YUV4MPEG2 clips
  vmaf -r ref.y4m -d dist.y4m --json -o scores.json        scores of every frame, as a document
  vmaf -r ref.yuv -d dist.yuv -w 1920 -h 1080 -p 420 -b 8  raw clips
  vmaf -r ref.y4m -d dist.y4m -n --feature psnr --feature float_ssim --csv -o scores.csv
  vmaf -r ref.y4m -d dist.y4m -m version=vmaf_4k_v0.6.1 --threads auto
  vmaf -r master.mov -d encode.mkv --json -o scores.json   any two video files, decoded and prepared
  vmaf --list pairs.txt --json -o scores/ --jobs 4         many pairs in one run

clips:
  --reference, -r PATH      the reference clip: YUV4MPEG2, raw or a video file; - is standard input
  --distorted, -d PATH      the distorted clip, likewise
  --width, -w N             raw clips: width of the luma plane in pixels
  --height, -h N            raw clips: height of the luma plane in pixels
  --pixel_format, -p F      raw clips: 420, 422, 444 or 400
  --bitdepth, -b N          raw clips: 8, 10, 12 or 16
  --frame_cnt N             stop after N pairs of frames
  --frame_skip_ref N        drop the first N frames of the reference clip
  --frame_skip_dist N       drop the first N frames of the distorted clip
  --strict_length           clips of different length are an error
  --list FILE               score many pairs: a line has the reference, the distorted clip and, if wanted, the path of
                            its document; --output names the folder for the others; - is standard input
  --jobs N                  pairs of the list at once, or auto for one per processor (default: 1, 4 on a GPU)

video files:
  --align auto|none|check|N find a constant offset of up to 2 s and correct it; leave frames as they are paired;
                            end the run if there is an offset (default); the distorted clip is N frames late
  --pair time|index         pair frames by their times (default) or by their number
  --missing skip|repeat     frames that the distorted clip does not have: leave them out (default), or compare the
                            frame before, which a viewer would see
  --scaler NAME             how the distorted clip is scaled to the reference: bicubic (default), bilinear, lanczos,
                            spline, area, nearest
  --range convert|ignore    different colour ranges: convert the distorted clip (default), or do not care
  --crop none|auto|W:H:X:Y  cut off black bars that only one clip has, or cut this part out of clips that are larger
                            (default: none)
  --deinterlace             deinterlace pictures that are flagged as interlaced
  --film_grain keep|drop    decode AV1 with (default) or without its film grain
  --hwaccel auto|none|NAME  decode on a GPU where possible, never (default), or on that device and no other
  --mismatch refuse|warn    clips that do not fit together: end the run (default), or warn and score them

what to score:
  --model, -m TEXT          a model: version=NAME or path=FILE, then any of name=NAME, disable_clip,
                            enable_transform, EXTRACTOR.OPTION=VALUE, with : between them; may be repeated
                            (default: version=vmaf_v0.6.1); auto: the 4K model from 1800 lines up, else the default
  --feature TEXT            a feature: NAME or NAME=OPTION=VALUE:OPTION=VALUE; may be repeated
  --no_prediction, -n       features only, no model scores
  --subsample N             score every Nth frame only
  --aom_ctc V               the models and features of the AOM common test conditions, v1.0 to v7.0
  --nflx_ctc V              the models and features of the Netflix common test conditions, v1.0

results:
  --output, -o PATH         write a document; - is standard output
  --xml --json --csv --sub  its format (default: --xml)
  --precision P             digits of scores: 1 to 17, max, full or legacy (6 decimals)
  --percentiles LIST        also pool these percentiles, for example 1,5,50
  --ndjson PATH             write each frame as a line of JSON as soon as it is scored; - is standard output
  --quiet, -q               no meter on a terminal

how to run:
  --threads N               worker threads, or auto for one per processor; 0 works on the calling thread
  --cpumask, -c M           instruction sets not to use, as bits (255: portable code)
)";

constexpr std::string_view kUsageBehindBackend =
    R"(  --gpumask M               0xffffffff: touch no GPU; other bits: models stay on the CPU

about:
  --list_models             built-in models
  --list_features           features and their options
  --capabilities            backends, features and models as JSON
  --version, -v             the version
  --help                    this text
)";

} // namespace

std::string usage_text() {
    std::string built, off_flags, device_flags;
    for (const BuiltBackend &backend : built_backends()) built.append(backend.name).append(", ");
    for (const BackendRow &row : kBackends) {
        off_flags.append(" --").append(row.off_flag);
        if (!row.device_flag.empty()) device_flags.append(" --").append(row.device_flag).append(" N");
    }
    const std::string column = "\n                            ";
    return std::string(kUsageBeforeBackend) + "  --backend " + backend_words("|") +
           "   where to compute (default: auto)" + column + "built into this binary: " + built + "cpu\n" +
           "  --cuda                    same as --backend cuda\n " + off_flags + column +
           "never use that backend; =false takes it back\n " + device_flags + column + "which device to use\n" +
           std::string(kUsageBehindBackend);
}

} // namespace vmaf::cli
