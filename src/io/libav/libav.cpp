#include "io/libav/libav.hpp"

#include <array>
#include <mutex>
#include <new>

namespace vmaf::libav {

namespace {

std::mutex message_mutex;
std::string last_message;
thread_local std::string demuxer_message; // a demuxer speaks on the thread that reads

void keep_message(void *object, int level, const char *format, va_list arguments) {
    if (level > AV_LOG_ERROR) return;
    std::array<char, 512> text{};
    int is_at_line_start = 1;
    av_log_format_line2(object, level, format, arguments, text.data(), static_cast<int>(text.size()),
                        &is_at_line_start);
    std::string line = text.data();
    // "[h264 @ 0x55...] text": the address helps nobody.
    if (const auto at = line.find(" @ 0x"); at != std::string::npos)
        if (const auto end = line.find(']', at); end != std::string::npos) line.erase(at, end - at);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.pop_back();
    for (char &c : line)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f) c = ' ';
    if (line.empty()) return;
    const AVClass *const kind = object ? *static_cast<const AVClass *const *>(object) : nullptr;
    if (kind && kind->get_category && kind->get_category(object) == AV_CLASS_CATEGORY_DEMUXER) demuxer_message = line;
    const std::lock_guard lock(message_mutex);
    last_message = line;
}

} // namespace

void capture_messages() {
    av_log_set_level(AV_LOG_ERROR);
    av_log_set_callback(keep_message);
}

void forget_messages() {
    demuxer_message.clear();
    const std::lock_guard lock(message_mutex);
    last_message.clear();
}

const std::string &demuxer_complaint() { return demuxer_message; }

std::string reason(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    std::string sentence =
        av_strerror(code, text.data(), text.size()) == 0 ? text.data() : "error " + std::to_string(code);
    const std::lock_guard lock(message_mutex);
    if (!last_message.empty() && last_message.find(sentence) == std::string::npos) sentence += "; " + last_message;
    return sentence;
}

Frame new_frame() {
    Frame frame(av_frame_alloc());
    if (!frame) throw std::bad_alloc();
    return frame;
}

Packet new_packet() {
    Packet packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    return packet;
}

} // namespace vmaf::libav
