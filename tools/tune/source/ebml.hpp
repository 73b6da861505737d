// Reads EBML, the format of Matroska.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>

namespace vmaf::tune::ebml {

inline constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};

struct Reader {
    std::FILE *file;

    // A number whose first byte encodes its length; identifiers keep the marker bit.
    std::optional<std::uint64_t> number(bool keep_marker, int *length = nullptr) {
        const int first = std::fgetc(file);
        if (first <= 0) return std::nullopt;
        int bytes = 1;
        while (!(first & (0x80 >> (bytes - 1)))) bytes++;
        std::uint64_t value =
            keep_marker ? static_cast<unsigned>(first) : static_cast<unsigned>(first) & (0xFFu >> bytes);
        bool all_ones = !keep_marker && value == (0xFFu >> bytes);
        for (int i = 1; i < bytes; i++) {
            const int next = std::fgetc(file);
            if (next < 0) return std::nullopt;
            all_ones = all_ones && next == 0xFF;
            value = value << 8 | static_cast<unsigned>(next);
        }
        if (length) *length = bytes;
        return all_ones ? kUnknownSize : value;
    }

    // The value of an element with an unsigned number.
    std::optional<std::uint64_t> unsigned_value(std::uint64_t bytes) {
        if (bytes > 8) return std::nullopt;
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < bytes; i++) {
            const int next = std::fgetc(file);
            if (next < 0) return std::nullopt;
            value = value << 8 | static_cast<unsigned>(next);
        }
        return value;
    }
};

} // namespace vmaf::tune::ebml
