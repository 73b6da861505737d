// Order between a queue of ours and queues that the process has made itself, by the runtime's own handles.
#pragma once

#include "device/device.hpp"

namespace vmaf {

class CallersOrder {
  public:
    virtual ~CallersOrder() = default;
    virtual void
    wait_for(void *callers) = 0; // later work of ours starts after what is in the caller's queue; null: the default one
    virtual void hold(void *callers) = 0; // the other way round
};

// Runtimes without such handles have none of the caller's work either.
inline CallersOrder *order_with_callers(Queue &queue) { return dynamic_cast<CallersOrder *>(&queue); }

} // namespace vmaf
