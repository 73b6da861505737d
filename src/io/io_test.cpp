// Clip readers: contents of pictures, ends of clips, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "io/plain_pairs.hpp"
#include "io/raw_reader.hpp"
#include "io/read_ahead.hpp"
#include "io/y4m_header.hpp"
#include "io/y4m_reader.hpp"
#include "system/descriptor.hpp"
#include "system/files.hpp"
#include "system/log.hpp"
#include "system/mapped_part.hpp"

namespace vmaf::io_test {
namespace {

using Bytes = std::string;

ByteSource file_with(const Bytes &content) {
    system::MemoryFile file;
    if (!file.append(std::as_bytes(std::span(content)))) std::abort();
    return {file.open().release(), "'clip'"};
}

// The content through a pipe, in pieces of `chunk` bytes.
class PipeWith {
  public:
    PipeWith(Bytes content, std::size_t chunk) {
        system::Pipe pipe = system::make_pipe();
        read_end_ = pipe.read.release();
        writer_ = std::thread([content = std::move(content), chunk, out = std::move(pipe.write)]() mutable {
            const auto bytes = std::as_bytes(std::span(content));
            for (std::size_t at = 0; at < bytes.size(); at += chunk)
                if (!system::write_full(out.get(), bytes.subspan(at, std::min(chunk, bytes.size() - at)))) break;
            out.reset();
        });
    }
    ~PipeWith() { writer_.join(); }
    ByteSource source() const { return {read_end_, "'pipe'"}; }

  private:
    int read_end_;
    std::thread writer_;
};

// A named file that changes while it is read.
class ClipFile {
  public:
    explicit ClipFile(const Bytes &content) : folder_(system::make_new_folder(testing::TempDir() + "vmaf-io-test-")) {
        add(content);
    }
    ~ClipFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ClipFile(const ClipFile &) = delete;
    ClipFile &operator=(const ClipFile &) = delete;
    std::string path() const { return folder_ + "/clip.yuv"; }
    void add(const Bytes &content) const {
        system::GrowingFile(path(), system::GrowingFile::Start::at_end).append(content);
    }

  private:
    std::string folder_;
};

Bytes counting(std::size_t count, unsigned first = 0) {
    Bytes bytes(count, '\0');
    for (std::size_t i = 0; i < count; i++) bytes[i] = static_cast<char>(first + i);
    return bytes;
}

Bytes header(const std::string &tags) { return "YUV4MPEG2 " + tags + "\n"; }

std::vector<int> plane(const Picture &picture, unsigned p) {
    std::vector<int> samples;
    const auto take = [&](const auto &view) {
        for (int y = 0; y < view.height; y++)
            for (int x = 0; x < view.width; x++) samples.push_back(view.row(y)[x]);
    };
    if (picture.format().bits == 8)
        take(picture.plane<std::uint8_t>(p));
    else
        take(picture.plane<std::uint16_t>(p));
    return samples;
}

std::vector<int> iota(int first, int count) {
    std::vector<int> list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), first);
    return list;
}

// The samples of a plane inside a part of the picture.
std::vector<int> part_of(const Picture &picture, unsigned p, const Crop &part) {
    const PictureFormat &format = picture.format();
    const bool is_chroma = p > 0;
    const unsigned across = is_chroma ? columns_of_chroma(format.pixel_format) : 1,
                   down = is_chroma ? rows_of_chroma(format.pixel_format) : 1;
    const std::vector<int> all = plane(picture, p);
    std::vector<int> samples;
    for (unsigned y = 0; y < part.height / down; y++)
        for (unsigned x = 0; x < part.width / across; x++)
            samples.push_back(all[(part.y / down + y) * format.plane_width(p) + part.x / across + x]);
    return samples;
}

Picture read_one(ClipReader &reader) {
    Picture picture = Picture::allocate(reader.format());
    EXPECT_TRUE(reader.read(picture));
    return picture;
}

TEST(RawReader, PlanesFollowEachOtherTightlyPacked) {
    RawReader reader(file_with(counting(4 * 2 + 2 + 2)), {PixelFormat::yuv420p, 8, 4, 2});
    EXPECT_EQ(reader.frames_left(), 1u);
    const Picture picture = read_one(reader);
    EXPECT_EQ(plane(picture, 0), iota(0, 8));
    EXPECT_EQ(plane(picture, 1), iota(8, 2));
    EXPECT_EQ(plane(picture, 2), iota(10, 2));
    EXPECT_FALSE(reader.read(picture));
    EXPECT_EQ(reader.frames_left(), 0u);
}

