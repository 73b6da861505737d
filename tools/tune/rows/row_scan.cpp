#include "rows/row_scan.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
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

bool scan_row(std::string_view line, ScannedRow &row) {
    LineScanner scanner(line);
    if (!scanner.take('{')) return false;
    if (scanner.take('}')) return scanner.at_end();
    do {
        std::string_view key, value;
        if (!scanner.take('"') || !scanner.string(key) || !scanner.take(':')) return false;
        const bool is_text = scanner.peek() == '"';
        if (!scanner.value(value)) return false;
        const auto text = [&](std::string_view &field) { field = is_text ? value : std::string_view(); };
        // Switches on the first letter, then compares the name: most keys of a row are not needed.
        switch (key.empty() ? '\0' : key[0]) {
        case 'a':
            if (key == "actual_kbps" && row.kbps == 0) row.kbps = number_in(value);
            break;
        case 'b':
            if (key == "bitrate_kbps") row.kbps = number_in(value);
            break;
        case 'c':
            if (key == "crf") row.q = number_in(value);
            if (key == "cq" && std::isnan(row.q)) row.q = number_in(value);
            if (key == "codec" && row.encoder.empty()) text(row.encoder);
            if (key == "clip_mode") text(row.clip_mode);
            if (key == "conditions") row.conditions = value;
            break;
        case 'e':
            if (key == "encoder") text(row.encoder);
            if (key == "encode_key") text(row.encode_key);
            if (key == "encode_fps") row.encode_fps = number_in(value);
            if (key == "encode_width") row.encode_width = number_in(value);
            if (key == "encode_height") row.encode_height = number_in(value);
            if (key == "extra_params") row.extra_params = value;
            if (key == "exit_status") row.exit_status = static_cast<int>(number_in(value));
            break;
        case 'h':
            if (key == "height") row.height = number_in(value);
            break;
        case 'w':
            if (key == "width") row.width = number_in(value);
            break;
        case 'm':
            if (key == "metric") text(row.metric);
            break;
        case 'o':
            if (key == "options") row.options = value;
            if (key == "out_pix_fmt") text(row.pix_fmt);
            break;
        case 'p':
            if (key == "preset") text(row.preset);
            if (key == "pool") text(row.pool);
            break;
        case 'q':
            if (key == "q" && std::isnan(row.q)) row.q = number_in(value);
            break;
        case 's':
            if (key == "src") text(row.src);
            if (key == "score") row.score = number_in(value);
            if (key == "scores") row.scores = value;
            if (key == "score_scale") text(row.scale);
            if (key == "score_key") text(row.score_key);
            if (key == "score_fps") row.score_fps = number_in(value);
            break;
        case 'v':
            if (key == "vmaf_score") row.vmaf_score = number_in(value);
            if (key == "vmaf" && std::isnan(row.vmaf_score)) row.vmaf_score = number_in(value);
            if (key == "vmaf_model") text(row.model);
            if (key == "variant") text(row.name);
            break;
        default: break;
        }
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
    const auto text = [&](const char *key, std::string_view fallback) -> std::string_view {
        const auto found = parsed.find(key);
        if (found == parsed.end()) return fallback;
        return texts.emplace_back(found->is_string() ? found->get<std::string>() : found->dump());
    };
    const auto value = [&](const char *key) {
        const auto found = parsed.find(key);
        return found != parsed.end() && found->is_number() ? found->get<double>() : std::nan("");
    };
    row.src = text("src", "");
    row.encoder = text("encoder", "");
    row.preset = text("preset", "");
    row.model = text("vmaf_model", "");
    row.name = text("variant", "");
    row.metric = text("metric", "vmaf");
    row.pool = text("pool", "mean");
    row.scores = text("scores", "");
    row.options = text("options", "");
    row.extra_params = text("extra_params", "");
    row.pix_fmt = text("out_pix_fmt", "");
    row.scale = text("score_scale", "");
    row.clip_mode = text("clip_mode", "");
    row.conditions = text("conditions", "");
    row.encode_key = text("encode_key", "");
    row.score_key = text("score_key", "");
    for (const auto &[field, key] :
         {std::pair(&row.width, "width"), std::pair(&row.height, "height"),
          std::pair(&row.encode_width, "encode_width"), std::pair(&row.encode_height, "encode_height")})
        *field = std::isnan(value(key)) ? 0 : value(key);
    row.encode_fps = value("encode_fps");
    row.score_fps = value("score_fps");
    row.q = value("crf");
    row.score = value("score");
    row.vmaf_score = value("vmaf_score");
    row.kbps = value("bitrate_kbps");
    row.exit_status = std::isnan(value("exit_status")) ? 0 : static_cast<int>(value("exit_status"));
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
