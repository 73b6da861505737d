// The table, for the system whose functions the including source has just defined: remove_file(), wait_a_moment(),
// wait_forever() and SignalsBlocked (for a thread that no handler may interrupt).
namespace vmaf::system {

namespace {

constexpr std::size_t kPlaces = 256;          // documents written at once; further ones are not registered
constexpr std::size_t kMostNameLength = 4096; // longer names are not registered
constexpr int kMomentsForMaking = 1000;       // at most; a file system may hang

} // namespace

struct LeftoverEntry {
    enum class State { free, making, made };
    std::atomic<State> state{State::free};
    std::array<NativeName::value_type, kMostNameLength> name{};
};

namespace {

using State = LeftoverEntry::State;
std::array<LeftoverEntry, kPlaces> entries;
std::atomic<bool> is_ending{false};

LeftoverEntry *take_entry(const NativeName &name) {
    if (name.size() >= kMostNameLength) return nullptr;
    for (LeftoverEntry &entry : entries) {
        State expected = State::free;
        if (!entry.state.compare_exchange_strong(expected, State::making)) continue;
        std::copy(name.c_str(), name.c_str() + name.size() + 1, entry.name.begin());
        return &entry;
    }
    return nullptr;
}

} // namespace

LeftoverFile::Making::Making(LeftoverFile &file, const NativeName &name) : file_(file) {
    SignalsBlocked::begin();
    file_.entry_ = take_entry(name);
    if (!is_ending) return;
    if (file_.entry_) file_.entry_->state = State::free;
    wait_forever();
}

LeftoverFile::Making::~Making() {
    if (file_.entry_) file_.entry_->state = file_.is_made_ ? State::made : State::free;
    if (!file_.is_made_) file_.entry_ = nullptr;
    SignalsBlocked::end();
}

LeftoverFile::~LeftoverFile() {
    if (entry_) entry_->state = State::free;
}

void stop_if_ending() noexcept {
    if (is_ending) wait_forever();
}

void remove_leftovers() noexcept {
    is_ending = true;
    int moments = kMomentsForMaking;
    for (LeftoverEntry &entry : entries) {
        while (entry.state == State::making && moments-- > 0) wait_a_moment();
        if (entry.state == State::made) remove_file(entry.name.data());
    }
}

} // namespace vmaf::system
