#include "resources/unpack.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.hpp"

namespace vmaf {

namespace {

struct Bit { // the probability of a 0, in 2048ths
    std::uint16_t zero = 1024;
};

// Adaptive binary range decoder: bits, and numbers as paths through bit trees.
class RangeDecoder {
  public:
    explicit RangeDecoder(std::span<const unsigned char> bytes) : bytes_(bytes) {
        for (int i = 0; i < 5; i++) code_ = code_ << 8 | next(); // the first is always 0
    }
    unsigned bit(Bit &bit) {
        normalise();
        const std::uint32_t bound = (range_ >> 11) * bit.zero;
        if (code_ < bound) {
            range_ = bound;
            bit.zero = static_cast<std::uint16_t>(bit.zero + ((2048 - bit.zero) >> 5));
            return 0;
        }
        code_ -= bound;
        range_ -= bound;
        bit.zero = static_cast<std::uint16_t>(bit.zero - (bit.zero >> 5));
        return 1;
    }
    std::uint32_t even_bits(unsigned count) { // without a model: 0 and 1 are equally likely
        std::uint32_t value = 0;
        for (; count; count--) {
            normalise();
            range_ >>= 1;
            const bool is_one = code_ >= range_;
            if (is_one) code_ -= range_;
            value = value << 1 | static_cast<std::uint32_t>(is_one);
        }
        return value;
    }
    unsigned tree(std::span<Bit> bits, unsigned depth) {
        unsigned node = 1;
        for (unsigned i = 0; i < depth; i++) node = node << 1 | bit(bits[node]);
        return node - (1u << depth);
    }
    std::uint32_t reversed_tree(std::span<Bit> bits, unsigned depth) { // lowest bit first
        unsigned node = 1;
        std::uint32_t value = 0;
        for (unsigned i = 0; i < depth; i++) {
            const unsigned b = bit(bits[node]);
            node = node << 1 | b;
            value |= b << i;
        }
        return value;
    }

  private:
    unsigned char next() {
        if (place_ == bytes_.size()) throw invalid("packed data ends too early");
        return bytes_[place_++];
    }
    void normalise() {
        if (range_ >= 1u << 24) return;
        range_ <<= 8;
        code_ = code_ << 8 | next();
    }

    std::span<const unsigned char> bytes_;
    std::size_t place_ = 0;
    std::uint32_t range_ = 0xffffffff, code_ = 0;
};

struct Length { // of a match; at least 2
    Bit is_longer, is_longest;
    std::array<Bit, 8> shortest, longer;
    std::array<Bit, 256> longest;
    unsigned decode(RangeDecoder &in) {
        if (!in.bit(is_longer)) return 2 + in.tree(shortest, 3);
        if (!in.bit(is_longest)) return 10 + in.tree(longer, 3);
        return 18 + in.tree(longest, 8);
    }
};

constexpr unsigned kStates = 12, kLiteralStates = 7; // the last symbol: literals are below seven

class Unpacker {
  public:
    Unpacker(std::span<const unsigned char> packed, std::size_t size) : in_(packed), out_(size, '\0') {}
    std::string run() {
        while (filled_ < out_.size())
            if (!in_.bit(is_match_[state_]))
                literal();
            else
                copy(in_.bit(is_repeated_[state_]) ? repeated() : fresh());
        return std::move(out_);
    }

  private:
    unsigned char at(std::uint32_t distance) const {
        if (distance >= filled_) throw invalid("packed data refers to what was never there");
        return static_cast<unsigned char>(out_[filled_ - 1 - distance]);
    }
    void literal() {
        unsigned symbol = 1;
        if (state_ >= kLiteralStates) { // a byte after a match differs from the one that would have continued it
            unsigned expected = at(distance_[0]);
            while (symbol < 0x100) {
                const unsigned likely = expected >> 7 & 1;
                expected <<= 1;
                const unsigned bit = in_.bit(literals_[((1 + likely) << 8) + symbol]);
                symbol = symbol << 1 | bit;
                if (bit != likely) break;
            }
        }
        while (symbol < 0x100) symbol = symbol << 1 | in_.bit(literals_[symbol]);
        out_[filled_++] = static_cast<char>(symbol);
        state_ = state_ < 4 ? 0 : state_ < 10 ? state_ - 3 : state_ - 6;
    }
    unsigned fresh() {
        const unsigned length = fresh_length_.decode(in_);
        const unsigned slot = in_.tree(slots_[std::min(length - 2, 3u)], 6);
        std::uint32_t distance = slot;
        if (slot >= 4) {
            const unsigned bits = slot / 2 - 1;
            distance = (2 | (slot & 1)) << bits;
            if (slot < 14)
                distance += in_.reversed_tree(std::span(special_).subspan(distance - slot), bits);
            else
                distance += (in_.even_bits(bits - 4) << 4) + in_.reversed_tree(align_, 4);
        }
        distance_ = {distance, distance_[0], distance_[1], distance_[2]};
        state_ = state_ < kLiteralStates ? 7 : 10;
        return length;
    }
    unsigned repeated() {
        const bool after_literal = state_ < kLiteralStates;
        if (!in_.bit(is_not_last_[state_])) {
            if (!in_.bit(is_long_[state_])) {
                state_ = after_literal ? 9 : 11;
                return 1;
            }
        } else {
            const unsigned which = !in_.bit(is_older_[state_]) ? 1 : 2 + in_.bit(is_oldest_[state_]);
            std::rotate(distance_.begin(), distance_.begin() + which, distance_.begin() + which + 1);
        }
        const unsigned length = repeated_length_.decode(in_);
        state_ = after_literal ? 8 : 11;
        return length;
    }
    void copy(unsigned length) {
        for (; length && filled_ < out_.size(); length--, filled_++)
            out_[filled_] = static_cast<char>(at(distance_[0]));
    }

    using States = std::array<Bit, kStates>;
    RangeDecoder in_;
    std::string out_;
    std::size_t filled_ = 0; // bytes of it
    unsigned state_ = 0;
    std::array<std::uint32_t, 4> distance_{}; // of the latest matches
    States is_match_, is_repeated_, is_not_last_, is_older_, is_oldest_, is_long_;
    std::array<Bit, 0x300> literals_;
    std::array<std::array<Bit, 64>, 4> slots_; // of distances, by match length
    std::array<Bit, 128> special_;
    std::array<Bit, 16> align_;
    Length fresh_length_, repeated_length_;
};

} // namespace

std::string unpack(std::span<const unsigned char> packed, std::size_t size) { return Unpacker(packed, size).run(); }

} // namespace vmaf
