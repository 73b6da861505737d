// Numbers are read and written with a '.' whatever locale the host program has set: a guard for the calling thread.
#pragma once

namespace vmaf {

class CLocale {
  public:
    CLocale();
    ~CLocale();
    CLocale(const CLocale &) = delete;
    CLocale &operator=(const CLocale &) = delete;

  private:
    void *before_; // the system's own description of it
};

} // namespace vmaf
