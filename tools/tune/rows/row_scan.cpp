#include "rows/row_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "base/thread_group.hpp"
#include "rows/row.hpp"
#include "system/parse_double.hpp"
#include "system/program.hpp"

namespace vmaf::tune {

namespace {

class LineScanner {
  public:
    explicit LineScanner(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

    bool take(char c) {
        skip_blanks();
        if (at_ == end_ || *at_ != c) return false;
        at_++;
        return true;
    }
    char peek() {
        skip_blanks();
        return at_ == end_ ? '\0' : *at_;
    }
    bool at_end() {
        skip_blanks();
        return at_ == end_;
    }
    // Parses a string after its opening quote.
    bool string(std::string_view &text) {
        const char *const start = at_;
        for (;;) {
            const auto *quote = static_cast<const char *>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
            if (!quote) return false;
            at_ = quote + 1;
            const char *back = quote;
            while (back > start && back[-1] == '\\') back--;
            if ((quote - back) % 2 == 0) {
                text = {start, static_cast<std::size_t>(quote - start)};
                return true;
            }
        }
    }
    // Skips a whole value of any kind.
    bool value(std::string_view &text) {
        skip_blanks();
        const char *const start = at_;
        if (at_ == end_) return false;
        if (*at_ == '"') {
            at_++;
            return string(text);
        }
        if (*at_ == '{' || *at_ == '[') {
            int depth = 0;
            while (at_ < end_) {
                const char c = *at_++;
                if (c == '"') {
                    std::string_view ignored;
                    if (!string(ignored)) return false;
                } else if (c == '{' || c == '[') {
                    depth++;
                } else if ((c == '}' || c == ']') && --depth == 0) {
                    text = {start, static_cast<std::size_t>(at_ - start)};
                    return true;
                }
            }
            return false;
        }
        while (at_ < end_ && *at_ != ',' && *at_ != '}' && *at_ != ' ' && *at_ != '\t' && *at_ != '\r') at_++;
        text = {start, static_cast<std::size_t>(at_ - start)};
        return !text.empty();
    }

  private:
    void skip_blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) at_++;
    }
    const char *at_, *end_;
};

double number_in(std::string_view text) {
    double value = 0;
    const auto [end, error] = parse_double(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : std::nan("");
}

} // namespace

namespace {

using Row = ScannedRow;

struct TextField {
    std::string_view key;
    std::string_view Row::*field;
};
constexpr TextField kTexts[] = {{"src", &Row::src},
                                {"encoder", &Row::encoder},
                                {"preset", &Row::preset},
                                {"vmaf_model", &Row::model},
                                {"variant", &Row::name},
                                {"metric", &Row::metric},
                                {"pool", &Row::pool},
                                {"out_pix_fmt", &Row::pix_fmt},
                                {"score_scale", &Row::scale},
                                {"clip_mode", &Row::clip_mode},
                                {"encode_key", &Row::encode_key},
                                {"score_key", &Row::score_key}};
constexpr TextField kDocuments[] = { // lists and objects, as JSON
    {"scores", &Row::scores},
    {"options", &Row::options},
    {"extra_params", &Row::extra_params},
    {"conditions", &Row::conditions}};
struct NumberField {
    std::string_view key;
    double Row::*field;
};
constexpr NumberField kNumbers[] = {{"width", &Row::width},
                                    {"height", &Row::height},
                                    {"encode_width", &Row::encode_width},
                                    {"encode_height", &Row::encode_height},
                                    {"encode_fps", &Row::encode_fps},
                                    {"score_fps", &Row::score_fps},
                                    {"crf", &Row::q},
                                    {"score", &Row::score},
                                    {"vmaf_score", &Row::vmaf_score},
                                    {"bitrate_kbps", &Row::kbps}};

template <std::size_t N, class Field> const Field *find(const Field (&fields)[N], std::string_view key) {
    const auto *const found = std::ranges::find(fields, key, &Field::key);
    return found == std::end(fields) ? nullptr : found;
}

// The lengths of the keys above by their first letter, as bits: most keys of a row are not needed.
constexpr auto kLengths = [] {
    std::array<std::uint32_t, 32> lengths{};
    const auto add = [&](const auto &fields) {
        for (const auto &field : fields) lengths[field.key[0] % 32] |= 1u << field.key.size();
    };
    add(kTexts), add(kDocuments), add(kNumbers);
    return lengths;
}();
bool may_be_field(std::string_view key) {
    return !key.empty() && key.size() < 32 && (kLengths[static_cast<unsigned char>(key[0]) % 32] >> key.size() & 1);
}

// A value that is not a number counts as no failure.
int exit_status_of(double number) { return std::isnan(number) ? 0 : static_cast<int>(std::clamp(number, -1e6, 1e6)); }

// The exit status, and names in older rows, which count if the present one is missing.
void take_other(Row &row, std::string_view key, std::string_view value, bool is_text) {
    if (key == "exit_status") row.exit_status = exit_status_of(number_in(value));
    if (key == "actual_kbps" && row.kbps == 0) row.kbps = number_in(value);
    if ((key == "cq" || key == "q") && std::isnan(row.q)) row.q = number_in(value);
    if (key == "vmaf" && std::isnan(row.vmaf_score)) row.vmaf_score = number_in(value);
    if (key == "codec" && row.encoder.empty() && is_text) row.encoder = value;
}

} // namespace

bool scan_row(std::string_view line, ScannedRow &row) {
    LineScanner scanner(line);
    if (!scanner.take('{')) return false;
    if (scanner.take('}')) return scanner.at_end();
    do {
        std::string_view key, value;
        if (!scanner.take('"') || !scanner.string(key) || !scanner.take(':')) return false;
        const bool is_text = scanner.peek() == '"';
        if (!scanner.value(value)) return false;
        if (!may_be_field(key))
            take_other(row, key, value, is_text);
        else if (const TextField *const text = find(kTexts, key))
            row.*text->field = is_text ? value : std::string_view();
        else if (const NumberField *const number = find(kNumbers, key))
            row.*number->field = number_in(value);
        else if (const TextField *const document = find(kDocuments, key))
            row.*document->field = value;
        else
            take_other(row, key, value, is_text);
    } while (scanner.take(','));
    if (!scanner.take('}') || !scanner.at_end()) return false;
    for (const std::string_view text : {row.src, row.encoder, row.preset, row.model, row.name})
        if (text.find('\\') != std::string_view::npos) return false;
    return true;
}

namespace {

// With a full parser: converts names with escapes to plain text for the views.
bool parse_fully(const std::string &line, ScannedRow &row, std::deque<std::string> &texts) {
    const nlohmann::json parsed = parse_row(line);
    if (!parsed.is_object()) return false;
    row = {};
    for (const auto fields : {std::span<const TextField>(kTexts), std::span<const TextField>(kDocuments)})
        for (const TextField &text : fields)
            if (const auto found = parsed.find(std::string(text.key)); found != parsed.end())
                row.*text.field = texts.emplace_back(found->is_string() ? found->get<std::string>() : found->dump());
    const auto value = [&](std::string_view key) {
        const auto found = parsed.find(std::string(key));
        return found != parsed.end() && found->is_number() ? found->get<double>() : std::nan("");
    };
    for (const NumberField &number : kNumbers) {
        const bool is_size = number.key.ends_with("width") || number.key.ends_with("height");
        row.*number.field = is_size && std::isnan(value(number.key)) ? 0 : value(number.key);
    }
    row.exit_status = exit_status_of(value("exit_status"));
    return true;
}

} // namespace

void RowTable::scan(std::string_view text, Part &part) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        part.lines++;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        ScannedRow row;
        if (scan_row(line, row) || parse_fully(std::string(line), row, part.unescaped))
            part.rows.push_back(row);
        else
            part.malformed.push_back(part.lines);
    }
}

