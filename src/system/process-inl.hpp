// Forwards the header's functions to the Running that the including source has just defined: the same on every
// system.
namespace vmaf::system {

Process::Process(const Launch &launch) : running_(std::make_unique<Running>(launch)) {}
Process::~Process() = default;
ProcessNumber Process::number() const { return running_->pid(); }
int Process::wait() { return running_->wait(); }
void Process::kill() noexcept { running_->kill(); }

} // namespace vmaf::system
