#include "picture/pool.hpp"

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"

namespace vmaf {

PictureMemory host_memory() {
    return {Memory::host, [](std::size_t bytes) {
                auto block = std::make_shared<AlignedArray<std::byte>>(bytes);
                std::byte *const data = block->data();
                return PictureBlock{data, std::move(block)};
            }};
}

struct PicturePool::State {
    PictureFormat format;
    PictureMemory memory;
    unsigned count = 0;
    std::mutex mutex;
    std::condition_variable returned;
    std::vector<Pooled *> idle; // has room for all, so returning a picture never allocates
    bool closed = false;
};

class PicturePool::Pooled final : public PictureBuffer {
  public:
    Pooled(const PictureFormat &f, std::shared_ptr<State> home) : PictureBuffer(f), home_(std::move(home)) {
        const HostLayout layout = host_layout(f);
        const bool luma_only = home_->memory.luma_only;
        block_ = home_->memory.allocate(luma_only ? layout.stride[0] * f.height : layout.bytes);
        memory = home_->memory.kind;
        for (unsigned p = 0; p < (luma_only ? 1 : f.planes()); p++) {
            data[p] = block_.data + layout.offset[p];
            stride[p] = static_cast<std::ptrdiff_t>(layout.stride[p]);
        }
    }
    void hand_out() { revive(); }
    static void destroy(Pooled *p) { delete p; }

  private:
    void last_reference_gone() override {
        const std::shared_ptr<State> home = home_; // keeps the lock alive while we return
        std::unique_lock lock(home->mutex);
        if (home->closed) {
            lock.unlock();
            delete this;
            return;
        }
        home->idle.push_back(this);
        home->returned.notify_one();
    }

    std::shared_ptr<State> home_;
    PictureBlock block_;
};

PicturePool::PicturePool(const PictureFormat &format, unsigned count, PictureMemory memory)
    : state_(std::make_shared<State>()) {
    check_format(format);
    state_->format = format;
    state_->memory = std::move(memory);
    state_->count = count;
    try {
        state_->idle.reserve(count);
        for (unsigned i = 0; i < count; i++) state_->idle.push_back(new Pooled(format, state_));
    } catch (...) {
        for (Pooled *p : state_->idle) Pooled::destroy(p);
        state_->idle.clear();
        try {
            throw;
        } catch (const std::bad_alloc &) {
            throw Error(ENOMEM, "not enough memory for " + std::to_string(count) + " pictures of " +
                                    std::to_string(format.width) + "x" + std::to_string(format.height));
        }
    }
}

PicturePool::~PicturePool() {
    std::vector<Pooled *> idle;
    {
        std::lock_guard lock(state_->mutex);
        state_->closed = true;
        idle.swap(state_->idle);
    }
    for (Pooled *p : idle) Pooled::destroy(p);
}

Picture PicturePool::take_idle(State &state) {
    Pooled *const p = state.idle.back();
    state.idle.pop_back();
    p->hand_out();
    return Picture(p);
}

Picture PicturePool::fetch() {
    std::unique_lock lock(state_->mutex);
    state_->returned.wait(lock, [&] { return !state_->idle.empty(); });
    return take_idle(*state_);
}

Picture PicturePool::fetch_or_add() {
    std::lock_guard lock(state_->mutex);
    if (!state_->idle.empty()) return take_idle(*state_);
    try {
        state_->idle.reserve(state_->count + 1);
        auto added = std::make_unique<Pooled>(state_->format, state_);
        state_->count++;
        return Picture(added.release());
    } catch (const std::bad_alloc &) {
        throw Error(ENOMEM, "not enough memory for another picture of " + std::to_string(state_->format.width) + "x" +
                                std::to_string(state_->format.height));
    }
}

Picture PicturePool::fetch_within(unsigned limit) {
    {
        std::lock_guard lock(state_->mutex);
        if (!state_->idle.empty()) return take_idle(*state_);
        limit = state_->count < limit ? limit : 0;
    }
    if (limit) try {
            return fetch_or_add();
        } catch (const Error &e) {
            if (e.code() != ENOMEM || size() == 0) throw;
        }
    return fetch();
}

const PictureFormat &PicturePool::format() const { return state_->format; }
unsigned PicturePool::size() const {
    std::lock_guard lock(state_->mutex);
    return state_->count;
}

} // namespace vmaf
