// The actual output of encoders: they may change the format silently, so it is read back. It does not depend on the
// quality: once for all probes with the same settings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stages/probe.hpp"

namespace vmaf::tune {

class Products {
  public:
    explicit Products(const ProbeSetup &setup);

    std::optional<Source> known() const;
    // The requested format, if the settings determine it.
    std::optional<Source> expected() const;
    Source read_back(const std::string &path) const; // throws Error

    // Whether both are decoded and compared alike.
    static bool are_alike(const Source &real, const Source &guess);

  private:
    const ProbeSetup &setup_;
    std::string name_;
};

// A result is good even if it cannot be cached.
void remember(Cache *cache, Cache::Kind kind, const std::string &key, const nlohmann::json &value,
              const std::string &about, std::vector<std::string> &warnings);

} // namespace vmaf::tune