TEST(RawReader, OddSizesKeepTheTopLeftPartOfChroma) {
    RawReader reader(file_with(counting(15 + 6 + 6)), {PixelFormat::yuv420p, 8, 5, 3});
    const Picture picture = read_one(reader);
    EXPECT_EQ(plane(picture, 0), iota(0, 15));
    EXPECT_EQ(plane(picture, 1), (std::vector<int>{15, 16}));
    EXPECT_EQ(plane(picture, 2), (std::vector<int>{21, 22}));
}

TEST(RawReader, ChromaMayHaveNoSamplesAtAll) {
    RawReader reader(file_with(counting(3)), {PixelFormat::yuv420p, 8, 1, 1});
    EXPECT_EQ(plane(read_one(reader), 0), iota(0, 1));
}

TEST(RawReader, FourZeroZeroHasOnePlane) {
    RawReader reader(file_with(counting(12)), {PixelFormat::yuv400p, 8, 3, 2});
    EXPECT_EQ(reader.frames_left(), 2u);
    EXPECT_EQ(plane(read_one(reader), 0), iota(0, 6));
    EXPECT_EQ(plane(read_one(reader), 0), iota(6, 6));
}

TEST(RawReader, DeepSamplesAreTwoBytesLowFirst) {
    RawReader reader(file_with(counting(2 * 3 * 4)), {PixelFormat::yuv444p, 10, 2, 2});
    const Picture picture = read_one(reader);
    EXPECT_EQ(plane(picture, 0), (std::vector<int>{0x0100, 0x0302, 0x0504, 0x0706}));
    EXPECT_EQ(plane(picture, 2)[3], 0x1716);
}

TEST(RawReader, ShallowSamplesAreShiftedToTheDepthOfTheRun) {
    RawReader narrow(file_with(counting(12, 1)), {PixelFormat::yuv420p, 8, 4, 2});
    narrow.set_pictures(10);
    Picture picture = Picture::allocate({PixelFormat::yuv420p, 10, 4, 2});
    EXPECT_TRUE(narrow.read(picture));
    EXPECT_EQ(plane(picture, 0), (std::vector<int>{4, 8, 12, 16, 20, 24, 28, 32}));
    EXPECT_EQ(plane(picture, 2), (std::vector<int>{44, 48}));
    RawReader wide(file_with(Bytes("\1\0\2\0\3\0", 6)), {PixelFormat::yuv444p, 10, 1, 1});
    wide.set_pictures(12);
    picture = Picture::allocate({PixelFormat::yuv444p, 12, 1, 1});
    EXPECT_TRUE(wide.read(picture));
    EXPECT_EQ(plane(picture, 0), std::vector<int>{4});
    EXPECT_EQ(plane(picture, 2), std::vector<int>{12});
}

TEST(RawReader, APartialFrameIsAnErrorButNotWhenSkipped) {
    RawReader reader(file_with(counting(20)), {PixelFormat::yuv420p, 8, 4, 2});
    const Picture picture = read_one(reader);
    EXPECT_THROW(reader.read(picture), Error);
    RawReader skipping(file_with(counting(20)), {PixelFormat::yuv420p, 8, 4, 2});
    EXPECT_TRUE(skipping.skip());
    EXPECT_FALSE(skipping.skip());
}

TEST(RawReader, ImpossibleGeometriesAreRefused) {
    EXPECT_THROW(RawReader(file_with(""), {PixelFormat::yuv420p, 8, 0, 2}), Error);
    EXPECT_THROW(RawReader(file_with(""), {PixelFormat::yuv420p, 8, 4294967295u, 4294967295u}), Error);
    EXPECT_THROW(RawReader(file_with(""), {PixelFormat::yuv420p, 17, 4, 2}), Error);
}

TEST(Y4mReader, FramesHaveHeadersWithOptionalParameters) {
    Y4mReader reader(file_with(header("W4 H2 F25:1 Ip C420jpeg") + "FRAME\n" + counting(12) + "FRAME Ixyz\n" +
                               counting(12, 100) + "FRA"));
    Picture picture = read_one(reader);
    EXPECT_EQ(plane(picture, 0), iota(0, 8));
    EXPECT_TRUE(reader.read(picture));
    EXPECT_EQ(plane(picture, 1), iota(108, 2));
    EXPECT_FALSE(reader.read(picture)); // stray bytes are no frame
}

TEST(Y4mReader, ParametersOfAFrameEndAtSeventyEightBytes) {
    const auto clip = [](std::size_t count) {
        return header("W1 H1 F25:1 Ip C444") + "FRAME " + Bytes(count, 'x') + "\nabc";
    };
    Y4mReader good(file_with(clip(78)));
    EXPECT_EQ(plane(read_one(good), 0), std::vector<int>{'a'});
    Y4mReader bad(file_with(clip(79)));
    EXPECT_THROW(read_one(bad), Error);
}

