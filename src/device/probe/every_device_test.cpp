// Runs on every device: queues, events, and context operations. Uses both variants of the host device, and real devices
// if present.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "device/host/floats.hpp"
#include "device/probe/probe_kernels.hpp"
#include "metrics/common/ordered_sums_device.hpp"
#include "metrics/device_scorer.hpp"
#include "support/devices.hpp"

namespace vmaf::every_device_test {
namespace {

using namespace kernels;

class EveryDevice : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        device_ = open_test_device(GetParam());
        if (!device_) GTEST_SKIP() << "no such device here";
        queue_ = device_->make_queue();
    }
    template <class T> std::unique_ptr<DeviceMemory> uploaded(const std::vector<T> &values) {
        return upload_table(*device_, values.data(), values.size() * sizeof(T));
    }
    template <class T> std::vector<T> downloaded(const DeviceMemory &memory) {
        const auto host = device_->allocate_pinned(memory.size());
        const Device::Scope scope(*device_);
        queue_->download(host->data(), 0, memory.data(), 0, {memory.size(), 1});
        queue_->finish();
        std::vector<T> out(memory.size() / sizeof(T));
        std::memcpy(out.data(), host->data(), out.size() * sizeof(T));
        return out;
    }
    template <class T> T *at(const std::unique_ptr<DeviceMemory> &memory) {
        return reinterpret_cast<T *>(memory->data());
    }
    template <class Args> void run(const char *kernel, Grid grid, const Args &args) {
        const LoadedKernel loaded = device_->load({"probe", kernel});
        const Device::Scope scope(*device_);
        launch(*queue_, loaded, grid, args);
        queue_->finish();
    }

    std::shared_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
};

TEST_P(EveryDevice, QueuesWorkInOrderAndEventsOrderQueues) {
    const auto memory = device_->allocate(256), source = device_->allocate_pinned(256),
               result = device_->allocate_pinned(256);
    const auto other = device_->make_queue();
    const auto filled = device_->make_event();
    const Device::Scope scope(*device_);
    EXPECT_TRUE(filled->reached()); // never recorded
    for (int round = 1; round < 20; round++) {
        std::memset(source->data(), round, 256);
        queue_->upload(memory->data(), 64, source->data(), 64, {64, 4});
        queue_->clear(memory->data(), 4);
        queue_->copy(memory->data() + 64, 32, memory->data(), 32, {2, 2}); // 0 0, and two bytes of the second row
        queue_->record(*filled);
        other->wait(*filled);
        other->download(result->data(), 0, memory->data(), 0, {256, 1});
        other->finish();
        EXPECT_TRUE(filled->reached());
        EXPECT_EQ(result->data()[3], std::byte{0});
        EXPECT_EQ(result->data()[65], std::byte{0});
        for (const int i : {4, 63, 96, 98, 255}) // rows of equal pitch may copy their padding
            ASSERT_EQ(result->data()[i], std::byte(round)) << i;
    }
    filled->wait();
}

TEST_P(EveryDevice, MeasuresTheTimeBetweenTwoEvents) {
    const auto memory = device_->allocate(1 << 16);
    const auto before = device_->make_event(true), after = device_->make_event(true);
    const Device::Scope scope(*device_);
    queue_->record(*before);
    queue_->clear(memory->data(), memory->size());
    queue_->record(*after);
    queue_->finish();
    EXPECT_GE(after->milliseconds_since(*before), 0);
    EXPECT_LT(after->milliseconds_since(*before), 10000);
}

TEST_P(EveryDevice, RefusesUnknownKernels) {
    EXPECT_ANY_THROW(device_->load({"probe", "nosuch"}));
    EXPECT_ANY_THROW(device_->load({"nosuch", "probe_operations"}));
    const LoadedKernel kernel = device_->load({"probe", "probe_operations"});
    EXPECT_ANY_THROW(launch(*queue_, kernel, {1, 1, 1}, 7)); // wrong size of arguments
}

