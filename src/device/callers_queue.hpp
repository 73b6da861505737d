// Orders our queues and the caller's queues, by the runtime's handles.
#pragma once

#include "device/device.hpp"

namespace vmaf {

class CallersOrder {
  public:
    virtual ~CallersOrder() = default;
    virtual void wait_for(void *callers) = 0; // our later work starts after the caller's queue; null: the default queue
    virtual void hold(void *callers) = 0;     // the other way round: the caller's later work starts after ours
};

// Null for runtimes without such handles, which cannot have the caller's work either.
inline CallersOrder *order_with_callers(Queue &queue) { return dynamic_cast<CallersOrder *>(&queue); }

} // namespace vmaf