TEST(Y4mReader, LostFramingAndCutOffFramesAreErrors) {
    Y4mReader lost(file_with(header("W1 H1 F25:1 Ip C444") + "FRAMF\nabc"));
    EXPECT_THROW(read_one(lost), Error);
    Y4mReader cut(file_with(header("W1 H1 F25:1 Ip C444") + "FRAME\nab"));
    EXPECT_THROW(read_one(cut), Error);
}

TEST(Y4mReader, TheLastOfRepeatedTagsCountsAndUnknownOnesDoNot) {
    Y4mReader reader(
        file_with("YUV4MPEG2   W9 W1 H7  H1 XYSCSS=420JPEG Z F30000000000:1001 A0:0 Ip C444p10junk C444p10\n"));
    EXPECT_EQ(reader.format(), (PictureFormat{PixelFormat::yuv444p, 10, 1, 1}));
}

TEST(Y4mReader, AHeaderWithoutNewlineEndsAfter255Bytes) {
    Bytes line = "YUV4MPEG2 W1 H1 F1:1 Ip C444 X";
    line += Bytes(255 - line.size(), 'x');
    Y4mReader reader(file_with(line + "FRAME\nabc"));
    EXPECT_EQ(plane(read_one(reader), 2), std::vector<int>{'c'});
}

TEST(Y4mReader, BadHeadersAreRefused) {
    set_log_level(LogLevel::none);
    for (const char *tags :
         {"", "H1 F1:1", "W1 F1:1", "W1 H1", "W1 H1 F1", "W1 H1 F1:", "W1 H1 Fa:b", "W0 H1 F1:1", "W-4 H1 F1:1",
          "Wx H1 F1:1", "W1 H1 F1:1 It", "W1 H1 F1:1 Ib", "W1 H1 F1:1 Im", "W1 H1 F1:1 A1", "W1 H1 F1:1 C421",
          "W1 H1 F1:1 C420P10", "W1 H1 F1:1 C4200000000000000", "W99999999999999999999 H1 F1:1", "W40000 H1 F1:1"})
        EXPECT_THROW(Y4mReader(file_with(header(tags))), Error) << tags;
    for (const char *content : {"", "Y", "YUV4MPEG2", "YUV4MPEG2 W1 H1 F1:1", "RIFF\n", "\n"})
        EXPECT_THROW(Y4mReader(file_with(content)), Error) << content;
    set_log_level(LogLevel::info);
}

TEST(Y4mReader, MonoClipsGetGreyChroma) {
    Y4mReader reader(file_with(header("W4 H2 F1:1 Ip Cmono") + "FRAME\n" + counting(8)));
    const Picture picture = read_one(reader);
    EXPECT_EQ(reader.format().pixel_format, PixelFormat::yuv420p);
    EXPECT_EQ(plane(picture, 1), (std::vector<int>{128, 128}));
}

TEST(Y4mReader, TheAlphaPlaneIsDropped) {
    Y4mReader reader(file_with(header("W2 H1 F1:1 Ip C444alpha") + "FRAME\nabcdefgh" + "FRAME\nijklmnop"));
    EXPECT_EQ(plane(read_one(reader), 2), (std::vector<int>{'e', 'f'}));
    EXPECT_EQ(plane(read_one(reader), 0), (std::vector<int>{'i', 'j'}));
}

// The formula of 10.3, written independently.
int filtered(const std::vector<int> &line, const std::vector<int> &taps, int first, int x) {
    int sum = 64;
    for (int k = 0; k < static_cast<int>(taps.size()); k++)
        sum += taps[std::size_t(k)] * line[std::size_t(std::clamp(x + first + k, 0, int(line.size()) - 1))];
    return std::clamp(sum >> 7, 0, 255);
}
const std::vector<int> kRight = {4, -17, 114, 35, -9, 1}, kLeft = {1, -9, 35, 114, -17, 4};

TEST(ChromaConversion, FourTwoTwoMovesRight) {
    const Bytes luma(12 * 1, 'y');
    const std::vector<int> u = {0, 255, 3, 200, 90, 17}, v = {255, 255, 0, 0, 255, 0};
    Bytes clip = header("W12 H1 F1:1 Ip C422") + "FRAME\n" + luma;
    for (int s : u) clip.push_back(static_cast<char>(s));
    for (int s : v) clip.push_back(static_cast<char>(s));
    Y4mReader reader(file_with(clip));
    const Picture picture = read_one(reader);
    EXPECT_EQ(picture.format().pixel_format, PixelFormat::yuv422p);
    for (int x = 0; x < 6; x++) {
        EXPECT_EQ(plane(picture, 1)[std::size_t(x)], filtered(u, kRight, -2, x));
        EXPECT_EQ(plane(picture, 2)[std::size_t(x)], filtered(v, kRight, -2, x));
    }
}

