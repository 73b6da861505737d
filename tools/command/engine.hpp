// The backend and models of a run; a serving process keeps them between runs.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend_choice.hpp"
#include "io/kept_clips.hpp"
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
    std::shared_ptr<KeptClips> clips;                  // on the backend's device; null: nothing will read them again
    std::set<system::FileIdentity> inputs;             // of all pairs, if there are several
    std::unique_ptr<system::PendingOutputs> pending{}; // documents to make durable together, or not at all
};

// What a run leaves for the next: a running device with references, page-locked memory and built-in models. Model files
// are read again, since they may have changed.
class KeptEngine {
  public:
    void forget_backend(); // after a failure, since the device may be in a bad state
    // References on the device of this backend, if it is the last one; or null.
    std::shared_ptr<KeptClips> clips(const BackendRequest &request) const {
        return backend_ && backend_->request == request ? backend_->clips : nullptr;
    }

  private:
    friend Engine start_engine(const Options &options, KeptEngine *kept);

    struct Backend {
        BackendRequest request;
        std::shared_ptr<const BackendChoice> choice;
        std::vector<std::string> lines; // printed when it was chosen
        std::shared_ptr<KeptBlocks> blocks;
        std::shared_ptr<KeptClips> clips; // null: no device
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
