// Reads and writes numbers with a '.' in every locale: a guard for the calling thread.
#pragma once

namespace vmaf {

class CLocale {
  public:
    CLocale();
    ~CLocale();
    CLocale(const CLocale &) = delete;
    CLocale &operator=(const CLocale &) = delete;

  private:
    void *before_; // a handle of the system
};

} // namespace vmaf
