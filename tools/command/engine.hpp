// The backend and models of a run; a serving process keeps them between runs.
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

// Shared by all pairs of a run.
struct Engine {
    std::shared_ptr<const BackendChoice> backend;
    std::shared_ptr<const ModelSets> models;
    std::shared_ptr<KeptBlocks> blocks;                // page-locked; null: nothing will reuse it
    std::set<system::FileIdentity> inputs;             // of all pairs, if there are several
    std::unique_ptr<system::PendingOutputs> pending{}; // documents to make durable together, or not at all
};

// What a run leaves for the next: a running device, page-locked memory and built-in models. Model files are read again,
// since they may have changed.
class KeptEngine {
  public:
    void forget_backend() { backend_.reset(); } // after a failure, since the device may be in a bad state

  private:
    friend Engine start_engine(const Options &options, KeptEngine *kept);

    struct Backend {
        BackendRequest request;
        std::shared_ptr<const BackendChoice> choice;
        std::vector<std::string> lines; // printed when it was chosen
        std::shared_ptr<KeptBlocks> blocks;
    };
    struct Models {
        std::vector<ModelArgument> arguments;
        std::shared_ptr<const ModelSets> sets;
    };
    std::shared_ptr<const BackendChoice> backend(const BackendRequest &request);
    std::shared_ptr<const ModelSets> models(const std::vector<ModelArgument> &arguments);

    std::unique_ptr<Backend> backend_; // only one, since others need device memory too
    std::deque<Models> models_;        // latest first
};

// Throws Failure. If the backend is unavailable, also writes the refusal in place of the document (backends.md 5).
Engine start_engine(const Options &options, KeptEngine *kept = nullptr);

} // namespace vmaf::cli