RowTable::RowTable(const std::string &path, const std::function<void(const std::string &)> &complain, LastLine last)
    : file_(path) {
    // Pieces of whole lines, one per thread.
    constexpr std::size_t kSmallPart = 4 << 20;
    std::string_view all = file_.text();
    if (last == LastLine::only_if_ended) all = all.substr(0, all.rfind('\n') + 1);
    const std::size_t wish = std::clamp<std::size_t>(all.size() / kSmallPart, 1, system::usable_processors());
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t goal = std::min(all.size(), at + all.size() / wish + 1);
        const std::size_t end =
            goal == all.size() ? all.size() : std::min(all.find('\n', goal - 1), all.size() - 1) + 1;
        pieces.push_back(all.substr(at, end - at));
        at = end;
    }
    parts_.resize(pieces.size());
    ThreadGroup threads;
    for (std::size_t i = 1; i < pieces.size(); i++)
        if (!threads.start([this, &pieces, i] { scan(pieces[i], parts_[i]); })) scan(pieces[i], parts_[i]);
    if (!pieces.empty()) scan(pieces[0], parts_[0]);
    threads.join();
    std::size_t before = 0;
    for (const Part &part : parts_) {
        for (const std::size_t number : part.malformed)
            complain(path + ":" + std::to_string(before + number) + ": not a row; skipped");
        before += part.lines;
        rows_.insert(rows_.end(), part.rows.begin(), part.rows.end());
    }
}

} // namespace vmaf::tune