TEST_P(EveryDevice, SizesComeFromTheDevicesOwnContext) {
    const LoadedKernel kernel = device_->load({"probe", "probe_operations"});
    EXPECT_EQ(kernel.shape.threads, unsigned(kProbeThreads));
    EXPECT_EQ(kernel.shape.group_width, device_->info().group_width);
    EXPECT_EQ(kernel.shape.tile_height, int(device_->info().group_width));
    EXPECT_EQ(kernel.shape.args_bytes, sizeof(ProbeArgs));
    EXPECT_EQ(kernel.shape.shared_bytes, sizeof(ProbeShared));
}

// The result of byte_matrix() in thread t of the probe, as device/kernel.hpp specifies it.
void expect_product(unsigned t, const u32 (&got)[4]) {
    const unsigned first = t / 32 * 32;
    const auto byte = [&](unsigned line, unsigned k, unsigned place) { // element k of a row of A or a column of B
        return probe_operand(first + 4 * line + k % 16 / 4, place) >> (8 * (k % 4)) & 255;
    };
    for (unsigned i = 0; i < 4; i++) {
        u32 sum = i == 0 ? t : i == 3 ? ~0u : 0;
        for (unsigned k = 0; k < 32; k++)
            sum += byte(t % 32 / 4, k, i / 2 + k / 16 * 2) * byte(2 * (t % 4) + i % 2, k, 4 + k / 16);
        EXPECT_EQ(got[i], sum) << "thread " << t << " word " << i;
    }
}

TEST_P(EveryDevice, SupportsTheOperationsOfTheDialect) {
    std::mt19937 random(1);
    std::vector<float> a, b;
    for (int i = 0; i < kProbeThreads; i++) {
        a.push_back(std::ldexp(1 + float(random() % 100000) / 100000, int(random() % 40) - 20));
        b.push_back(1 + float(random() % 1000003) / 77777);
    }
    constexpr unsigned kBlocks = 3;
    const auto a_at = uploaded(a), b_at = uploaded(b), words_at = device_->allocate(kProbeThreads * sizeof(ProbeWords)),
               shared_at = device_->allocate(sizeof(ProbeShared)),
               counts_at = uploaded(std::vector<u32>{0, 1000, 0, 0}), wide_at = uploaded(std::vector<u64>{0});
    run("probe_operations", {kBlocks, 1, 1},
        ProbeArgs{at<float>(a_at), at<float>(b_at), at<ProbeWords>(words_at), at<ProbeShared>(shared_at),
                  at<u32>(counts_at), at<u64>(wide_at)});
    const auto words = downloaded<ProbeWords>(*words_at);
    const unsigned width = device_->info().group_width;
    for (unsigned t = 0; t < kProbeThreads; t++) {
        const unsigned first = t / width * width, next = first + (t + 1 - first) % width;
        u32 sum = 0, most = 0, least = ~0u;
        u64 ballot = 0, wide = 0;
        for (unsigned i = first; i < first + width; i++) {
            sum += i * i;
            most = std::max(most, i * 37 % 128);
            least = std::min(least, i * 37 % 128);
            ballot |= u64(i % 3 == 0) << (i - first);
            wide += u64(i) << 50 | i;
        }
        const ProbeWords &w = words[t];
        EXPECT_EQ(w.next, 7 * next);
        EXPECT_EQ(w.previous, -int(t == first ? t : t - 1));
        EXPECT_EQ(w.float_of_next, a[next]);
        EXPECT_EQ(w.wide_of_next, u64(next) << 40 | next);
        EXPECT_EQ(w.f64_of_next, std::bit_cast<u64>(double(a[next])));
        EXPECT_EQ(w.sum, sum);
        EXPECT_EQ(w.most, most);
        EXPECT_EQ(w.least, least);
        EXPECT_EQ(w.ballot, ballot);
        EXPECT_EQ(w.wide_sum, wide);
        EXPECT_EQ(w.leading_zeros, u32(std::countl_zero(t + 1)));
        EXPECT_EQ(w.permuted, PortableOperations::permute_bytes(0x03020100u + t, 0x07060504u, 0x7043u));
        const u32 large = 0xffffff81u >> (t % 25);
        float truncated = float(large);
        if (double(truncated) > large) truncated = std::nextafter(truncated, 0.0f);
        EXPECT_EQ(w.toward_zero, std::bit_cast<u32>(truncated));
        if (w.has_matrix) expect_product(t, w.matrix);
        EXPECT_EQ(w.quotient, a[t] / b[t]);
        EXPECT_EQ(w.root, std::sqrt(a[t]));
        const float product = a[t] * b[t];
        EXPECT_EQ(w.product_and_sum, product + a[t]);
        EXPECT_EQ(w.f64_quotient, std::bit_cast<u64>(double(a[t]) / double(b[t])));
        EXPECT_EQ(w.f64_root, std::bit_cast<u64>(std::sqrt(double(a[t]))));
        EXPECT_EQ(w.exponential, std::bit_cast<u64>(Math<HostMath>::exponential(double(b[t]))));
        if (HasFailure()) return;
    }
    const ProbeShared shared = downloaded<ProbeShared>(*shared_at)[0];
    EXPECT_EQ(shared.sum, 8128u);
    EXPECT_EQ(shared.least, 5u);
    EXPECT_EQ(shared.most, 127u);
    EXPECT_EQ(shared.tickets, 128u);
    EXPECT_EQ(shared.signed_sum, -8128);
    EXPECT_EQ(shared.signed_least, -127);
    EXPECT_EQ(shared.signed_most, -73);
    EXPECT_EQ(shared.wide_sum, u64{8128} << 33);
    EXPECT_EQ(downloaded<u32>(*counts_at), (std::vector<u32>{kBlocks * 8128, 3, 127 + kBlocks - 1, kBlocks * 128}));
    EXPECT_EQ(downloaded<u64>(*wide_at)[0], kBlocks * (u64{8128} << 36));
}

