// What an addition touches: as many files as name one that is there already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "architecture/layers.hpp"

namespace credence::architecture {
namespace {

struct Addition {
  std::string kind;
  std::vector<std::string> names;  ///< of an example and of what belongs to it
  std::size_t most;                ///< files that may name it; CONTRIBUTING says which
  std::string besides = {};        ///< a file that is not counted
};

// An example that other code has no reason to name, so that every file found is one to touch.
const Addition kAdditions[] = {
    {"method", {"\"ats\""}, 1},
    // A row of kMethods that uses it is a method, and not counted.
    {"map", {"ClassTemperatures", "map/class_temperatures.hpp"}, 3, "include/credence/methods.hpp"},
    {"target", {"struct Annotators ", "About<Annotators>", "target/labels.hpp"}, 3},
    {"metric", {"kSmoothEce", "smooth_ece.cpp"}, 2},
    {"reader", {"kDelimitedFormat", "DelimitedScores"}, 2},
    {"layout of votes", {"kLabelStudioLayout", "label-studio"}, 3},
    {"figure", {"std::string confidence_map(", "figure::confidence_map(", "confidence_maps"}, 3},
    {"verb", {"declare_evaluate", "run_evaluate", "EvaluateOptions"}, 2},
    {"option", {"  reliability,\n", "Option::reliability"}, 3},
};

std::vector<std::string> files_with_one_of(const std::vector<std::string>& names) {
  const std::filesystem::path tree = CREDENCE_SOURCE_DIR;
  std::vector<std::string> found;
  for (const char* folder : {"include", "src", "c", "cli", "python/bindings", "python/credence"}) {
    for (const auto& file : files_below(tree / folder, {".hpp", ".cpp", ".inl", ".h", ".py"})) {
      const std::string text = read_file(file);
      const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return text.find(name) != std::string::npos;
      });
      if (named) found.push_back(std::filesystem::relative(file, tree));
    }
  }
  return found;
}

TEST(Additions, TouchFewFiles) {
  for (const Addition& addition : kAdditions) {
    auto files = files_with_one_of(addition.names);
    std::erase(files, addition.besides);
    EXPECT_FALSE(files.empty()) << "no " << addition.kind << " " << addition.names.front();
    EXPECT_LE(files.size(), addition.most)
        << "a new " << addition.kind << " touches " << ::testing::PrintToString(files);
  }
}

}  // namespace
}  // namespace credence::architecture