TEST(ChromaConversion, PaldvMovesBothPlanesRightThenCbUpAndCrDown) {
    const int w = 3, h = 5; // chroma
    std::vector<int> samples(std::size_t(w * h));
    for (std::size_t i = 0; i < samples.size(); i++) samples[i] = int(i * 97 % 256);
    Bytes plane_bytes;
    for (int s : samples) plane_bytes.push_back(static_cast<char>(s));
    Y4mReader reader(
        file_with(header("W6 H10 F1:1 Ip C420paldv") + "FRAME\n" + Bytes(60, 'y') + plane_bytes + plane_bytes));
    const Picture picture = read_one(reader);
    for (int x = 0; x < w; x++) {
        std::vector<int> column;
        for (int y = 0; y < h; y++) {
            const std::vector<int> row(samples.begin() + y * w, samples.begin() + (y + 1) * w);
            column.push_back(filtered(row, kRight, -2, x));
        }
        for (int y = 0; y < h; y++) {
            EXPECT_EQ(plane(picture, 1)[std::size_t(y * w + x)], filtered(column, kLeft, -3, y));
            EXPECT_EQ(plane(picture, 2)[std::size_t(y * w + x)], filtered(column, kRight, -2, y));
        }
    }
}

TEST(ChromaConversion, FourOneOneBecomesFourTwoTwo) {
    const std::vector<int> u = {10, 250, 30};
    Bytes clip = header("W10 H1 F1:1 Ip C411") + "FRAME\n" + Bytes(10, 'y') + "\n\372\36" + "\n\372\36";
    Y4mReader reader(file_with(clip));
    const Picture picture = read_one(reader);
    ASSERT_EQ(plane(picture, 1).size(), 5u);
    for (int x = 0; x < 5; x++)
        EXPECT_EQ(plane(picture, 1)[std::size_t(x)],
                  x % 2 ? filtered(u, {-3, 50, 86, -5}, -1, x / 2) : filtered(u, {1, 110, 18, -1}, -1, x / 2));
}

TEST(ChromaConversion, EveryTagReadsEverySmallSize) {
    for (const char *tag : {"420", "420paldv", "422", "411", "444", "444alpha", "mono", "420p10", "422p12", "444p16"})
        for (int w = 1; w < 10; w++)
            for (int h = 1; h < 6; h++) {
                const Bytes tags = "W" + std::to_string(w) + " H" + std::to_string(h) + " F1:1 Ip C" + tag;
                Y4mReader reader(file_with(header(tags) + "FRAME\n" + counting(1000)));
                read_one(reader);
            }
}

// A crop is what the whole picture has there: for every layout and conversion, from files and pipes, at another depth.
TEST(Crop, IsAPartOfTheWholePicture) {
    constexpr Crop kParts[] = {{16, 12, 0, 0}, {8, 4, 6, 2},  {2, 2, 14, 10},
                               {17, 4, 0, 2},  {4, 13, 2, 0}, {1, 1, 16, 12}};
    for (const char *tag : {"420", "420paldv", "422", "411", "444", "444alpha", "mono", "420p10", "422p12", "444p16"}) {
        Bytes clip = header("W17 H13 F1:1 Ip C" + Bytes(tag));
        const auto bytes =
            static_cast<std::size_t>(parse_y4m_header(clip.substr(0, clip.size() - 1), "'clip'").bytes());
        for (unsigned i = 0; i < 2; i++) clip += "FRAME\n" + counting(bytes, i * 7);
        const auto compare = [&](ByteSource source, const Crop &part, unsigned more_bits) {
            Y4mReader whole(file_with(clip)), cropped(std::move(source));
            cropped.crop(part);
            EXPECT_EQ(cropped.format().height, part.height);
            const auto read = [&](Y4mReader &reader) {
                PictureFormat format = reader.format();
                format.bits += more_bits;
                reader.set_pictures(format.bits);
                const Picture picture = Picture::allocate(format);
                EXPECT_TRUE(reader.read(picture));
                return picture;
            };
            for (int frame = 0; frame < 2; frame++) {
                const Picture all = read(whole), some = read(cropped);
                for (unsigned p = 0; p < 3; p++)
                    EXPECT_EQ(plane(some, p), part_of(all, p, part)) << tag << " " << to_string(part);
            }
            EXPECT_EQ(cropped.frames_left().value_or(0), 0u);
        };
        for (const Crop &part : kParts) {
            compare(file_with(clip), part, 0);
            compare(PipeWith(clip, 100).source(), part, 0);
            if (Bytes(tag).find('p') == Bytes::npos) compare(file_with(clip), part, 2);
        }
    }
}

