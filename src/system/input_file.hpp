// Unbuffered reading from a file, a pipe or standard input.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace vmaf::system {

struct Buffer { // of memory, filled by one read
    void *memory;
    std::size_t bytes;
};

class InputFile {
  public:
    // "-" is standard input. Throws Error naming the path.
    static InputFile open(const std::string &path);
    // Takes ownership of the descriptor even if it throws; `name` is for messages.
    InputFile(int descriptor, std::string name);
    InputFile(InputFile &&other) noexcept;
    InputFile &operator=(InputFile &&) = delete;
    ~InputFile();

    const std::string &name() const;
    bool is_regular() const; // has a size and can be read at any offset

    // Fills the parts in order, starting where the last such read ended; returns the number of bytes, 0 at the end. May
    // return fewer than are available. Throws Error, and Error(ECANCELED) after cancel().
    std::size_t read_some(std::span<const Buffer> parts);
    // The same at an offset of a regular file; several threads may read at once.
    std::size_t read_some_at(std::uint64_t offset, std::span<const Buffer> parts) const;

    // Maps bytes of a regular file, or returns null (see map_part(), mapped_part.hpp).
    std::shared_ptr<const std::byte> map(std::uint64_t offset, std::size_t bytes,
                                         std::shared_ptr<std::atomic<bool>> is_lost) const;

    // Regular files: the next offset of read_some(), how to move it, and the current size.
    std::optional<std::uint64_t> position() const;
    std::uint64_t size() const;
    void move_forward(std::uint64_t bytes);
    // Whether the size or modification time differ from those at
    // opening. Always false for pipes, devices and files that had no
    // size (/proc).
    bool has_changed() const;

    // Which content of which file this is, as text: differs once the file is written, replaced or renamed. Empty for
    // pipes and devices.
    std::string version() const;

    // Call it from another thread: ends a read that waits for a pipe, and all later reads.
    void cancel() noexcept;

  private:
    class File;
    std::unique_ptr<File> file_;
};

// Whether both paths name one pipe or socket, so that each reader would get only part of the data. "-" is standard
// input.
bool is_same_pipe(const std::string &a, const std::string &b);

bool is_regular_file(const std::string &path);

} // namespace vmaf::system
