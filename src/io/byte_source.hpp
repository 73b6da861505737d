// The bytes of a clip, from a file, a pipe or standard input. Large reads go straight to where they are wanted.
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
    // Takes over the descriptor; `name` is for messages.
    ByteSource(int descriptor, std::string name);

    const std::string &name() const { return file_.name(); }

    // Fill memory, or all parts in their order. Return the number of bytes read: fewer than asked for at the end of
    // the data only. Throw Error when reading fails, and Error(ECANCELED) after cancel().
    std::size_t read(std::span<std::byte> memory);
    std::size_t read(std::span<const system::Part> parts);
    // Drops bytes; returns how many there were to drop.
    std::uint64_t skip(std::uint64_t bytes);

    // Reads ahead until that many bytes are there to be read, or the data end; returns how many are. Memory for them
    // grows as they arrive.
    std::uint64_t gather(std::uint64_t bytes);

    // What is left to read, where that is known: in regular files.
    std::optional<std::uint64_t> bytes_left() const;
    // Where the next read() begins, in regular files.
    std::optional<std::uint64_t> position() const;
    // Fills all parts from a place in a regular file, whatever else is being read: for several threads at once. Throws
    // Error where the file ends before.
    void read_at(std::uint64_t offset, std::span<system::Part> parts) const;
    // The same for what there is: fewer bytes than asked for at the end of the file only.
    std::size_t read_some_at(std::uint64_t offset, std::span<std::byte> memory) const;
    // Bytes of a regular file where they lie, without a copy; null where that is not possible. What is lost meanwhile
    // reads as zeros, and check_whole() throws.
    std::shared_ptr<const std::byte> map(std::uint64_t offset, std::size_t bytes) const;
    // Throws Error where bytes were lost, or the file was written to since it was opened.
    void check_whole() const;
    // As it is now, of regular files.
    std::optional<std::uint64_t> size() const;

    // From another thread: ends a read that waits for a pipe, and all later ones.
    void cancel() noexcept { file_.cancel(); }

  private:
    std::size_t take_buffered(std::span<std::byte> memory);
    std::size_t read_some(std::span<system::Part> parts);
    void update_size();
    Error became_shorter() const;

    explicit ByteSource(system::InputFile file);

    system::InputFile file_;
    std::uint64_t bytes_left_ = 0; // after the file's position; regular files
    std::vector<std::byte> buffer_;
    std::size_t buffer_begin_ = 0, buffer_end_ = 0;
    std::vector<system::Part> parts_; // working copy of a read's parts
    std::vector<std::byte> skipped_;
    struct Mapped {
        std::atomic<bool> is_lost{false};
        std::atomic<std::uint64_t> end{0}; // of all parts that were mapped
    };
    std::shared_ptr<Mapped> mapped_ = std::make_shared<Mapped>();
};

} // namespace vmaf