TEST(Crop, MayNotCutThroughChromaNorLeaveThePicture) {
    RawReader reader(file_with(""), {PixelFormat::yuv420p, 8, 17, 13});
    for (const Crop &part : {Crop{18, 13, 0, 0}, Crop{17, 13, 1, 0}, Crop{1, 1, 17, 0}, Crop{4, 4, 4294967295u, 0},
                             Crop{4, 4, 1, 0}, Crop{4, 4, 0, 3}, Crop{3, 4, 0, 0}, Crop{4, 5, 0, 0}})
        EXPECT_THROW(reader.crop(part), Error) << to_string(part);
    reader.crop({15, 11, 2, 2}); // to the end of odd sides
}

TEST(ByteSource, PiecesOfAPipeMakeNoDifference) {
    Bytes clip = header("W7 H5 F1:1 Ip C420");
    for (unsigned i = 0; i < 9; i++) clip += "FRAME\n" + counting(35 + 24, i * 7);
    Y4mReader whole(file_with(clip));
    std::vector<std::vector<int>> want;
    for (int i = 0; i < 9; i++) want.push_back(plane(read_one(whole), 0));
    for (std::size_t chunk : {1u, 2u, 5u, 13u, 64u, 100000u}) {
        const PipeWith pipe(clip, chunk);
        Y4mReader reader(pipe.source());
        EXPECT_FALSE(reader.frames_left());
        EXPECT_TRUE(reader.skip());
        Picture picture;
        for (std::size_t i = 1; i < 9; i++) {
            picture = read_one(reader);
            EXPECT_EQ(plane(picture, 0), want[i]);
        }
        EXPECT_FALSE(reader.read(picture));
    }
}

TEST(Y4mReader, AHeaderThatComesThroughAPipeTakesNoMemory) {
    for (const char *tags : {"W32768 H32768 F1:1 Ip", "W32768 H32768 F1:1 Ip C411", "W32768 H32768 F1:1 Ip C444p16"}) {
        const PipeWith pipe(header(tags) + "FRAME\n" + Bytes(100000, 'y'), 5000);
        Y4mReader reader(pipe.source());
        PicturePool pool(reader.format(), 0);
        EXPECT_THROW(reader.read(pool), Error);
        EXPECT_EQ(pool.size(), 0u);
    }
}

TEST(ByteSource, MissingFilesAndDirectoriesAreRefusedByName) {
    for (const char *path : {"/no/such/file", "/"}) try {
            ByteSource::open(path);
            ADD_FAILURE() << path;
        } catch (const Error &e) {
            EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
        }
}

TEST(ReadAhead, GivesEveryFrameThenAnEmptyPicture) {
    RawReader reader(file_with(counting(12 * 20)), {PixelFormat::yuv420p, 8, 4, 2});
    ReadAhead ahead(reader, {.frames_ahead = 2});
    std::vector<Picture> kept; // no thread waits for pictures that we hold
    for (int i = 0; i < 20; i++) kept.push_back(ahead.next());
    for (int i = 0; i < 20; i++) EXPECT_EQ(plane(kept[std::size_t(i)], 0)[0], i * 12);
    EXPECT_FALSE(ahead.next());
    EXPECT_FALSE(ahead.next());
}

TEST(ReadAhead, FramesBeforeAnErrorComeFirst) {
    RawReader reader(file_with(counting(12 + 5)), {PixelFormat::yuv420p, 8, 4, 2});
    ReadAhead ahead(reader, {.frames_ahead = 2});
    EXPECT_TRUE(ahead.next());
    EXPECT_THROW(ahead.next(), Error);
}

TEST(ReadAhead, StopsWhileAPipeGivesNothing) {
    system::Pipe pipe = system::make_pipe();
    RawReader reader(ByteSource(pipe.read.release(), "'pipe'"), {PixelFormat::yuv420p, 8, 4, 2});
    const ReadAhead ahead(reader, {.frames_ahead = 2});
}

// Luma of frame i is i, i + 1, ... in samples of `bits`; odd sizes, so that chroma in the file is larger than in
// pictures.
Bytes numbered_clip(unsigned frames, unsigned bits, std::size_t luma, std::size_t all) {
    Bytes clip;
    for (unsigned i = 0; i < frames; i++)
        for (std::size_t k = 0; k < all; k++) {
            clip.push_back(static_cast<char>(k < luma ? i + k : 200));
            if (bits > 8) clip.push_back(k < luma ? 1 : 0);
        }
    return clip;
}

std::unique_ptr<ClipReader> numbered(bool is_y4m, unsigned frames, unsigned bits) {
    const Bytes raw = numbered_clip(frames, bits, 15, 27);
    if (!is_y4m) return std::make_unique<RawReader>(file_with(raw), RawGeometry{PixelFormat::yuv420p, bits, 5, 3});
    const std::size_t size = raw.size() / frames;
    Bytes clip = header(bits == 8 ? "W5 H3 F1:1 Ip C420jpeg" : "W5 H3 F1:1 Ip C420p10");
    for (unsigned i = 0; i < frames; i++) clip += "FRAME\n" + raw.substr(i * size, size);
    return std::make_unique<Y4mReader>(file_with(clip));
}

