// Pictures on the device that callers own: makes queues wait for each other.
#include "device/callers_queue.hpp"
#include "picture/foreign.hpp"
#include "session/device_pipeline.hpp"

namespace vmaf {

// Pictures read in place, once the callers' queues have filled them.
void DevicePipeline::await_callers(const Batch &batch) {
    bool has_own = false; // pictures that callers fill through the default queue
    for (unsigned k = 0; k < batch.count; k++) {
        const Entry &entry = entries_[slot_of(batch.first + k)];
        for (const Picture *const picture : {&entry.ref, &entry.dist}) {
            if (!*picture || picture->memory() != Memory::device) continue;
            const ForeignBuffer *const callers = foreign(*picture);
            if (!callers)
                has_own = true;
            else if (!callers->is_transient)
                await(*picture);
        }
    }
    if (has_own) upload_queue_->wait_for_default();
}

// Makes uploads wait for the caller's work on a device picture.
void DevicePipeline::await(const Picture &picture) {
    const ForeignBuffer *const callers = foreign(picture);
    if (callers && callers->is_ready) return;
    if (CallersOrder *const order = callers ? order_with_callers(*upload_queue_) : nullptr)
        order->wait_for(callers->ready_queue);
    else
        upload_queue_->wait_for_default();
}

void DevicePipeline::wait_for_copies() {
    const Device::Scope scope(*device_);
    upload_queue_->finish();
}

void DevicePipeline::hold_queue(void *callers) {
    const Device::Scope scope(*device_);
    if (CallersOrder *const order = order_with_callers(*upload_queue_)) order->hold(callers);
}

} // namespace vmaf
