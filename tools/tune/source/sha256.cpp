// SHA-256 (FIPS 180-4), for cache keys and file identities.
#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "source/source.hpp"

namespace vmaf::tune {

namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Sha256 {
  public:
    void add(const char *data, std::size_t size) {
        total_ += size;
        while (size > 0) {
            const std::size_t part = std::min(size, block_.size() - fill_);
            std::memcpy(block_.data() + fill_, data, part);
            fill_ += part;
            data += part;
            size -= part;
            if (fill_ == block_.size()) digest_block();
        }
    }

    std::string hex() {
        const std::uint64_t bits = total_ * 8;
        const char one = char(0x80), zero = 0;
        add(&one, 1);
        while (fill_ != 56) add(&zero, 1);
        std::array<char, 8> length{};
        for (std::size_t i = 0; i < 8; i++) length[i] = char(bits >> (56 - 8 * i));
        add(length.data(), length.size());
        constexpr char kDigits[] = "0123456789abcdef";
        std::string text;
        for (const std::uint32_t word : state_)
            for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 15];
        return text;
    }

  private:
    void digest_block() {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 16; i++)
            for (std::size_t b = 0; b < 4; b++) w[i] = (w[i] << 8) | block_[4 * i + b];
        for (std::size_t i = 16; i < 64; i++) {
            const std::uint32_t a = w[i - 15], b = w[i - 2];
            const std::uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
            const std::uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        auto [a, b, c, d, e, f, g, h] = state_;
        for (std::size_t i = 0; i < 64; i++) {
            const std::uint32_t t1 =
                h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
            const std::uint32_t t2 =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        const std::array<std::uint32_t, 8> more = {a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < 8; i++) state_[i] += more[i];
        fill_ = 0;
    }

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> block_{};
    std::size_t fill_ = 0;
    std::uint64_t total_ = 0;
};

} // namespace

std::string sha256_hex(const std::string &text) {
    Sha256 hash;
    hash.add(text.data(), text.size());
    return hash.hex();
}

std::string sha256_of_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw invalid("cannot read '" + path + "'");
    Sha256 hash;
    std::vector<char> buffer(1 << 20);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
        hash.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
    return hash.hex();
}

} // namespace vmaf::tune