// Every way of reading a clip gives the same frames.
TEST(ReadAhead, GivesEveryFrameInOrderWithAnyNumberOfThreadsWithAndWithoutChroma) {
    for (const bool is_y4m : {false, true})
        for (const unsigned bits : {8u, 10u})
            for (const unsigned threads : {0u, 1u, 2u, 5u})
                for (const bool has_chroma : {true, false}) {
                    const std::unique_ptr<ClipReader> reader = numbered(is_y4m, 40, bits);
                    ASSERT_TRUE(reader->is_file());
                    ASSERT_TRUE(reader->skip()); // continues where the reader is
                    ReadAhead ahead(*reader, {.has_chroma = has_chroma, .frames_ahead = 6, .threads = threads});
                    std::vector<Picture> kept;
                    for (int i = 1; i < 40; i++) kept.push_back(ahead.next());
                    for (int i = 1; i < 40; i++) {
                        const Picture &picture = kept[std::size_t(i) - 1];
                        ASSERT_EQ(plane(picture, 0), iota(bits > 8 ? 256 + i : i, 15));
                        ASSERT_EQ(picture.data(1) != nullptr, has_chroma);
                        if (has_chroma) {
                            ASSERT_EQ(plane(picture, 2), (std::vector<int>{200, 200}));
                        }
                    }
                    EXPECT_FALSE(ahead.next());
                    EXPECT_FALSE(ahead.next());
                }
}

// Large enough to be mapped, at unaligned addresses.
constexpr unsigned kWideWidth = 654, kWideHeight = 422;
constexpr std::size_t kWideLuma = std::size_t{kWideWidth} * kWideHeight, kWideFrame = kWideLuma * 3 / 2;
const RawGeometry kWide{PixelFormat::yuv420p, 8, kWideWidth, kWideHeight};

Bytes wide_clip(unsigned frames) {
    Bytes clip;
    for (unsigned i = 0; i < frames; i++) clip += counting(kWideFrame, 3 * i);
    return clip;
}

TEST(MappedFrames, AreTheFramesOfTheFile) {
    system::allow_mapped_parts();
    const Bytes clip = wide_clip(5);
    for (const bool has_chroma : {true, false})
        for (const unsigned threads : {0u, 1u, 3u}) {
            RawReader reader(file_with(clip), kWide);
            ASSERT_TRUE(reader.skip());
            ReadAhead ahead(reader, {.has_chroma = has_chroma, .frames_ahead = 3, .threads = threads});
            std::vector<Picture> kept;
            for (int i = 1; i < 5; i++) kept.push_back(ahead.next());
            EXPECT_FALSE(ahead.next());
            for (std::size_t i = 1; i < 5; i++) {
                const Bytes frame = clip.substr(i * kWideFrame, kWideFrame);
                const auto bytes = [&](std::size_t at, std::size_t count) {
                    std::vector<int> samples;
                    for (const char c : frame.substr(at, count)) samples.push_back(static_cast<unsigned char>(c));
                    return samples;
                };
                EXPECT_EQ(plane(kept[i - 1], 0), bytes(0, kWideLuma));
                ASSERT_EQ(kept[i - 1].data(1) != nullptr, has_chroma);
                if (has_chroma) {
                    EXPECT_EQ(plane(kept[i - 1], 2), bytes(kWideLuma / 4 * 5, kWideLuma / 4));
                }
            }
            EXPECT_NO_THROW(reader.check_whole());
        }
}

TEST(MappedFrames, ThatTheFileLosesAreZerosAndAnError) {
    const bool has_mappings = system::allow_mapped_parts();
    const ClipFile file(wide_clip(4));
    RawReader reader(ByteSource::open(file.path()), kWide), other(ByteSource::open(file.path()), kWide);
    const Picture first = reader.map_at(*reader.find(), reader.loader());
    ASSERT_EQ(bool(first), has_mappings);
    if (!first) return; // not supported by this system
    const Picture second = reader.map_at(*reader.find(), reader.loader());
    const Picture others = other.map_at(*other.find(), other.loader());
    EXPECT_EQ(plane(second, 0)[1], 4);
    EXPECT_NO_THROW(reader.check_whole());
    std::filesystem::resize_file(file.path(), 4096);
    EXPECT_EQ(plane(second, 2), std::vector<int>(kWideLuma / 4, 0)); // does not crash
    EXPECT_THROW(reader.check_whole(), Error);
    ReadAhead ahead(reader, {});
    EXPECT_THROW(ahead.next(), Error);
    EXPECT_EQ(plane(others, 0).back(), 0);
    EXPECT_THROW(other.check_whole(), Error);
}

