#include "system/mapped_part.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace vmaf::system {

namespace {

// What the SIGBUS handler reads: no locks, no allocation.
struct Place {
    std::atomic<bool> is_taken{false};
    std::atomic<std::uintptr_t> begin{0}, end{0}; // end is 0 while the place is being filled or cleared
    std::atomic<bool> *is_lost = nullptr;
};
constexpr std::size_t kMappedAtOnce = 65536; // the kernel's default (fault_around_bytes)
constexpr std::size_t kPlaces = 512;         // further parts are not mapped
std::array<Place, kPlaces> places;
std::atomic<bool> is_allowed{false};
struct sigaction before {};

// Whether the address was in one of our parts, which now reads as zeros.
bool replace_lost_part(std::uintptr_t address) {
    for (Place &place : places) {
        const std::uintptr_t end = place.end.load(std::memory_order_acquire);
        const std::uintptr_t begin = place.begin.load(std::memory_order_acquire);
        if (address < begin || address >= end) continue;
        if (place.end.load(std::memory_order_relaxed) != end) continue; // another part has just taken the place
        *place.is_lost = true;
        // Only a system call; the user of the part keeps it mapped.
        void *const zeros = mmap(reinterpret_cast<void *>(begin), end - begin, PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) return true;
    }
    return false;
}

// Does what would have happened without us. Our handler stays unless the process ends.
void act_as_before(int number, siginfo_t *info, void *context, bool is_fault) {
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else if (is_fault || before.sa_handler == SIG_DFL) { // a fault cannot be ignored: it would recur
        sigaction(number, &before, nullptr);
        if (!is_fault) raise(number);
    }
}

extern "C" void on_bus_error(int number, siginfo_t *info, void *context) {
    const int error = errno;
    const bool is_fault = info->si_code > 0; // otherwise sent by a process, without an address
    if (!is_fault || !replace_lost_part(reinterpret_cast<std::uintptr_t>(info->si_addr)))
        act_as_before(number, info, context, is_fault);
    errno = error;
}

class Part {
  public:
    // Takes ownership of `memory`. If the table is full, the part is not protected.
    Part(void *memory, std::size_t bytes, std::shared_ptr<std::atomic<bool>> is_lost)
        : memory_(memory), bytes_(bytes), is_lost_(std::move(is_lost)) {
        for (Place &place : places) {
            if (place.is_taken.exchange(true, std::memory_order_acquire)) continue;
            const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
            place.is_lost = is_lost_.get();
            place.begin.store(begin, std::memory_order_relaxed);
            place.end.store(begin + bytes_, std::memory_order_release);
            place_ = &place;
            break;
        }
    }
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;
    ~Part() {
        if (place_) {
            place_->end.store(0, std::memory_order_relaxed);
            place_->is_taken.store(false, std::memory_order_release);
        }
        munmap(memory_, bytes_);
    }
    bool has_place() const { return place_ != nullptr; }
    // Brings all pages into memory. Each fault also maps cached pages around it, which is faster than
    // MAP_POPULATE.
    void touch() const {
        const auto *const bytes = static_cast<const volatile char *>(memory_);
        const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
        for (std::size_t at = 0; at < bytes_; at += kMappedAtOnce - (begin + at) % kMappedAtOnce) (void)bytes[at];
    }

  private:
    void *memory_;
    std::size_t bytes_;
    std::shared_ptr<std::atomic<bool>> is_lost_;
    Place *place_ = nullptr;
};

} // namespace

bool allow_mapped_parts() noexcept {
    if (is_allowed) return true;
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    is_allowed = sigaction(SIGBUS, &action, &before) == 0;
    return is_allowed;
}

std::shared_ptr<const std::byte> map_part(int descriptor, std::uint64_t offset, std::size_t bytes,
                                          std::shared_ptr<std::atomic<bool>> is_lost) {
    if (!is_allowed || bytes == 0) return nullptr;
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t ahead = offset % page;
    const std::size_t length = static_cast<std::size_t>(ahead + bytes + page - 1) / page * page;
    void *const memory = mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset - ahead));
    if (memory == MAP_FAILED) return nullptr;
    std::shared_ptr<Part> part;
    try {
        part = std::make_shared<Part>(memory, length, std::move(is_lost));
    } catch (...) {
        munmap(memory, length);
        throw;
    }
    if (!part->has_place()) return nullptr;
    part->touch();
    return {part, static_cast<const std::byte *>(memory) + ahead};
}

} // namespace vmaf::system
