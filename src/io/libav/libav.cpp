#include "io/libav/libav.hpp"

#include <array>
#include <mutex>
#include <new>

namespace vmaf::libav {

namespace {

std::mutex message_mutex;
std::string last_message;

thread_local Complaints *hearing = nullptr;

// The receiver of a message. Parts of decoders and demuxers name the context that they belong to.
Complaints *receiver_of(void *object) {
    for (int depth = 0; object && depth < 8; depth++) {
        const AVClass *const kind = *static_cast<const AVClass *const *>(object);
        if (kind && kind == avcodec_get_class()) {
            void *const owner = static_cast<AVCodecContext *>(object)->opaque;
            return owner ? static_cast<Complaints *>(owner) : hearing;
        }
        if (kind && kind == avformat_get_class())
            return static_cast<Complaints *>(static_cast<AVFormatContext *>(object)->opaque);
        if (!kind || !kind->parent_log_context_offset) return nullptr;
        object = *reinterpret_cast<void **>(static_cast<char *>(object) + kind->parent_log_context_offset);
    }
    return nullptr;
}

// Exceptions must not pass through C: without memory a message is lost.
void keep_message(void *object, int level, const char *format, va_list arguments) try {
    if ((level & 0xff) > AV_LOG_ERROR) return; // the higher bits are colours
    std::array<char, 512> text{};
    int is_at_line_start = 1;
    av_log_format_line2(object, level, format, arguments, text.data(), static_cast<int>(text.size()),
                        &is_at_line_start);
    std::string line = text.data();
    // "[h264 @ 0x55...] text", perhaps with a second name: removes the addresses.
    for (std::size_t at = 0, end = 0; (at = line.find(" @ 0x", at)) != std::string::npos;) {
        if ((end = line.find(']', at)) == std::string::npos) break;
        line.erase(at, end - at);
    }
    if (line.starts_with("[NULL] ")) line.erase(0, 7); // a parser
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.pop_back();
    for (char &c : line)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f) c = ' ';
    if (line.empty()) return;
    const bool is_mere_warning =
        line.find("] warning: ") != std::string::npos; // h261 warns about any stream's first frame
    if (Complaints *const receiver = receiver_of(object); receiver && !is_mere_warning) receiver->add(line);
    const std::lock_guard lock(message_mutex);
    last_message = line;
} catch (...) {
}

} // namespace

void capture_messages() {
    av_log_set_level(AV_LOG_ERROR);
    av_log_set_callback(keep_message);
}

void forget_messages() {
    const std::lock_guard lock(message_mutex);
    last_message.clear();
}

Hearing::Hearing(Complaints &complaints) { hearing = &complaints; }
Hearing::~Hearing() { hearing = nullptr; }

void Complaints::add(const std::string &line) {
    const std::lock_guard lock(mutex_);
    if (first_.empty()) first_ = line;
}

std::string Complaints::first() const {
    const std::lock_guard lock(mutex_);
    return first_;
}

void Complaints::forget() {
    const std::lock_guard lock(mutex_);
    first_.clear();
}

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
