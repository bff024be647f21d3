// The layers of the library and who may include whom.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace credence::architecture {

/// Layer -> layers it may include besides itself and `core`. Data flows one way; `io` stands at the
/// rim, and scoring never sees how probabilities were fitted.
inline const std::map<std::string, std::set<std::string>> kMayInclude{
    {"core", {}},
    {"dataset", {}},
    {"target", {"dataset"}},
    {"map", {"dataset", "target"}},
    {"fit", {"dataset", "target", "map"}},
    {"metrics", {"dataset"}},
    {"experiment", {"dataset", "target", "map", "fit", "metrics"}},
    {"figure", {}},
    {"report", {"dataset", "target", "map", "fit", "metrics", "experiment", "io", "figure"}},
    {"io", {"dataset", "target", "map", "fit"}},
    {"export", {"dataset", "target", "map", "fit", "io"}},
};

/// The layer that a public header belongs to.
inline const std::map<std::string, std::string> kLayerOfPublicHeader{
    {"matrix", "core"},
    {"error", "core"},
    {"dataset", "dataset"},
    {"class_order", "dataset"},
    {"overlap", "dataset"},
    {"target", "target"},
    {"map", "map"},
    {"calibrator", "map"},
    {"fit", "fit"},
    {"methods", "fit"},
    {"rounded", "fit"},
    {"metrics", "metrics"},
    {"bootstrap", "metrics"},
    {"demo", "experiment"},
    {"io", "io"},
    {"split", "experiment"},
    {"verdict", "experiment"},
    {"subgroups", "experiment"},
    {"compare", "experiment"},
    {"ablate", "experiment"},
    {"plan", "experiment"},
    {"report", "report"},
    {"simulate", "experiment"},
    {"output", "io"},
    {"diagrams", "experiment"},
    {"memory", "io"},
    {"aligned_calibrator", "io"},
    {"apply_array", "io"},
    {"finite_scores", "io"},
    {"settings", "fit"},
    {"evaluate", "metrics"},
    {"inspect", "report"},
    {"comparison_run", "report"},
    {"figures", "figure"},
    {"page", "report"},
    {"model_card", "report"},
    {"export", "export"},
    {"files", "io"},
    {"row_files", "io"},
    {"row_parts", "fit"},
    {"row_work", "experiment"},
    {"auto_fit", "experiment"},
    {"loss_parts", "experiment"},
    {"panel", "fit"},
    {"panel_fit", "experiment"},
    {"panel_files", "io"},
    {"checkpoint", "io"},
    {"block_sums", "core"},
    {"solver", "fit"},
    {"second_order", "fit"},
    {"credence", "report"},
    {"results", "report"},
    {"text", "core"},
    {"options", "core"},
    {"evaluation_sums", "metrics"},
    {"evaluation_report", "report"},
};

struct Include {
  std::size_t line;
  std::string path;  ///< as written between quotes or angle brackets
  bool quoted;
};

/// The #include lines of a source text.
std::vector<Include> includes_of(const std::string& text);

/// The layer that `#include "path"` reaches, or empty when the path is not of this project.
std::string layer_of_include(const std::string& path);

/// What is wrong with the includes of a file of `layer`; empty when nothing is.
std::vector<std::string> breaches(const std::string& layer, const std::string& text);

/// Files below `folder` (none when it does not exist) that end in one of `extensions`, sorted.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::set<std::string>& extensions);
/// Every source and header of C++ among them.
std::vector<std::filesystem::path> cpp_files(const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);

}  // namespace credence::architecture
