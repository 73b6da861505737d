// Shared by all systems; uses the functions that the including source has just defined.
namespace vmaf::system {

std::size_t read_full(int descriptor, std::span<std::byte> memory) {
    std::size_t filled = 0;
    while (filled < memory.size()) {
        const std::size_t count = read_some(descriptor, memory.subspan(filled));
        if (count == 0) break;
        filled += count;
    }
    return filled;
}

} // namespace vmaf::system