TEST(MappedFrames, ThatLoseTheEndOfAPageAreAnError) {
    const bool has_mappings = system::allow_mapped_parts();
    const ClipFile file(wide_clip(4));
    RawReader reader(ByteSource::open(file.path()), kWide);
    const Picture first = reader.map_at(*reader.find(), reader.loader());
    ASSERT_EQ(bool(first), has_mappings);
    if (!first) return; // not supported by this system
    std::filesystem::resize_file(file.path(), kWideFrame - 10);
    EXPECT_EQ(plane(first, 2).back(), 0);
    EXPECT_THROW(reader.check_whole(), Error);
}

#ifdef SIGBUS
// A child process that has mapped nothing yet.
void end_with_zeros_after_a_foreign_signal() {
    static volatile int seen = 0;
    std::signal(SIGBUS, [](int) { seen = seen + 1; });
    if (!system::allow_mapped_parts()) std::_Exit(0);
    const ClipFile file(wide_clip(2));
    RawReader reader(ByteSource::open(file.path()), kWide);
    const Picture first = reader.map_at(*reader.find(), reader.loader());
    std::raise(SIGBUS);
    std::filesystem::resize_file(file.path(), 4096);
    std::_Exit(plane(first, 0).back() == 0 && seen == 1 ? 0 : 1);
}

TEST(MappedFrames, AForeignSignalDoesWhatItDidBefore) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(end_with_zeros_after_a_foreign_signal(), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
            std::signal(SIGBUS, SIG_DFL);
            system::allow_mapped_parts();
            std::raise(SIGBUS);
        },
        testing::KilledBySignal(SIGBUS), "");
}
#endif

TEST(ReadFiles, ThatAreWrittenToMeanwhileAreAnError) {
    const ClipFile file(wide_clip(2));
    const auto is_refused_after = [&](auto change) {
        RawReader reader(ByteSource::open(file.path()), kWide);
        const Picture picture = Picture::allocate(reader.format());
        EXPECT_TRUE(reader.read(picture));
        EXPECT_NO_THROW(reader.check_whole());
        change();
        return [&] {
            try {
                reader.check_whole();
            } catch (const Error &) {
                return true;
            }
            return false;
        }();
    };
    EXPECT_FALSE(is_refused_after([] {}));
    EXPECT_FALSE(
        is_refused_after([&] { std::filesystem::permissions(file.path(), std::filesystem::perms::owner_read); }));
    std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all);
    EXPECT_TRUE(is_refused_after([&] { std::filesystem::resize_file(file.path(), 2 * kWideFrame + 1); }));
    EXPECT_TRUE(is_refused_after([&] { // the size stays
        std::filesystem::last_write_time(file.path(), std::filesystem::file_time_type::clock::now());
    }));
}

// There may be no page after the last frame, and vectors read beyond rows.
TEST(MappedFrames, HaveReadableBytesAfterThem) {
    const bool has_mappings = system::allow_mapped_parts();
    RawReader reader(file_with(wide_clip(2)), kWide);
    const auto first = *reader.find(), last = *reader.find();
    EXPECT_EQ(bool(reader.map_at(first, reader.loader())), has_mappings);
    EXPECT_FALSE(reader.map_at(last, reader.loader()));
}

TEST(MappedFrames, AreOfEightBitsWithoutConversion) {
    system::allow_mapped_parts();
    RawReader deep(file_with(wide_clip(4)), {PixelFormat::yuv420p, 10, kWideWidth, kWideHeight});
    EXPECT_FALSE(deep.map_at(*deep.find(), deep.loader()));
    RawReader odd(file_with(wide_clip(4)), {PixelFormat::yuv420p, 8, kWideWidth - 1, kWideHeight});
    EXPECT_FALSE(odd.map_at(*odd.find(), odd.loader()));
    RawReader widened(file_with(wide_clip(4)), kWide);
    widened.set_pictures(10);
    EXPECT_FALSE(widened.map_at(*widened.find(), widened.loader()));
}

TEST(ReadAhead, PipesGiveLumaAloneToo) {
    const Bytes clip = numbered_clip(9, 8, 15, 27);
    for (const std::size_t chunk : {1u, 13u, 100000u}) {
        const PipeWith pipe(clip, chunk);
        RawReader reader(pipe.source(), {PixelFormat::yuv420p, 8, 5, 3});
        EXPECT_FALSE(reader.is_file());
        ReadAhead ahead(reader, {.has_chroma = false, .threads = 3});
        for (int i = 0; i < 9; i++) EXPECT_EQ(plane(ahead.next(), 0), iota(i, 15));
        EXPECT_FALSE(ahead.next());
    }
}

