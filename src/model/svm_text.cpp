// Parses the text that libsvm's svm_save_model writes.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "model/regressor.hpp"
#include "system/c_locale.hpp"
#include "system/parse_double.hpp"

namespace vmaf {

namespace {

constexpr int kMostVectors = 100'000; // 100 times those of VMAF's models; each takes up to 512 bytes

Error broken(const std::string &what) { return {ENOMEM, "the regressor text of the model is broken: " + what}; }

std::string shortened(std::string_view token) {
    constexpr std::size_t kShown = 40;
    return "'" + std::string(token.substr(0, kShown)) + (token.size() > kShown ? "...'" : "'");
}

double to_double(std::string_view token) {
    const char *first = token.data(), *const last = first + token.size();
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') first++;
    double value = 0;
    auto [end, problem] = parse_double(first, last, value);
    if (problem == std::errc::result_out_of_range) {
        const CLocale c_locale;
        value = std::strtod(std::string(token).c_str(), nullptr); // tiny numbers are 0 or subnormal
        problem = {};
    }
    if (problem != std::errc() || end != last || !std::isfinite(value))
        throw broken(shortened(token) + " is not a number");
    return value;
}

int to_int(std::string_view token) {
    int value = 0;
    const char *const last = token.data() + token.size();
    const auto [end, problem] = std::from_chars(token.data(), last, value);
    if (problem != std::errc() || end != last) throw broken(shortened(token) + " is not an integer");
    return value;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class SvmReader {
  public:
    explicit SvmReader(std::string_view text) : rest_(text) {}

    SvmText read() {
        read_header();
        SvmText svm = std::move(svm_);
        svm.vectors.reserve(total_);
        for (std::size_t i = 0; i < total_; i++) svm.vectors.push_back(read_vector());
        return svm;
    }

  private:
    // Header tokens end at one space or newline; nothing else separates them.
    std::string_view token() {
        const std::size_t end = rest_.find_first_of(" \n");
        const std::string_view found = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        return found;
    }

    void read_header() {
        std::optional<int> classes, total;
        bool has_type = false, has_kernel = false, has_gamma = false, has_rho = false;
        for (;;) {
            if (rest_.empty()) throw broken("it ends before its support vectors");
            const std::string_view key = token();
            if (key == "SV" || key.empty()) break;
            if (key == "svm_type") {
                check_type(token());
                has_type = true;
            } else if (key == "kernel_type") {
                svm_.kernel = to_kernel(token());
                has_kernel = true;
            } else if (key == "degree") {
                svm_.degree = to_int(token());
            } else if (key == "gamma") {
                svm_.gamma = to_double(token());
                has_gamma = true;
            } else if (key == "coef0") {
                svm_.coef0 = to_double(token());
            } else if (key == "nr_class") {
                classes = to_int(token());
                if (*classes != 2) throw broken("nr_class must be 2 for a regression");
            } else if (key == "total_sv") {
                total = to_int(token());
            } else if (key == "rho" || key == "probA" || key == "probB") {
                if (!classes) throw broken(std::string(key) + " comes before nr_class");
                const double value = to_double(token());
                if (key == "rho") svm_.rho = value, has_rho = true;
            } else if (key == "label" || key == "nr_sv") {
                if (!classes) throw broken(std::string(key) + " comes before nr_class");
                for (int i = 0; i < *classes; i++) to_int(token());
            } else {
                throw broken("unknown text " + shortened(key));
            }
        }
        if (!has_type || !has_kernel || !has_rho || !total)
            throw broken("svm_type, kernel_type, rho and total_sv must be present");
        if (!has_gamma && svm_.kernel != SvmKernel::linear) throw broken("its kernel needs a gamma");
        if (*total > kMostVectors)
            throw broken("total_sv is " + std::to_string(*total) + "; at most " + std::to_string(kMostVectors) +
                         " support vectors are supported");
        if (*total < 0 || std::size_t(*total) > rest_.size())
            throw broken("fewer support vectors than total_sv states");
        total_ = std::size_t(*total);
    }

    static void check_type(std::string_view name) {
        if (name == "epsilon_svr" || name == "nu_svr") return;
        if (name == "c_svc" || name == "nu_svc" || name == "one_class")
            throw invalid("the model's regressor has svm_type " + std::string(name) + "; use nu_svr or epsilon_svr");
        throw broken("unknown svm_type " + shortened(name));
    }

    static SvmKernel to_kernel(std::string_view name) {
        if (name == "rbf") return SvmKernel::rbf;
        if (name == "linear") return SvmKernel::linear;
        if (name == "polynomial") return SvmKernel::polynomial;
        if (name == "sigmoid") return SvmKernel::sigmoid;
        if (name == "precomputed")
            throw invalid("the model's regressor has a precomputed kernel, which is not supported");
        throw broken("unknown kernel_type " + shortened(name));
    }

    SupportVector read_vector() {
        const std::size_t end = rest_.find('\n');
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        SupportVector vector;
        const std::string_view coefficient = next_word(line);
        if (coefficient.empty()) throw broken("fewer support vectors than total_sv states");
        vector.coefficient = to_double(coefficient);
        for (std::string_view pair = next_word(line); !pair.empty(); pair = next_word(line)) {
            const std::size_t colon = pair.find(':');
            if (colon == std::string_view::npos) throw broken(shortened(pair) + " is not an index:value pair");
            const int index = to_int(pair.substr(0, colon));
            if (index <= (vector.components.empty() ? 0 : vector.components.back().index))
                throw broken("indices of a support vector must start at 1 and ascend");
            vector.components.push_back({index, to_double(pair.substr(colon + 1))});
        }
        return vector;
    }

    static std::string_view next_word(std::string_view &line) {
        std::size_t begin = 0;
        while (begin < line.size() && is_blank(line[begin])) begin++;
        std::size_t end = begin;
        while (end < line.size() && !is_blank(line[end])) end++;
        const std::string_view word = line.substr(begin, end - begin);
        line.remove_prefix(end);
        return word;
    }

    std::string_view rest_;
    SvmText svm_;
    std::size_t total_ = 0;
};

} // namespace

SvmText parse_svm_text(std::string_view text) { return SvmReader(text).read(); }

} // namespace vmaf
