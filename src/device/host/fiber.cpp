#include "device/host/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

#include "base/error.hpp"
#include "device/host/sanitizers.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10; // touched pages only cost memory

class Stack {
  public:
    Stack() {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        bytes_ = kStackBytes + page;
        void *memory =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        base_ = static_cast<std::byte *>(memory);
        mprotect(base_, page, PROT_NONE); // an overflow faults
        usable_ = base_ + page;
    }
    ~Stack() {
        forget_frames(usable_, kStackBytes);
        munmap(base_, bytes_);
    }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;
    std::byte *bottom() const { return usable_; }
    std::byte *top() const { return usable_ + kStackBytes; }

  private:
    std::byte *base_, *usable_;
    std::size_t bytes_;
};

} // namespace

// Saves the callee-saved registers on the stack, stores the stack pointer to *from and goes on at `to`.
// swapcontext() would do, but makes a system call each time: kernels switch millions of times.
#if defined(__x86_64__)
extern "C" void vmaf_switch_stack(void **from, void *to);
asm(R"(
.text
.p2align 4
.type vmaf_switch_stack, @function
vmaf_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size vmaf_switch_stack, .-vmaf_switch_stack
.type vmaf_start_fiber, @function
vmaf_start_fiber:
    movq %r12, %rdi
    callq *%r13
    ud2
.size vmaf_start_fiber, .-vmaf_start_fiber
)");
extern "C" void vmaf_start_fiber();

static void *first_frame(std::byte *top, void (*entry)(void *), void *argument) {
    auto *frame = reinterpret_cast<void **>(top) - 9; // r15 r14 r13 r12 rbx rbp, return address; then aligned
    frame[0] = frame[1] = nullptr;
    frame[2] = reinterpret_cast<void *>(entry);
    frame[3] = argument;
    frame[4] = frame[5] = nullptr;
    frame[6] = reinterpret_cast<void *>(vmaf_start_fiber);
    frame[7] = frame[8] = nullptr;
    return frame;
}
#elif defined(__aarch64__)
extern "C" void vmaf_switch_stack(void **from, void *to);
asm(R"(
.text
.p2align 4
.type vmaf_switch_stack, %function
vmaf_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size vmaf_switch_stack, .-vmaf_switch_stack
.type vmaf_start_fiber, %function
vmaf_start_fiber:
    mov x0, x19
    blr x20
    brk #0
.size vmaf_start_fiber, .-vmaf_start_fiber
)");
extern "C" void vmaf_start_fiber();

static void *first_frame(std::byte *top, void (*entry)(void *), void *argument) {
    auto *frame = reinterpret_cast<void **>(top) - 20;
    for (int i = 0; i < 20; i++) frame[i] = nullptr;
    frame[0] = argument;
    frame[1] = reinterpret_cast<void *>(entry);
    frame[11] = reinterpret_cast<void *>(vmaf_start_fiber);
    return frame;
}
#endif

struct FiberSet::Fiber {
    FiberSet *set = nullptr;
    unsigned index = 0;
    bool done = false;
    std::unique_ptr<Stack> stack; // none for the home fiber
#if defined(__x86_64__) || defined(__aarch64__)
    void *stack_pointer = nullptr;
#else
    ucontext_t context;
#endif
#ifdef VMAF_ASAN
    void *fake_stack = nullptr;
    const void *bottom = nullptr;
    std::size_t bytes = 0;
#endif
#ifdef VMAF_TSAN
    void *tsan = nullptr;
#endif
};

FiberSet::FiberSet() : home_(std::make_unique<Fiber>()) { home_->set = this; }

FiberSet::~FiberSet() {
#ifdef VMAF_TSAN
    for (auto &fiber : fibers_) __tsan_destroy_fiber(fiber->tsan);
#endif
}

void FiberSet::switch_to(Fiber &to) {
    Fiber &from = *current_;
    if (&from == &to) return;
    current_ = &to;
#ifdef VMAF_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef VMAF_TSAN
    __tsan_switch_to_fiber(to.tsan,
                           0); // one after the other, as they run here; races of a GPU's threads are for its own tools
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    vmaf_switch_stack(&from.stack_pointer, to.stack_pointer);
#else
    swapcontext(&from.context, &to.context);
#endif
#ifdef VMAF_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void FiberSet::enter(Fiber *fiber) {
    FiberSet &set = *fiber->set;
#ifdef VMAF_ASAN
    const void *bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (!set.home_->bottom) set.home_->bottom = bottom, set.home_->bytes = bytes;
#endif
    // For ever; but a function that a compiler knows never to return is called in a way that AddressSanitizer cannot
    // follow before it knows this stack.
    while (fiber->set) {
        set.body_(set.state_, fiber->index);
        fiber->done = true;
        set.alive_--;
        set.progress();
        Fiber *next = set.next_alive();
        set.switch_to(next ? *next : *set.home_);
        // Switched to again: the next run.
    }
}

void FiberSet::enter_halves(unsigned high, unsigned low) {
    enter(reinterpret_cast<Fiber *>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low)));
}

FiberSet::Fiber *FiberSet::next_alive() {
    for (unsigned n = 0; n < count_; n++) {
        position_ = position_ + 1 < count_ ? position_ + 1 : 0;
        Fiber *fiber = fibers_[runs_ & 1 ? count_ - 1 - position_ : position_].get();
        if (!fiber->done) return fiber;
    }
    return nullptr;
}

void FiberSet::pass_on() {
    if (++idle_turns_ > 2 * count_ + 2) {
        stuck_ = true;
        switch_to(*home_); // never comes back
    }
    switch_to(*next_alive());
}

void FiberSet::run(unsigned count, Body body, void *state) {
    while (fibers_.size() < count) {
        auto fiber = std::make_unique<Fiber>();
        fiber->set = this;
        fiber->index = static_cast<unsigned>(fibers_.size());
        fiber->stack = std::make_unique<Stack>();
#if defined(__x86_64__) || defined(__aarch64__)
        fiber->stack_pointer = first_frame(
            fiber->stack->top(), [](void *p) { enter(static_cast<Fiber *>(p)); }, fiber.get());
#else
        getcontext(&fiber->context);
        fiber->context.uc_stack.ss_sp = fiber->stack->bottom();
        fiber->context.uc_stack.ss_size = kStackBytes;
        fiber->context.uc_link = nullptr;
        const auto address = reinterpret_cast<std::uintptr_t>(fiber.get()); // makecontext() hands over ints only
        makecontext(&fiber->context, reinterpret_cast<void (*)()>(enter_halves), 2,
                    static_cast<unsigned>(std::uint64_t{address} >> 32), static_cast<unsigned>(address));
#endif
#ifdef VMAF_ASAN
        fiber->bottom = fiber->stack->bottom();
        fiber->bytes = kStackBytes;
#endif
#ifdef VMAF_TSAN
        fiber->tsan = __tsan_create_fiber(0);
#endif
        fibers_.push_back(std::move(fiber));
    }
    if (stuck_) throw Error(EDEADLK, "host device: unusable after its threads waited for each other");
    body_ = body;
    state_ = state;
    count_ = alive_ = count;
    idle_turns_ = 0;
    runs_++;
    for (unsigned i = 0; i < count; i++) fibers_[i]->done = false;
    position_ = count - 1;
    current_ = home_.get();
#ifdef VMAF_TSAN
    home_->tsan = __tsan_get_current_fiber();
#endif
    switch_to(*next_alive());
    if (stuck_)
        throw Error(EDEADLK, "host device: the threads of a block wait for each other (a barrier not reached "
                             "by all, or a group operation outside uniform control flow)");
}

} // namespace vmaf