TEST(ReadAhead, FrameLinesWithParametersAreNoObstacle) {
    Bytes clip = header("W4 H2 F1:1 Ip C420jpeg");
    for (unsigned i = 0; i < 9; i++) clip += (i % 2 ? "FRAME Ip\n" : "FRAME\n") + counting(12, i);
    Y4mReader reader(file_with(clip));
    ReadAhead ahead(reader, {.has_chroma = false, .frames_ahead = 4, .threads = 3});
    for (int i = 0; i < 9; i++) EXPECT_EQ(plane(ahead.next(), 0), iota(i, 8));
    EXPECT_FALSE(ahead.next());
}

std::string message_of(const auto &action) {
    try {
        action();
    } catch (const Error &e) {
        return e.what();
    }
    return {};
}

TEST(ReadAhead, FramesBeforeACutOffOneComeFirstThenTheErrorOfTheReader) {
    for (const std::size_t missing : {1u, 3u, 7u}) { // within chroma, within luma
        const Bytes clip = numbered_clip(4, 8, 8, 12) + Bytes(12 - missing, 'x');
        RawReader plain(file_with(clip), {PixelFormat::yuv420p, 8, 4, 2});
        for (int i = 0; i < 4; i++) read_one(plain);
        const std::string want = message_of([&] { read_one(plain); });
        for (const bool has_chroma : {true, false})
            for (const unsigned threads : {0u, 3u}) {
                RawReader reader(file_with(clip), {PixelFormat::yuv420p, 8, 4, 2});
                ReadAhead ahead(reader, {.has_chroma = has_chroma, .frames_ahead = 6, .threads = threads});
                for (int i = 0; i < 4; i++) EXPECT_EQ(plane(ahead.next(), 0)[0], i);
                EXPECT_EQ(message_of([&] { ahead.next(); }), want);
            }
        EXPECT_NE(want.find(std::to_string(12 - missing) + " of its 12 bytes"), std::string::npos) << want;
    }
}

TEST(ReadAhead, AFileThatBecomesShorterIsAnError) {
    const ClipFile file(numbered_clip(30, 8, 8, 12));
    RawReader reader(ByteSource::open(file.path()), {PixelFormat::yuv420p, 8, 4, 2});
    std::filesystem::resize_file(file.path(), 12 * 6);
    ReadAhead ahead(reader, {.frames_ahead = 4, .threads = 2});
    EXPECT_THROW(ahead.next(), Error); // even if the frame still exists
    EXPECT_THROW(ahead.next(), Error);
}

TEST(ReadAhead, EndsWhileFramesAreLeft) {
    RawReader reader(file_with(numbered_clip(30, 8, 8, 12)), {PixelFormat::yuv420p, 8, 4, 2});
    Picture kept;
    {
        ReadAhead ahead(reader, {.frames_ahead = 6, .threads = 3});
        kept = ahead.next();
    }
    EXPECT_EQ(plane(kept, 0), iota(0, 8));
}

TEST(ReadAhead, AFileThatGrowsIsAnError) {
    const Bytes clip = numbered_clip(8, 8, 8, 12);
    const ClipFile file(clip.substr(0, 12 * 3 + 5));
    RawReader reader(ByteSource::open(file.path()), {PixelFormat::yuv420p, 8, 4, 2});
    ReadAhead ahead(reader, {.has_chroma = false});
    EXPECT_EQ(plane(ahead.next(), 0), iota(0, 8));
    file.add(clip.substr(12 * 3 + 5));
    EXPECT_THROW(ahead.next(), Error); // the number of frames would depend on timing
}

TEST(PlainPairs, SkipCountAndEndAsTheClipsDo) {
    const auto raw = [](unsigned frames) {
        return std::make_unique<RawReader>(file_with(numbered_clip(frames, 8, 8, 12)),
                                           RawGeometry{PixelFormat::yuv420p, 8, 4, 2});
    };
    PlainPairs pairs(raw(6), raw(9));
    EXPECT_EQ(pairs.pairs_left(), 6u);
    pairs.skip(0, 4);
    EXPECT_EQ(pairs.pairs_left(), 5u);
    pairs.check_not_empty();
    pairs.start({.reads_chroma = false, .frames_ahead = 3, .reading_threads = 2});
    for (int i = 0; i < 5; i++) {
        const auto pair = pairs.next();
        ASSERT_TRUE(pair);
        EXPECT_EQ(plane(pair->reference, 0)[0], i);
        EXPECT_EQ(plane(pair->distorted, 0)[0], i + 4);
        EXPECT_FALSE(pair->reference.data(1));
    }
    EXPECT_FALSE(pairs.next());
    EXPECT_FALSE(pairs.reference_ended());
    EXPECT_TRUE(pairs.distorted_ended());
    EXPECT_EQ(pairs.report(), nullptr);
    PlainPairs empty(raw(1), raw(0));
    EXPECT_NE(message_of([&] { empty.check_not_empty(); }).find("the distorted clip 'clip' has no frame of 4x2"),
              std::string::npos);
}

} // namespace
} // namespace vmaf::io_test
