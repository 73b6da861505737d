// A file, pipe or standard input that is read; without a buffer of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace vmaf::system {

struct Part { // of memory that one read fills
    void *memory;
    std::size_t bytes;
};

class InputFile {
  public:
    // "-" is standard input. Throws Error naming the path.
    static InputFile open(const std::string &path);
    // Takes over the descriptor, also when it throws; `name` is for messages.
    InputFile(int descriptor, std::string name);
    InputFile(InputFile &&other) noexcept;
    InputFile &operator=(InputFile &&) = delete;
    ~InputFile();

    const std::string &name() const;
    bool is_regular() const; // then it has a size and places

    // Fills the parts in their order from where the last such read ended; returns how many bytes there were, 0 at the
    // end of the data. May return fewer than there are. Throws Error, and Error(ECANCELED) after cancel().
    std::size_t read_some(std::span<const Part> parts);
    // The same from a place in a regular file, for several threads at once.
    std::size_t read_some_at(std::uint64_t place, std::span<const Part> parts) const;

    // Bytes of a regular file where they lie, or null (map_part(), mapped_part.hpp).
    std::shared_ptr<const std::byte> map(std::uint64_t place, std::size_t bytes,
                                         std::shared_ptr<std::atomic<bool>> is_lost) const;

    // Regular files: where read_some() goes on, moving that, and the size by now.
    std::optional<std::uint64_t> position() const;
    std::uint64_t size() const;
    void move_forward(std::uint64_t bytes);
    // Whether it was written to since it was opened: its size or the time of its last change differ. Pipes, devices and
    // files that had no size then (/proc) never are.
    bool has_changed() const;

    // From another thread: ends a read that waits for a pipe, and all later ones.
    void cancel() noexcept;

  private:
    class File;
    std::unique_ptr<File> file_;
};

// Whether the paths name one pipe or socket, of which two readers would each get a part. "-" is standard input.
bool is_same_pipe(const std::string &a, const std::string &b);

bool is_regular_file(const std::string &path);

} // namespace vmaf::system
