#include "ending.hpp"

#include <exception>
#include <new>

#include "exit_code.hpp"

namespace vmaf::cli {

Ending ending_of(const std::function<void()> &work) {
    constexpr int kSetup = static_cast<int>(ExitCode::setup);
    try {
        work();
        return {};
    } catch (const Failure &failure) {
        const int status = static_cast<int>(failure.code());
        if (failure.code() == ExitCode::closed_pipe) return {status, ""}; // the reader closed the pipe on purpose
        return {status, failure.what()};
    } catch (const std::bad_alloc &) {
        return {kSetup, "not enough memory for pictures of this size; use fewer --threads"};
    } catch (const std::exception &e) {
        return {kSetup, e.what()};
    }
}

} // namespace vmaf::cli