// Sequences whose additions round, tie, cancel and stagnate.
template <class F> std::vector<F> sequence(std::mt19937_64 &random, bool with_signs, unsigned most = 9000) {
    const int kind = int(random() % 6);
    std::vector<F> terms(random() % most);
    for (F &term : terms) {
        const F fraction = F(1) + F(random() % (1u << 23)) / F(1u << 23);
        switch (kind) {
        case 0: term = std::ldexp(fraction, int(random() % 30) - 15); break;
        case 1: term = std::ldexp(F(1 + random() % 3), -int(random() % 26)); break; // ties
        case 2: term = random() % 5 ? F(0) : fraction; break;
        case 3: term = std::ldexp(fraction, -40 + int(random() % 60)); break;
        case 4: term = F(random() % 256); break;
        default: term = std::ldexp(fraction, int(random() % 3) - 60); break;
        }
        if (with_signs && random() % 3 == 0) term = -term;
    }
    return terms;
}
template <class F> F sum_of(const std::vector<F> &terms) {
    volatile F sum = 0;
    for (const F term : terms) sum = sum + term;
    return sum;
}

TEST_P(EveryDevice, AddsUpInOrderWithAllThreads) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 40; i++) {
        const bool with_signs = i % 2;
        auto floats = sequence<float>(random, with_signs);
        if (floats.empty()) floats.push_back(1);
        const auto terms = uploaded(floats), result = device_->allocate(8);
        OrderedF32Args args{at<float>(terms), floats.size(), at<u32>(result)};
        run(with_signs ? "probe_ordered_f32_signed" : "probe_ordered_f32", {1, 1, 1}, args);
        ASSERT_EQ(downloaded<u32>(*result)[0], std::bit_cast<u32>(sum_of(floats))) << "f32, sequence " << i;

        auto doubles = sequence<double>(random, with_signs);
        for (double &v : doubles)
            if (v != 0 && i % 3) v *= 1 + std::ldexp(double(random() >> 40), -52); // fills the fraction
        if (doubles.empty()) doubles.push_back(1);
        const auto wide_terms = uploaded(doubles);
        OrderedF64Args wide_args{at<u64>(wide_terms), doubles.size(), at<u64>(result)};
        run(with_signs ? "probe_ordered_f64_signed" : "probe_ordered_f64", {1, 1, 1}, wide_args);
        ASSERT_EQ(downloaded<u64>(*result)[0], std::bit_cast<u64>(sum_of(doubles))) << "f64, sequence " << i;
    }
}

