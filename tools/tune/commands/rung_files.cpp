#include "commands/rung_files.hpp"

#include <algorithm>
#include <cmath>

#include "cli/new_file.hpp"
#include "system/output_file.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

RungFiles::RungFiles(const Wish &wish)
    : wish_(wish),
      folder_(wish.output.empty() || wish.output == "-" ? fs::path(".") : fs::absolute(wish.output).parent_path()),
      made_(folder_.string(), false) {}

void RungFiles::check(const std::string &path) const {
    if (fs::exists(path) && !wish_.overwrite)
        throw CommandError(kExitOutput, "'" + path + "' exists; use --overwrite or another --output");
    try {
        system::check_output_file(path);
    } catch (const system::OutputError &e) {
        throw CommandError(kExitOutput, e.what());
    }
}

void RungFiles::complete(Arguments &command, const std::string &name, bool is_video) const {
    check(kept(name));
    const auto microseconds = std::llround(wish_.segment_seconds * 1e6);
    if (as_hls())
        append(command, {"-f", "hls", "-hls_time", number_text(wish_.segment_seconds), "-hls_playlist_type", "vod",
                         "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", name + "_init.mp4",
                         "-hls_segment_filename", (fs::path(made_.path()) / (name + "_%05d.m4s")).string()});
    else if (as_dash() && is_video) // extra key frames between the boundaries start no fragment
        append(command, {"-movflags", "+frag_keyframe+dash+global_sidx+delay_moov", "-min_frag_duration",
                         std::to_string(std::max(1LL, microseconds * 19 / 20))});
    else if (as_dash())
        append(command, {"-movflags", "+dash+global_sidx+delay_moov", "-frag_duration", std::to_string(microseconds)});
    else
        append(command, {"-movflags", "+faststart"});
    command.push_back(as_hls() ? made(name) : ffmpeg_path(made(name)));
}

Bandwidth RungFiles::bandwidth(const Programs &programs, const std::string &name, double fps) const {
    return as_hls() ? playlist_bandwidth(made(name)) : file_bandwidth(programs, made(name), wish_.segment_seconds, fps);
}

std::optional<SegmentIndex> RungFiles::index_of(const std::string &name) const {
    if (!as_dash()) return std::nullopt;
    const auto index = segment_index(made(name));
    if (!index)
        throw CommandError(kExitFailed, "this FFmpeg wrote no index (sidx) into '" + kept(name) +
                                            "', without which DASH players do not play it; use FFmpeg 5.1 or newer");
    return index;
}

void RungFiles::keep(const std::string &name) const {
    const std::string last = file_name(name);
    std::vector<std::string> others;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(made_.path(), error))
        if (const std::string file = fs::path(entry.path()).filename().string(); file.starts_with(name) && file != last)
            others.push_back(file);
    for (const std::string &file : others) move(file);
    move(last);
}

std::string RungFiles::made_subtitles(const std::string &name) const {
    return (fs::path(made_.path()) / (name + ".vtt")).string();
}

void RungFiles::keep_subtitles(const std::string &name, double seconds) const {
    check((folder_ / (name + ".vtt")).string());
    move(name + ".vtt");
    if (!as_hls()) return;
    check(kept(name));
    const std::string text = subtitle_playlist(name + ".vtt", seconds);
    system::write_output_file(kept(name), [&](const auto &out) { out(text); });
}

void RungFiles::move(const std::string &file) const {
    put_in_place((fs::path(made_.path()) / file).string(), (folder_ / file).string());
}

namespace {

// The sound of one language: copied if players support it, else AAC.
void encode_sound(Run &run, const Source &source, const std::string &audio_codec, const RungFiles &files,
                  SideTrack &track) {
    const std::string path = files.made(track.name);
    Arguments command = {run.programs().ffmpeg, "-y", "-hide_banner", "-nostdin", "-v", "error"};
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:" + std::to_string(track.stream), "-vn", "-sn", "-dn"});
    append(command, {"-c:a", !audio_codec.empty() ? audio_codec : track.codec == "aac" ? "copy" : "aac"});
    files.complete(command, track.name, false);
    const ChildResult outcome = run_child(command);
    run.check_interrupted();
    demand_success(outcome, "sound: FFmpeg", files.kept(track.name));
    if (const std::string why = reading_failure(run.programs(), path); !why.empty())
        throw CommandError(kExitFailed, "the sound cannot be read to its end: " + why);
    const Bandwidth made = files.bandwidth(run.programs(), track.name, 0);
    track.peak_bps = made.peak_bps;
    track.mean_bps = made.mean_bps;
    track.index = files.index_of(track.name);
    describe_sound(run.programs(), path, track);
    files.keep(track.name);
    run.progress().say("encoded " + files.kept(track.name));
}

void convert_subtitles(Run &run, const Source &source, const RungFiles &files, const SideTrack &track) {
    const std::string path = files.made_subtitles(track.name);
    const ChildResult outcome = run_child({run.programs().ffmpeg, "-y", "-hide_banner", "-nostdin", "-v", "error", "-i",
                                           ffmpeg_path(source.path), "-map", "0:" + std::to_string(track.stream),
                                           "-c:s", "webvtt", "-f", "webvtt", ffmpeg_path(path)});
    run.check_interrupted();
    demand_success(outcome, "subtitles: FFmpeg", path);
    files.keep_subtitles(track.name, source.duration);
    run.progress().say("converted subtitles " + track.label);
}

} // namespace

std::vector<SideTrack> make_side_tracks(Run &run, const Source &source, const std::string &audio_codec,
                                        const RungFiles &files) {
    if (source.kind != Source::Kind::container) return {};
    SideTracks found = side_tracks(run.programs(), source);
    for (const std::string &what : found.left_out) run.progress().warn("the ladder leaves out " + what);
    for (SideTrack &track : found.tracks)
        if (track.kind == SideTrack::Kind::sound)
            encode_sound(run, source, audio_codec, files, track);
        else
            convert_subtitles(run, source, files, track);
    return found.tracks;
}

} // namespace vmaf::tune
