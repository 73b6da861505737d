// The backend and the models of a run, and those that a process which scores again and again keeps.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend_choice.hpp"
#include "kept_blocks.hpp"
#include "models.hpp"
#include "options.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

// What all pairs of a run share.
struct Engine {
    std::shared_ptr<const BackendChoice> backend;
    std::shared_ptr<const ModelSets> models;
    std::shared_ptr<KeptBlocks> blocks;                // of page-locked memory; null: nothing will want them again
    std::set<system::FileIdentity> inputs;             // of all pairs, where there are several
    std::unique_ptr<system::PendingOutputs> pending{}; // documents that go to their disk together, or need not
};

// What one run leaves for the next: a device that has been started, page-locked memory, and built-in models. Files of
// models are read again: they may have changed.
class KeptEngine {
  public:
    void forget_backend() { backend_.reset(); } // after a failure, whose traces a device may keep

  private:
    friend Engine start_engine(const Options &options, KeptEngine *kept);

    struct Backend {
        BackendRequest request;
        std::shared_ptr<const BackendChoice> choice;
        std::vector<std::string> lines; // that were said when it was chosen
        std::shared_ptr<KeptBlocks> blocks;
    };
    struct Models {
        std::vector<ModelArgument> arguments;
        std::shared_ptr<const ModelSets> sets;
    };
    std::shared_ptr<const BackendChoice> backend(const BackendRequest &request);
    std::shared_ptr<const ModelSets> models(const std::vector<ModelArgument> &arguments);

    std::unique_ptr<Backend> backend_; // one: another's memory on the device is needed
    std::deque<Models> models_;        // the latest in front
};

// Throws Failure. A backend that cannot be had is reported in the document's place, too (backends.md 5).
Engine start_engine(const Options &options, KeptEngine *kept = nullptr);

} // namespace vmaf::cli
