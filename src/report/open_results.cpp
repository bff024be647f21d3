// Folders and files of results, whichever they are.
#include <fmt/format.h>

#include <filesystem>

#include "credence/error.hpp"
#include "credence/page.hpp"
#include "io/bytes/text_lines.hpp"
#include "report/read_results.hpp"

namespace credence::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint =
    "give the folder that ‹compare()› wrote with ‹results_folder=DIR›, or its results.json";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

class Gathered {
 public:
  void add(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) {
      if (path.filename() == "points.csv") return add_toy(path);
      return add_results(path);
    }
    const fs::path results = path / "results.json", toy = path / "points.csv";
    if (is_file(results)) add_results(results);
    if (is_file(toy)) add_toy(toy);
    if (!is_file(results) && !is_file(toy)) {
      throw Error(ErrorCode::io, fmt::format("{}: no results.json in this folder", path.string()),
                  kHint);
    }
  }

  Results finish(const std::vector<std::string>& paths, const PageOptions& options) {
    if (!results_) {
      throw Error(ErrorCode::usage, fmt::format("no comparison among {}", fmt::join(paths, ", ")),
                  kHint);
    }
    const fs::path folder = fs::path(results_->origin).parent_path();
    if (ablations_.empty() && is_file(folder / "ablation.json"))
      add_results(folder / "ablation.json");
    results_->ablations = std::move(ablations_);
    results_->toy = std::move(toy_);
    if (options.embed_examples > 0) {
      const fs::path examples = folder / "evaluation.csv";
      if (!is_file(examples)) {
        throw Error(ErrorCode::io,
                    fmt::format("{}: not there, so no examples can be embedded", examples.string()),
                    "run ‹compare()› again with ‹examples›, or leave ‹embed_examples› out");
      }
      results_->examples = read_examples(examples.string(), options.embed_examples);
    }
    return std::move(*results_);
  }

 private:
  void add_results(const fs::path& path) {
    const std::string name = path.string(), text = io::read_text(name);
    if (results_format(text, name) == "credence-ablation") {
      ablations_.push_back(parse_ablation(text, name));
      return;
    }
    if (results_) {
      throw Error(
          ErrorCode::usage,
          fmt::format("{} and {} are two comparisons; a report shows one", results_->origin, name),
          "write a report for each");
    }
    results_ = parse_results(text, name);
  }

  void add_toy(const fs::path& path) { toy_ = read_toy_points(path.string()); }

  std::optional<Results> results_;
  std::vector<AblationRecord> ablations_;
  std::vector<ToyPointRecord> toy_;
};

}  // namespace

Results read_results(const std::vector<std::string>& paths, const PageOptions& options) {
  Gathered gathered;
  for (const std::string& path : paths) gathered.add(path);
  return gathered.finish(paths, options);
}

}  // namespace credence::report
