// Forwards the header's functions to the File classes that the including source has just defined: the same on every
// system.
namespace vmaf::system {

PlacedFile::PlacedFile(const std::string &path) : file_(std::make_unique<File>(path)) {}
PlacedFile::PlacedFile(PlacedFile &&other) noexcept = default;
PlacedFile &PlacedFile::operator=(PlacedFile &&other) noexcept = default;
PlacedFile::~PlacedFile() = default;
void PlacedFile::write_at(std::uint64_t place, std::span<const std::byte> bytes) const {
    file_->write_at(place, bytes);
}

GrowingFile::GrowingFile(const std::string &path, Start start) : file_(std::make_unique<File>(path, start)) {}
GrowingFile::GrowingFile(GrowingFile &&other) noexcept = default;
GrowingFile &GrowingFile::operator=(GrowingFile &&other) noexcept = default;
GrowingFile::~GrowingFile() = default;
bool GrowingFile::was_empty() const { return file_->was_empty(); }
void GrowingFile::append(std::string_view text) { file_->append(text); }

} // namespace vmaf::system
