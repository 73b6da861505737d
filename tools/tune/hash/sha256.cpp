#include "hash/sha256.hpp"

#include <array>
#include <fstream>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <vector>

#include "base/error.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

void add(sha256_ctx &hash, const char *data, std::size_t size) {
    sha256_update(&hash, size, reinterpret_cast<const std::uint8_t *>(data));
}

std::string hex(sha256_ctx &hash) {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(&hash, digest.data());
#else
    sha256_digest(&hash, digest.size(), digest.data());
#endif
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

} // namespace

std::string sha256_hex(const std::string &text) {
    sha256_ctx hash;
    sha256_init(&hash);
    add(hash, text.data(), text.size());
    return hex(hash);
}

std::string sha256_of_file(const std::string &path) {
    system::fs::ifstream file(path, std::ios::binary);
    if (!file) throw invalid("cannot read '" + path + "'");
    sha256_ctx hash;
    sha256_init(&hash);
    std::vector<char> buffer(1 << 20);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
        add(hash, buffer.data(), static_cast<std::size_t>(file.gcount()));
    return hex(hash);
}

} // namespace vmaf::tune
