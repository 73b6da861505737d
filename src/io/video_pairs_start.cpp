// How the clips of a pair are started: where their pictures are made, and what earlier runs kept of the reference.
#include <algorithm>
#include <utility>

#include "io/device_clip.hpp"
#include "io/host_parts.hpp"
#include "io/shared_clip.hpp"
#include "io/video_pairs.hpp"
#include "system/log.hpp"

namespace vmaf {

// Reports frames that pass through host memory although the device decodes them, or could copy them from where they are
// decoded.
void VideoPairs::tell_of_host(const PairsUse &use, const Source &source, const std::string &why) {
    if (use.decoding_device == kProcessor) return;
    const std::string sentence = "pictures go through the host's memory: " + why;
    if (source.facts.hwaccel.empty())
        log(LogLevel::info, sentence);
    else if (report_.steps.empty() || report_.steps.back() != sentence) // of the other clip
        step(sentence);
}

// The parts of a file whose pictures are made on the device: decoded there, or in software into memory that the device
// copies from. Null: pictures are made on the host.
std::unique_ptr<VideoParts> VideoPairs::parts_for_device(const PairsUse &use, const Source &source) {
    const bool is_decoded_there = !use.decoding_device.empty() &&
                                  (use.decoding_device == kProcessor || source.facts.hwaccel == use.decoding_device);
    const bool is_uploaded = !is_decoded_there && use.memory.kind == Memory::pinned_host;
    if (!use.device || !(is_decoded_there || is_uploaded)) return nullptr;
    std::string why;
    if (use.why_not_on_device.empty()) {
        auto parts = is_decoded_there ? source.file->on_device({use.decoding_device, use.device->native_context()}, why)
                                      : source.file->for_upload(use.memory, why);
        if (parts) return parts;
        why = std::string("the ") + source.role + " clip " + why;
    } else {
        why = use.why_not_on_device;
    }
    tell_of_host(use, source, why);
    return nullptr;
}

ClipUse VideoPairs::host_use(const PairsUse &use, const Source &source) const {
    ClipUse host{.name = source.path == "-" ? "standard input" : "'" + source.path + "'",
                 .picture = plan_.picture,
                 .memory = use.memory,
                 .skip = source.skip,
                 .times = ClipTimes(source.shift, request_.is_by_index),
                 .ahead = std::clamp(2 * use.frames_ahead, 2u, 4u)}; // frames take unequal times to decode
    host.memory.luma_only = !use.reads_chroma;
    return host;
}

// Both clips of a pair end on the device, or neither does: then this is null.
std::unique_ptr<VideoClip> VideoPairs::device_clip(const PairsUse &use, const Source &source) {
    const ClipUse host = host_use(use, source);
    VideoOutput output = source.output; // what the device has to do
    auto parts = parts_for_device(use, source);
    if (!parts && use.device && use.why_not_on_device.empty() && use.memory.kind == Memory::pinned_host) {
        parts = make_host_parts(std::move(source.file), host);
        output = {.picture = plan_.picture};
    }
    if (!parts) return nullptr;
    const unsigned decoders = parts->has_many() ? use.decoders : 1;
    source.file.reset(); // with its decoder, unless that is among the parts
    std::optional<std::uint64_t> frames = source.facts.frames;
    if (use.pairs) frames = std::min(frames.value_or(*use.pairs + source.skip), *use.pairs + source.skip);
    return make_device_clip(std::move(parts), use.device,
                            {.name = host.name,
                             .output = output,
                             .average_rate = source.facts.average_rate,
                             .has_chroma = use.reads_chroma,
                             .skip = source.skip,
                             .times = host.times,
                             .decoders = decoders,
                             .frames = frames,
                             .free_memory = [kept = use.kept] { return kept && kept->let_go(); }});
}

std::unique_ptr<VideoClip> VideoPairs::host_clip(const PairsUse &use, const Source &source) {
    const auto make = [&] { return make_host_clip(std::move(source.file), host_use(use, source)); };
    if (&source.file != &reference_file_ || !use.reference_ticket || use.memory.kind != Memory::host) return make();
    auto shared = use.reference_ticket->join(reference_key(use), make);
    if (!shared) return make();
    source.file.reset(); // its decoder, if another pair's is used
    return shared;
}

// What an earlier run kept, or the file's own clip, which is kept if its pictures stay on the device.
std::unique_ptr<VideoClip> VideoPairs::start_reference(const PairsUse &use) {
    const bool may_be_kept =
        use.kept && use.device && use.why_not_on_device.empty() && !reference_version_.empty() && !use.pairs;
    const KeptClips::Key key{file_key(), reference_key(use)};
    if (may_be_kept)
        if (auto clip = use.kept->find(key)) return clip;
    if (!reference_file_) {
        reference_file_ = open_video(request_.reference);
        reference_file_->set_output(plan_.reference);
    }
    const Source source{
        reference_file_, "reference", request_.reference.path, plan_.reference, report_.reference, skip_reference_, 0};
    const std::size_t steps = report_.steps.size();
    auto clip = device_clip(use, source);
    if (!clip) return host_clip(use, source);
    if (!may_be_kept || report_.steps.size() > steps) return clip; // a later run would not tell the step
    std::optional<std::uint64_t> pictures = report_.reference.frames;
    if (pictures) *pictures -= std::min(*pictures, skip_reference_);
    auto recorded = use.kept->record({.key = key,
                                      .facts = report_.reference,
                                      .picture_bytes = device_picture_bytes(plan_.picture, use.reads_chroma),
                                      .pictures = pictures},
                                     std::move(clip));
    recording_ = std::move(recorded.recording);
    return std::move(recorded.clip);
}

// Equal if the file has the same content and is opened in the same way.
std::string VideoPairs::file_key() const {
    const VideoRequest &r = request_.reference;
    std::string key =
        r.path + '\0' + reference_version_ + '\0' + r.hwaccel + '\0' + to_string(r.crop.value_or(Crop{})) + '\0';
    for (const bool flag : {r.is_y4m, r.may_stay_on_device, r.may_be_uploaded, r.drop_film_grain, r.deinterlace})
        key += std::to_string(flag) + ' ';
    return key;
}

// Equal if the frames of the reference are made in the same way.
std::string VideoPairs::reference_key(const PairsUse &use) const {
    const VideoOutput &out = plan_.reference;
    const PictureFormat &p = plan_.picture;
    std::string key = request_.reference.path + '\0' + out.scaler + '\0' + out.matrix + '\0' +
                      to_string(request_.reference.crop.value_or(Crop{})) + '\0';
    for (const std::uint64_t number :
         {std::uint64_t{p.width}, std::uint64_t{p.height}, std::uint64_t{p.bits},
          static_cast<std::uint64_t>(p.pixel_format), static_cast<std::uint64_t>(out.range_change), skip_reference_,
          std::uint64_t{request_.is_by_index}, std::uint64_t{use.reads_chroma}})
        key += std::to_string(number) + ' ';
    return key;
}

void VideoPairs::check_whole() const {
    for (const ByteSource &file : watched_files_) file.check_whole();
    // The decoders may have opened another file under the same name.
    if (recording_ && ByteSource::open(request_.reference.path).version() == reference_version_) recording_->confirm();
}

void VideoPairs::start(const PairsUse &use) {
    reference_ = start_reference(use);
    const Source distorted{distorted_file_,   "distorted",     request_.distorted.path, plan_.distorted,
                           report_.distorted, skip_distorted_, -report_.offset};
    distorted_ = device_clip(use, distorted);
    if (!distorted_) distorted_ = host_clip(use, distorted);
}

} // namespace vmaf
