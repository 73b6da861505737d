#include "usage.hpp"

namespace vmaf::cli {

namespace {

constexpr std::string_view kUsageBeforeBackend = R"(usage: vmaf --reference REF --distorted DIST [options]

Scores a distorted clip against its reference with VMAF and other metrics.

examples:
  vmaf -r master.mov -d encode.mkv
  vmaf -r ref.y4m -d dist.y4m --threads auto --json -o scores.json
  vmaf -r master.mov -d a.mp4 -d b.mp4 --json -o scores/
  vmaf -r ref.yuv -d dist.yuv -w 1920 -h 1080 -p 420 -b 8 --feature psnr

common options:
  --reference, -r PATH      reference clip: YUV4MPEG2, raw or a video file
                            (-: standard input)
  --distorted, -d PATH      distorted clip; may be repeated to score several
                            encodes of one reference (--output: a folder)
  --output, -o PATH         write a document (-: standard output)
  --xml --json --csv --sub  format of the document (default: --xml)
  --model, -m TEXT          version=NAME, path=FILE or auto (the 4K model from
                            1800 lines up); may be repeated
                            (default: version=vmaf_v0.6.1)
  --feature TEXT            also score NAME or NAME=OPTION=VALUE:OPTION=VALUE;
                            may be repeated
  --threads N               worker threads, or auto for one per processor
                            (default: 0, score on the calling thread)

raw clips:
  --width, -w N             luma width in pixels
  --height, -h N            luma height in pixels
  --pixel_format, -p F      420, 422, 444 or 400
  --bitdepth, -b N          8, 10, 12 or 16

frames:
  --frame_cnt N             stop after N frame pairs
  --frame_skip_ref N        skip the first N frames of the reference clip
  --frame_skip_dist N       skip the first N frames of the distorted clip
  --subsample N             score every Nth frame only
  --strict_length           fail if the clips differ in length
  --crop none|auto|W:H:X:Y  remove black bars that only one clip has (auto), or
                            cut this part out of larger clips (default: none)

video files:
  --align auto|none|check|N correct a constant offset of up to 2 s (auto), pair
                            frames as they are (none), fail on an offset
                            (check, the default), or take the distorted clip
                            as N frames late
  --pair time|index         pair frames by time (default) or by number
  --missing skip|repeat     frames that the distorted clip lacks: skip them
                            (default) or repeat the previous frame
  --scaler NAME             scale the distorted clip with bicubic (default),
                            bilinear, lanczos, spline, area or nearest
  --range convert|ignore    different colour ranges: convert the distorted clip
                            (default) or compare samples as stored
  --deinterlace             deinterlace pictures flagged as interlaced
  --film_grain keep|drop    decode AV1 with (default) or without film grain
  --hwaccel auto|none|NAME  decode on a GPU where possible, never (default), or
                            only on that device
  --mismatch refuse|warn    clips that do not match: fail (default), or warn
                            and score them

models and features:
  --no_prediction, -n       score features only, no models
  --aom_ctc V               AOM common test conditions, v1.0 to v7.0
  --nflx_ctc V              Netflix common test conditions, v1.0
  --model options: name=NAME, disable_clip, enable_transform and
  EXTRACTOR.OPTION=VALUE, separated by colons

results:
  --precision P             digits of scores: 1 to 17, max, full, or legacy
                            (6 decimals)
  --percentiles LIST        also pool these percentiles, such as 1,5,50
  --ndjson PATH             write each frame as a line of JSON as soon as it is
                            scored (-: standard output)
  --map FILE                write a map of local scores: .npy, .csv, .png (mean
                            over time) or .y4m; may be repeated
  --map-of SCORE            score shown by the maps that follow: a model, or a
                            score of psnr, vif or adm (default: first model)
  --map-cell S              side of a map's cells in pixels, a multiple of 16
                            (default: 64; 32 below 960 columns)
  --region NAME=X,Y,W,H     also score this part of the pictures, as vmaf_NAME;
                            may be repeated
  --regions FILE            regions that move: lines of frame,name,x,y,w,h
  --quiet, -q               no progress meter

many pairs:
  --list FILE               one pair per line: reference, distorted clip and
                            optionally the document (-: standard input);
                            --output names the folder of the other documents
  --jobs N                  pairs scored at a time, or auto for one per
                            processor (default: 1; 4 on a GPU)
  --serve                   answer scoring requests on standard input

processors and GPUs:
  --cpumask, -c M           bit mask of instruction sets not to use
                            (255: portable code only)
)";

constexpr std::string_view kUsageAfterBackend =
    R"(  --gpumask M               0xffffffff: no GPU; other bits: models on the CPU

about:
  --list_models             print the built-in models
  --list_features           print features and their options
  --capabilities            print backends, features and models as JSON
  --version, -v             print the version
  --help                    print this text
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
           "never use that backend; =false undoes it\n " + device_flags + column + "which device to use\n" +
           std::string(kUsageAfterBackend);
}

} // namespace vmaf::cli