TEST_P(EveryDevice, AddsUpInOrderWithManyBlocks) {
    std::mt19937_64 random(5);
    constexpr unsigned kFrames = 2, kMost = 40000, kSums = 4;
    FrameMemory memory;
    const Piece<u64> doubles_at = memory.add<u64>(kMost), sums_at = memory.add<u64>(kSums);
    const Piece<float> floats_at = memory.add<float>(kMost);
    const OrderedSums sums(*device_, memory, kSums, kMost),
        narrow_sums(*device_, memory, 1, kMost, OrderedSums::Type::f32);
    const auto scratch = device_->allocate(kFrames * memory.bytes()),
               host = device_->allocate_pinned(kFrames * memory.bytes());
    DeviceBatch batch;
    batch.count = kFrames;
    batch.scratch = scratch->data();
    batch.scratch_stride = memory.bytes();
    for (int i = 0; i < 12; i++) {
        const bool with_signs = i % 2;
        std::vector<double> doubles = sequence<double>(random, with_signs, kMost);
        std::vector<float> floats = sequence<float>(random, with_signs, i % 3 ? kMost : 50);
        for (double &v : doubles)
            if (v != 0 && i % 3) v *= 1 + std::ldexp(double(random() >> 40), -52);
        if (i == 7) std::fill(doubles.begin(), doubles.end(), 0.0);
        std::vector<double> fourth; // of the part below 0
        for (const double v : doubles) {
            const volatile double square = v < 0 ? v * v : 0;
            fourth.push_back(square * square);
        }
        const Device::Scope scope(*device_);
        for (unsigned frame = 0; frame < kFrames; frame++) { // the second frame has the terms in reverse
            std::byte *const at = host->data() + frame * memory.bytes();
            std::memset(at, 0x5a, memory.bytes());
            std::memcpy(at + doubles_at.offset, doubles.data(), doubles.size() * sizeof(double));
            std::memcpy(at + floats_at.offset, floats.data(), floats.size() * sizeof(float));
            if (frame == 1) {
                auto *const values = reinterpret_cast<double *>(at + doubles_at.offset);
                std::reverse(values, values + doubles.size());
            }
        }
        queue_->upload(scratch->data(), 0, host->data(), 0, {kFrames * memory.bytes(), 1});
        const std::array sources = {OrderedSums::doubles(batch.scratch_of(doubles_at), doubles.size(), 2),
                                    OrderedSums::floats(batch.scratch_of(floats_at), floats.size(), 0),
                                    OrderedSums::doubles(batch.scratch_of(doubles_at), doubles.size(), 1,
                                                         kOrderedNegated | kOrderedAboveZero | kOrderedFourthPower)};
        sums.enqueue(*queue_, batch, sources, batch.scratch_of(sums_at));
        const std::array narrow = {OrderedSums::floats(batch.scratch_of(floats_at), floats.size(), 3)};
        narrow_sums.enqueue(*queue_, batch, narrow, batch.scratch_of(sums_at));
        queue_->download(host->data(), 0, scratch->data(), 0, {kFrames * memory.bytes(), 1});
        queue_->finish();
        for (unsigned frame = 0; frame < kFrames; frame++) {
            const auto *const got =
                reinterpret_cast<const u64 *>(host->data() + frame * memory.bytes() + sums_at.offset);
            if (frame == 1) {
                std::reverse(doubles.begin(), doubles.end());
                std::reverse(fourth.begin(), fourth.end());
            }
            const std::vector<double> widened(floats.begin(), floats.end());
            ASSERT_EQ(got[0], std::bit_cast<u64>(sum_of(widened))) << "sequence " << i << " frame " << frame;
            ASSERT_EQ(got[1], std::bit_cast<u64>(sum_of(fourth))) << "sequence " << i << " frame " << frame;
            ASSERT_EQ(got[2], std::bit_cast<u64>(sum_of(doubles))) << "sequence " << i << " frame " << frame;
            ASSERT_EQ(got[3], std::bit_cast<u32>(sum_of(floats))) << "sequence " << i << " frame " << frame;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryDevice, testing::ValuesIn(test_device_names()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace vmaf::every_device_test
