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

class Sha256 {
  public:
    Sha256() { sha256_init(&state_); }
    void add(const char *data, std::size_t size) {
        sha256_update(&state_, size, reinterpret_cast<const std::uint8_t *>(data));
    }
    std::string hex() {
        std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
#if NETTLE_VERSION_MAJOR >= 4
        sha256_digest(&state_, digest.data());
#else
        sha256_digest(&state_, digest.size(), digest.data());
#endif
        std::string text;
        for (const std::uint8_t byte : digest) {
            text += "0123456789abcdef"[byte >> 4];
            text += "0123456789abcdef"[byte & 15];
        }
        return text;
    }

  private:
    sha256_ctx state_;
};

} // namespace

std::string sha256_hex(const std::string &text) {
    Sha256 hash;
    hash.add(text.data(), text.size());
    return hash.hex();
}

std::string sha256_of_file(const std::string &path) {
    system::fs::ifstream file(path, std::ios::binary);
    if (!file) throw invalid("cannot read '" + path + "'");
    Sha256 hash;
    std::vector<char> buffer(1 << 20);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
        hash.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
    return hash.hex();
}

} // namespace vmaf::tune
