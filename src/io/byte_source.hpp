// The bytes of a clip, from a file, a pipe or standard input. Large reads go directly to their destination.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "system/input_file.hpp"

namespace vmaf {

class ByteSource {
  public:
    // "-" is standard input. Throws Error naming the path.
    static ByteSource open(const std::string &path);
    // Takes ownership of the descriptor; `name` is for messages.
    ByteSource(int descriptor, std::string name);

    const std::string &name() const { return file_.name(); }

    // Fill memory, or all parts in order. Return the number of bytes read: fewer than requested only at the end. Throw
    // Error on failure, and Error(ECANCELED) after cancel().
    std::size_t read(std::span<std::byte> memory);
    std::size_t read(std::span<const system::Buffer> parts);
    // Skips bytes; returns how many were skipped.
    std::uint64_t skip(std::uint64_t bytes);

    // Reads ahead until that many bytes are available or the data ends; returns how many are. Memory grows as they
    // arrive.
    std::uint64_t gather(std::uint64_t bytes);

    // The number of remaining bytes, if known: in regular files.
    std::optional<std::uint64_t> bytes_left() const;
    // The offset of the next read(), in regular files.
    std::optional<std::uint64_t> position() const;
    // Fills all parts from an offset of a regular file; thread-safe. Throws Error if the file ends
    // earlier.
    void read_at(std::uint64_t offset, std::span<system::Buffer> parts) const;
    // The same for what is available: fewer bytes only at the end of the file.
    std::size_t read_some_at(std::uint64_t offset, std::span<std::byte> memory) const;
    // Maps bytes of a regular file, or returns null. Bytes lost later read as zeros, and check_whole()
    // throws.
    std::shared_ptr<const std::byte> map(std::uint64_t offset, std::size_t bytes) const;
    // Throws Error if bytes were lost, or the file was written to since it was opened.
    void check_whole() const;
    // Which content of which file this is (system::InputFile::version); empty for pipes.
    std::string version() const { return file_.version(); }
    // The current size of a regular file.
    std::optional<std::uint64_t> size() const;

    // Call it from another thread: ends a read that waits for a pipe, and all later reads.
    void cancel() noexcept { file_.cancel(); }

  private:
    std::size_t take_buffered(std::span<std::byte> memory);
    std::size_t read_some(std::span<system::Buffer> parts);
    void update_size();
    Error became_shorter() const;

    explicit ByteSource(system::InputFile file);

    system::InputFile file_;
    std::uint64_t bytes_left_ = 0; // beyond the file's position; regular files
    std::vector<std::byte> buffer_;
    std::size_t buffer_begin_ = 0, buffer_end_ = 0;
    std::vector<system::Buffer> parts_; // scratch copy of a read's parts
    std::vector<std::byte> skipped_;
    struct Mapped {
        std::atomic<bool> is_lost{false};
        std::atomic<std::uint64_t> end{0}; // of all mapped parts
    };
    std::shared_ptr<Mapped> mapped_ = std::make_shared<Mapped>();
};

} // namespace vmaf
