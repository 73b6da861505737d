// Formats scores (cli-and-formats.md 13.2), with a '.' in every locale.
#pragma once

#include <string>

namespace vmaf {

class NumberFormat {
  public:
    NumberFormat() = default; // the reference's rule: 6 decimals, or 16 for a tiny fractional part
    static NumberFormat six_decimals() { return NumberFormat(Kind::six_decimals, 0); }
    static NumberFormat significant(int digits) { return NumberFormat(Kind::significant, digits); } // as "%.*g"

    // A printf pattern for one double, such as "%.17g". Throws Error for any other pattern.
    static NumberFormat pattern(const std::string &text);

    // Prints infinities and NaN as C does: "inf", "-nan".
    void append(std::string &text, double value) const;

  private:
    enum class Kind { reference, six_decimals, significant, pattern };
    NumberFormat(Kind kind, int digits) : kind_(kind), digits_(digits) {}

    Kind kind_ = Kind::reference;
    int digits_ = 0;
    std::string pattern_;
};

void append_decimals(std::string &text, double value, int decimals); // as "%.*f"

} // namespace vmaf
