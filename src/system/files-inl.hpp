// Forwards the header's functions to the File classes that the including source has just defined: the same on every
// system.
namespace vmaf::system {

OffsetFile::OffsetFile(const std::string &path) : file_(std::make_unique<File>(path)) {}
OffsetFile::OffsetFile(OffsetFile &&other) noexcept = default;
OffsetFile &OffsetFile::operator=(OffsetFile &&other) noexcept = default;
OffsetFile::~OffsetFile() = default;
void OffsetFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    file_->write_at(offset, bytes);
}

GrowingFile::GrowingFile(const std::string &path, Start start) : file_(std::make_unique<File>(path, start)) {}
GrowingFile::GrowingFile(GrowingFile &&other) noexcept = default;
GrowingFile &GrowingFile::operator=(GrowingFile &&other) noexcept = default;
GrowingFile::~GrowingFile() = default;
bool GrowingFile::was_empty() const { return file_->was_empty(); }
void GrowingFile::append(std::string_view text) { file_->append(text); }

} // namespace vmaf::system
