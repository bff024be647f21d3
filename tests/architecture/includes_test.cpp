// Data flows one way: the include lines of the tree say so, and stay so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "architecture/layers.hpp"

namespace credence::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path kRoot = CREDENCE_SOURCE_DIR;

TEST(IncludeChecker, SeesABreachOfTheDirection) {
  EXPECT_THAT(breaches("metrics", "#include <vector>\n#include \"fit/newton.hpp\"\n"),
              ElementsAre(HasSubstr("2: layer 'metrics' may not include 'fit/newton.hpp'")));
  EXPECT_THAT(breaches("fit", "#include \"credence/io.hpp\"\n"), ElementsAre(HasSubstr("'io'")));
  EXPECT_THAT(breaches("dataset", "  #  include \"credence/target.hpp\" // why\n"),
              ElementsAre(HasSubstr("'target'")));
}

TEST(IncludeChecker, AllowsEarlierLayersCoreAndOthersLibraries) {
  EXPECT_THAT(breaches("fit",
                       "#include \"credence/dataset.hpp\"\n#include \"core/parallel.hpp\"\n"
                       "#include <Eigen/Dense>\n#include \"fit/newton.hpp\"\n"),
              IsEmpty());
}

TEST(Includes, EveryLayerOfTheLibraryIncludesOnlyEarlierLayers) {
  std::size_t seen = 0;
  for (const auto& [layer, allowed] : kMayInclude) {
    for (const auto& file : cpp_files(kRoot / "src" / layer)) {
      ++seen;
      for (const std::string& breach : breaches(layer, read_file(file))) {
        ADD_FAILURE() << file.string() << ":" << breach;
      }
    }
  }
  EXPECT_GT(seen, 0u) << "no sources below " << kRoot / "src";
}

TEST(Includes, EveryFolderOfTheLibraryIsAKnownLayer) {
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "src")) {
    EXPECT_TRUE(kMayInclude.contains(entry.path().filename()))
        << entry.path() << ": add it to kMayInclude in tests/architecture/layers.hpp";
  }
}

TEST(Includes, PublicHeadersIncludeOnlyTheStandardLibraryAndEarlierPublicHeaders) {
  for (const auto& file : cpp_files(kRoot / "include")) {
    const std::string text = read_file(file);
    const auto layer = kLayerOfPublicHeader.find(file.stem());
    ASSERT_NE(layer, kLayerOfPublicHeader.end())
        << file << ": add it to kLayerOfPublicHeader in tests/architecture/layers.hpp";
    for (const std::string& breach : breaches(layer->second, text)) {
      ADD_FAILURE() << file.string() << ":" << breach;
    }
    for (const Include& include : includes_of(text)) {
      const bool standard =
          !include.quoted && include.path.find_first_of("./") == std::string::npos;
      const bool ours = include.quoted && include.path.starts_with("credence/");
      EXPECT_TRUE(standard || ours)
          << file.string() << ":" << include.line << ": a public header may not include '"
          << include.path << "': users would need it as well";
    }
  }
}

TEST(Includes, TheProgramUsesOnlyCoreAndPublicHeadersOfTheLibrary) {
  for (const auto& file : cpp_files(kRoot / "cli")) {
    for (const Include& include : includes_of(read_file(file))) {
      const std::string layer = layer_of_include(include.path);
      const bool internal =
          !include.path.starts_with("credence/") && !layer.empty() && layer != "core";
      EXPECT_FALSE(internal) << file.string() << ":" << include.line << ": cli may not include '"
                             << include.path << "'; make it public or move it to cli/";
    }
  }
}

TEST(Includes, TheLibraryNeverPrints) {
  for (const auto& file : cpp_files(kRoot / "src")) {
    for (const Include& include : includes_of(read_file(file))) {
      EXPECT_NE(include.path, "iostream")
          << file.string() << ":" << include.line << ": return a note instead; only cli/ prints";
    }
  }
}

TEST(Sources, NoFileIsLongerThanFiveHundredLines) {
  for (const char* folder : {"include", "src", "c", "cli", "tests", "bench", "examples"}) {
    for (const auto& file : cpp_files(kRoot / folder)) {
      const std::string text = read_file(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 500)
          << file.string() << ": one idea per file";
    }
  }
}

}  // namespace
}  // namespace credence::architecture
