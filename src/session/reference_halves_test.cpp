// Sessions that share reference halves give the same scores as separate sessions.
#include "metrics/reference_halves.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "session/session.hpp"

namespace vmaf::reference_halves_test {
namespace {

struct Case {
    PictureFormat format;
    std::uint64_t cpumask;
    unsigned threads;
};

Picture moving(const PictureFormat &format, unsigned frame, unsigned noise) {
    const Picture picture = Picture::allocate(format);
    const unsigned largest = (1u << format.bits) - 1;
    unsigned random = 12345 + 977 * frame;
    for (unsigned y = 0; y < format.height; y++)
        for (unsigned x = 0; x < format.width; x++) {
            random = random * 1664525 + 1013904223;
            const unsigned value =
                (((x + 3 * frame) * 5 ^ y * 3) * largest / 255 + (random >> 24) * noise / 64) % (largest + 1);
            std::byte *const at = picture.data(0) + std::ptrdiff_t{y} * picture.stride_bytes(0);
            if (format.bits == 8)
                at[x] = std::byte(value);
            else
                reinterpret_cast<std::uint16_t *>(at)[x] = std::uint16_t(value);
        }
    return picture;
}

std::unique_ptr<Session> make_session(const Case &c) {
    auto session = std::make_unique<Session>(SessionConfig{.threads = c.threads, .cpumask = c.cpumask});
    session->use_feature("vif", {});
    session->use_feature("adm", {});
    session->use_feature("motion", {});
    session->use_feature("motion", {{"motion_five_frame_window", "true"}});
    for (const char *const limit : {"1", "1.1", "3"}) {
        session->use_feature("vif", {{"vif_enhn_gain_limit", limit}});
        session->use_feature("adm", {{"adm_enhn_gain_limit", limit}});
    }
    session->use_feature("vif", {{"vif_skip_scale0", "true"}});
    session->use_feature("adm", {{"adm_skip_scale0", "true"}});
    return session;
}

constexpr unsigned kFrames = 4, kEncodes = 3;

void expect_equal(const Case &c) {
    const auto store = std::make_shared<HalfStore>();
    std::vector<std::unique_ptr<Session>> together, alone;
    for (unsigned k = 0; k < kEncodes; k++) {
        together.push_back(make_session(c));
        alone.push_back(make_session(c));
    }
    for (unsigned i = 0; i < kFrames; i++) {
        const Picture reference = moving(c.format, i, 0);
        const auto halves = std::make_shared<ReferenceHalves>(store);
        for (unsigned k = 0; k < kEncodes; k++) {
            // The last encode has a different reference before its frame 2.
            const bool is_other = k + 1 == kEncodes && i == 1;
            const Picture encode = moving(c.format, i, 4 + 9 * k), ref = is_other ? encode : reference;
            together[k]->read(ref, encode, i, is_other ? nullptr : halves);
            alone[k]->read(ref, encode, i);
        }
    }
    for (unsigned k = 0; k < kEncodes; k++) {
        together[k]->flush();
        alone[k]->flush();
        for (const std::string &name : alone[k]->score_names())
            for (unsigned i = 0; i < kFrames; i++)
                EXPECT_EQ(together[k]->scores().find(name, i), alone[k]->scores().find(name, i))
                    << name << " of encode " << k << ", frame " << i << ", " << c.format.width << "x" << c.format.height
                    << ", " << c.format.bits << " bit, mask " << c.cpumask << ", " << c.threads << " threads";
    }
}

TEST(ReferenceHalves, ChangeNoScore) {
    for (const auto &[width, height] : {std::pair{17u, 17u}, {50u, 34u}, {131u, 97u}, {300u, 200u}})
        for (const unsigned bits : {8u, 10u})
            for (const std::uint64_t cpumask : {0u, 48u, 255u})
                for (const unsigned threads : {0u, 3u})
                    expect_equal({{PixelFormat::yuv400p, bits, width, height}, cpumask, threads});
}

struct Number final : ReferenceHalf {
    int value = 0;
};
const HalfStore::Make kMake = [] { return std::make_unique<Number>(); };

TEST(ReferenceHalves, OneMakesAndOthersWait) {
    ReferenceHalves halves(std::make_shared<HalfStore>());
    HalfClaim first(&halves, "a", kMake);
    ASSERT_TRUE(first.half<Number>());
    EXPECT_FALSE(first.is_ready());
    int seen = 0;
    std::thread other([&] {
        const HalfClaim claim(&halves, "a", kMake);
        if (claim.is_ready()) seen = claim.half<Number>()->value;
    });
    first.half<Number>()->value = 5;
    first.made();
    other.join();
    EXPECT_EQ(seen, 5);
    EXPECT_TRUE(first.is_ready());
}

TEST(ReferenceHalves, OneThatFailsIsNotWaitedFor) {
    ReferenceHalves halves(std::make_shared<HalfStore>());
    { const HalfClaim lost(&halves, "a", kMake); }
    const HalfClaim other(&halves, "a", kMake);
    EXPECT_FALSE(other.half<Number>());
    EXPECT_FALSE(other.is_ready());
    EXPECT_FALSE(HalfClaim(nullptr, "a", kMake).half<Number>());
    const HalfStore::Make fail = []() -> std::unique_ptr<ReferenceHalf> { throw std::bad_alloc(); };
    EXPECT_FALSE(HalfClaim(&halves, "b", fail).half<Number>());
    EXPECT_FALSE(HalfClaim(&halves, "b", kMake).half<Number>());
}

TEST(ReferenceHalves, AreBoundedAndUsedAgain) {
    const auto store = std::make_shared<HalfStore>();
    int made = 0;
    const HalfStore::Make make = [&] {
        made++;
        return std::make_unique<Number>();
    };
    for (int round = 0; round < 2; round++) {
        std::vector<std::unique_ptr<ReferenceHalves>> pictures;
        for (std::size_t i = 0; i < HalfStore::kMostKept + 3; i++) {
            pictures.push_back(std::make_unique<ReferenceHalves>(store));
            HalfClaim claim(pictures.back().get(), "a", make);
            EXPECT_EQ(claim.half<Number>() != nullptr, i < HalfStore::kMostKept);
            if (claim.half<Number>()) claim.made();
        }
    }
    EXPECT_EQ(made, int(HalfStore::kMostKept));
}

} // namespace
} // namespace vmaf::reference_halves_test
