#include "stages/reference_store.hpp"

#include <algorithm>

#include "system/host.hpp"

namespace vmaf::tune {

namespace {

constexpr std::uint64_t kIdleProbes = 64; // frames unused for this many probes belong to a finished search

} // namespace

std::shared_ptr<const MemoryFile> ReferenceStore::find(const std::string &key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.last_probe = probe_;
    return found->second.file;
}

bool ReferenceStore::reserve(std::uint64_t bytes) {
    while (used_ + bytes > limit_) {
        auto oldest = entries_.end();
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            const bool is_idle = entry->second.file && entry->second.file.use_count() == 1 &&
                                 entry->second.last_probe + kIdleProbes < probe_;
            if (is_idle && (oldest == entries_.end() || entry->second.last_probe < oldest->second.last_probe))
                oldest = entry;
        }
        if (oldest == entries_.end()) return false;
        used_ -= oldest->second.bytes;
        entries_.erase(oldest);
    }
    used_ += bytes;
    return true;
}

std::unique_ptr<ReferenceStore::Filling> ReferenceStore::begin(const std::string &key, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > limit_ || entries_.contains(key) || !reserve(bytes)) return nullptr;
    entries_[key] = {nullptr, bytes, probe_};
    return std::unique_ptr<Filling>(new Filling(*this, key, bytes));
}

void ReferenceStore::next_probe() {
    const std::lock_guard lock(mutex_);
    probe_++;
}

std::uint64_t ReferenceStore::used() const {
    const std::lock_guard lock(mutex_);
    return used_;
}

bool ReferenceStore::Filling::add(std::span<const std::byte> bytes) {
    if (written_ + bytes.size() > reserved_) {
        const std::lock_guard lock(store_.mutex_);
        if (!store_.reserve(bytes.size())) return false;
        reserved_ += bytes.size();
        store_.entries_.at(key_).bytes = reserved_;
    }
    written_ += bytes.size();
    return file_->append(bytes);
}

void ReferenceStore::Filling::finish() {
    const std::lock_guard lock(store_.mutex_);
    Entry &entry = store_.entries_.at(key_);
    store_.used_ -= reserved_ - written_;
    entry.bytes = written_;
    entry.file = std::move(file_);
    is_finished_ = true;
}

ReferenceStore::Filling::~Filling() {
    if (is_finished_) return;
    const std::lock_guard lock(store_.mutex_);
    store_.used_ -= reserved_;
    store_.entries_.erase(key_);
}

std::uint64_t sensible_memory(std::uint64_t wish) {
    return std::min(wish, system::free_memory().value_or(wish * 2) / 2);
}

} // namespace vmaf::tune
