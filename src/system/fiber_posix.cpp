#include "system/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#define VMAF_OWN_SWITCH 1
#else
#define VMAF_OWN_SWITCH 0
#include <ucontext.h>
#endif

namespace vmaf::system {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10; // only touched pages cost memory

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
    ~Stack() { munmap(base_, bytes_); }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;
    std::byte *bottom() const { return usable_; }
    std::byte *top() const { return usable_ + kStackBytes; }

  private:
    std::byte *base_, *usable_;
    std::size_t bytes_;
};

} // namespace

// Saves the callee-saved registers on the stack, stores the stack pointer to *from and resumes `to`. swapcontext()
// makes a system call per switch, and kernels switch millions of times; Boost.Context is not available for mingw-w64.
#if VMAF_OWN_SWITCH && defined(__x86_64__)
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
#elif VMAF_OWN_SWITCH
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

class Fiber::State {
  public:
    std::unique_ptr<Stack> stack; // null for a thread
#if VMAF_OWN_SWITCH
    void *stack_pointer = nullptr;
#else
    ucontext_t context;
    void (*entry)(void *) = nullptr;
    void *argument = nullptr;

    // makecontext() passes only ints.
    static void start(unsigned high, unsigned low) {
        auto *self = reinterpret_cast<State *>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
        self->entry(self->argument);
    }
#endif
};

Fiber::Fiber() : state_(std::make_unique<State>()) {}

Fiber::Fiber(void (*entry)(void *), void *argument) : state_(std::make_unique<State>()) {
    state_->stack = std::make_unique<Stack>();
#if VMAF_OWN_SWITCH
    state_->stack_pointer = first_frame(state_->stack->top(), entry, argument);
#else
    state_->entry = entry;
    state_->argument = argument;
    getcontext(&state_->context);
    state_->context.uc_stack.ss_sp = state_->stack->bottom();
    state_->context.uc_stack.ss_size = kStackBytes;
    state_->context.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(state_.get());
    makecontext(&state_->context, reinterpret_cast<void (*)()>(State::start), 2,
                static_cast<unsigned>(std::uint64_t{address} >> 32), static_cast<unsigned>(address));
#endif
}

Fiber::~Fiber() = default;
void Fiber::adopt_thread() {}
void Fiber::release_thread() {}

void Fiber::hand_over(Fiber &to) {
#if VMAF_OWN_SWITCH
    vmaf_switch_stack(&state_->stack_pointer, to.state_->stack_pointer);
#else
    swapcontext(&state_->context, &to.state_->context);
#endif
}

void *Fiber::stack() const { return state_->stack ? state_->stack->bottom() : nullptr; }
std::size_t Fiber::stack_bytes() const { return state_->stack ? kStackBytes : 0; }

} // namespace vmaf::system
