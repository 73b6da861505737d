#include "session/session.hpp"

#include <utility>

#include "base/error.hpp"
#include "session/session_impl.hpp"
#include "system/log.hpp"

namespace vmaf {

Session::Impl::Impl(const SessionConfig &given)
    : config(given), isa(best_isa(given.cpumask)), queue_(given.threads, *this), device(queue_) {}

Session::Impl::~Impl() {
    drain();
    device.close(); // its thread may still be leaving the queue
}

// Calls a listener, then tries the registered models at `index` (models.md 6.5). The scores are already stored; nothing
// here undoes that.
void Session::Impl::tell(const Handler &handler, const std::string &name, unsigned index, double value) noexcept {
    try {
        {
            const CallbackScope scope(this);
            handler(name, index, value);
        }
        predictions.try_mounted(name, index);
    } catch (const Error &e) {
        log(LogLevel::warning, e.what()); // a later request for the score reports it again
    } catch (...) {
        queue_.fail(std::current_exception());
    }
}

Session::Session(const SessionConfig &config) : impl_(std::make_unique<Impl>(config)) {}
Session::~Session() = default;

double Session::feature_score_at(std::string_view name, unsigned index) const {
    auto score = impl_->scores.find(name, index);
    if (!score) {
        impl_->drain(); // the frame may be in progress
        score = impl_->scores.find(name, index);
    }
    if (!score) throw invalid("there is no score '" + std::string(name) + "' at frame " + std::to_string(index));
    return *score;
}

double Session::score_at(const Model &model, unsigned index) {
    impl_->drain(); // the frame may be in progress
    return impl_->predictions.at(model, index);
}

CollectionScore Session::score_at(const ModelCollection &collection, unsigned index) {
    impl_->drain();
    return impl_->predictions.at(collection, index);
}

namespace {

void check_interval(unsigned low, unsigned high, Pooling method) {
    if (low > high) throw invalid("pooling interval is empty: " + std::to_string(low) + " to " + std::to_string(high));
    if (method == Pooling::unknown) throw invalid("unknown pooling method");
}

} // namespace

double Session::pooled(const Model &model, Pooling method, unsigned low, unsigned high) {
    check_interval(low, high, method);
    for (std::uint64_t i = low; i <= high; i++)
        if (i % impl_->step() == 0) score_at(model, static_cast<unsigned>(i));
    return feature_pooled(model.name(), method, low, high);
}

CollectionScore Session::pooled(const ModelCollection &collection, Pooling method, unsigned low, unsigned high) {
    check_interval(low, high, method);
    for (std::uint64_t i = low; i <= high; i++)
        if (i % impl_->step() == 0) score_at(collection, static_cast<unsigned>(i));
    const std::string &name = collection.name();
    return {feature_pooled(name + "_bagging", method, low, high), feature_pooled(name + "_stddev", method, low, high),
            feature_pooled(name + "_ci_p95_lo", method, low, high),
            feature_pooled(name + "_ci_p95_hi", method, low, high)};
}

double Session::feature_pooled(std::string_view name, Pooling method, unsigned low, unsigned high) const {
    impl_->drain();
    return impl_->scores.pool(name, method, low, high, impl_->step());
}

void Session::on_score(std::function<void(const std::string &, unsigned, double)> handler) {
    impl_->scores.set_listener(
        [impl = impl_.get(), handler = std::move(handler)](const std::string &name, unsigned index, double value) {
            impl->tell(handler, name, index, value);
        });
}

bool Session::is_inside_handler() const { return impl_->is_inside_handler(); }
ScoreCollector &Session::scores() { return impl_->scores; }
const ScoreCollector &Session::scores() const { return impl_->scores; }
Isa Session::isa() const { return impl_->isa; }

} // namespace vmaf
