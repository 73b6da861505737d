// Forwards the header's functions to the File that the including source has just defined: the same on every system.
namespace vmaf::system {

InputFile::InputFile(int descriptor, std::string name) : file_(std::make_unique<File>(descriptor, std::move(name))) {}
InputFile::InputFile(InputFile &&other) noexcept = default;
InputFile::~InputFile() = default;
const std::string &InputFile::name() const { return file_->name(); }
bool InputFile::is_regular() const { return file_->is_regular(); }
std::size_t InputFile::read_some(std::span<const Buffer> parts) { return file_->read_some(parts); }
std::size_t InputFile::read_some_at(std::uint64_t offset, std::span<const Buffer> parts) const {
    return file_->read_some_at(offset, parts);
}
std::shared_ptr<const std::byte> InputFile::map(std::uint64_t offset, std::size_t bytes,
                                                std::shared_ptr<std::atomic<bool>> is_lost) const {
    return file_->map(offset, bytes, std::move(is_lost));
}
std::optional<std::uint64_t> InputFile::position() const { return file_->position(); }
std::uint64_t InputFile::size() const { return file_->size(); }
void InputFile::move_forward(std::uint64_t bytes) { file_->move_forward(bytes); }
bool InputFile::has_changed() const { return file_->has_changed(); }
std::string InputFile::version() const { return file_->version(); }
void InputFile::cancel() noexcept { file_->cancel(); }

} // namespace vmaf::system
