#include "resources/unpack.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"
#include "test_paths.h"

namespace vmaf::unpack_test {
namespace {

// "the cat, the hat, the cat and the hat", packed by Python's lzma module.
const std::vector<unsigned char> kPacked = {0x00, 0x3a, 0x1b, 0x37, 0xbe, 0x67, 0x3a, 0x5b, 0x55, 0x82, 0x3c,
                                            0x8c, 0x34, 0x19, 0x82, 0x95, 0x20, 0x4d, 0x88, 0x98, 0x30, 0x8d,
                                            0x4e, 0x9e, 0xdb, 0xef, 0xff, 0xfa, 0x8c, 0xe0, 0x00};
constexpr std::string_view kText = "the cat, the hat, the cat and the hat";

TEST(Unpack, RestoresPackedTextOrItsBeginning) {
    EXPECT_EQ(unpack(kPacked, kText.size()), kText);
    EXPECT_EQ(unpack(kPacked, 20), kText.substr(0, 20));
    EXPECT_EQ(unpack(kPacked, 0), "");
}

TEST(Unpack, RefusesDamagedData) {
    EXPECT_THROW(unpack(std::span(kPacked).first(3), 1), Error);
    EXPECT_THROW(unpack(std::span(kPacked).first(12), kText.size()), Error);
    EXPECT_THROW(unpack(std::vector<unsigned char>(64, 0xff), 1000), Error);
}

TEST(Unpack, BuiltinModelsAreTheirFiles) {
    for (const BuiltinModel &model : builtin_models()) {
        std::ifstream file(VMAF_MODEL_DIR "/" + std::string(model.version) + ".json", std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        ASSERT_FALSE(text.empty()) << model.version;
        EXPECT_EQ(builtin_json(model.version), text) << model.version;
    }
    EXPECT_THROW(builtin_json("vmaf_v9"), Error);
}

} // namespace
} // namespace vmaf::unpack_test
