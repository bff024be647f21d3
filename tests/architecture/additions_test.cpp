// What an addition touches: as many files as name one that is there already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "architecture/layers.hpp"

namespace credence::architecture {
namespace {

struct Addition {
  const char* kind;
  const char* example;  ///< what its files are recognised by
  std::size_t most;     ///< files that may name it; CONTRIBUTING says which
};

// An example that other code has no reason to name, so that every file found is one to touch.
constexpr Addition kAdditions[] = {
    {"method", R"re("ats")re", 1},
    {"reader", R"re(\bkDelimitedFormat\b|\bDelimitedScores\b)re", 2},
    {"verb", R"re(\bdeclare_evaluate\b|\brun_evaluate\b|\bEvaluateOptions\b)re", 2},
};

std::vector<std::string> files_that_name(const std::string& pattern) {
  const std::filesystem::path tree = CREDENCE_SOURCE_DIR;
  const std::regex wanted(pattern);
  std::vector<std::string> found;
  for (const char* folder : {"include", "src", "c", "cli", "python/bindings", "python/credence"}) {
    for (const auto& file : files_below(tree / folder, {".hpp", ".cpp", ".inl", ".h", ".py"})) {
      if (std::regex_search(read_file(file), wanted)) {
        found.push_back(std::filesystem::relative(file, tree));
      }
    }
  }
  return found;
}

TEST(Additions, TouchFewFiles) {
  for (const Addition& addition : kAdditions) {
    const auto files = files_that_name(addition.example);
    EXPECT_FALSE(files.empty()) << addition.kind << ": " << addition.example << " is not there";
    EXPECT_LE(files.size(), addition.most)
        << "a new " << addition.kind << " touches " << ::testing::PrintToString(files);
  }
}

}  // namespace
}  // namespace credence::architecture
