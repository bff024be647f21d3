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

TEST(Includes, ProgramAndPythonModuleUseOnlyPublicHeadersOfTheLibrary) {
  for (const char* folder : {"cli", "python/bindings"}) {
    const auto files = cpp_files(kRoot / folder);
    EXPECT_FALSE(files.empty()) << folder;
    for (const auto& file : files) {
      for (const Include& include : includes_of(read_file(file))) {
        const bool internal =
            !include.path.starts_with("credence/") && !layer_of_include(include.path).empty();
        EXPECT_FALSE(internal) << file.string() << ":" << include.line << ": '" << include.path
                               << "' is internal; make it public or move it to " << folder;
      }
    }
  }
}

/// The file that an include line of `file` reaches within the library, or empty.
std::filesystem::path reached(const std::filesystem::path& file, const Include& include) {
  for (const auto& folder : {kRoot / "include", kRoot / "src", file.parent_path()}) {
    if (std::filesystem::is_regular_file(folder / include.path)) {
      return std::filesystem::canonical(folder / include.path);
    }
  }
  return {};
}

/// The headers on the way from `file` back to itself, or nothing.
class CycleSearch {
 public:
  std::string from(const std::filesystem::path& file) {
    if (done_.contains(file)) return {};
    const auto open = std::find(way_.begin(), way_.end(), file);
    if (open != way_.end()) {
      std::string cycle;
      for (auto step = open; step != way_.end(); ++step) cycle += step->string() + " -> ";
      return cycle + file.string();
    }
    way_.push_back(file);
    std::string cycle;
    for (const Include& include : includes_of(read_file(file))) {
      const auto next = reached(file, include);
      if (cycle.empty() && !next.empty()) cycle = from(next);
    }
    way_.pop_back();
    done_.insert(file);
    return cycle;
  }

 private:
  std::set<std::filesystem::path> done_;
  std::vector<std::filesystem::path> way_;
};

TEST(Includes, NoHeaderIncludesItselfThroughOthers) {
  CycleSearch search;
  for (const char* folder : {"include", "src", "cli", "python/bindings", "c"}) {
    for (const auto& file : cpp_files(kRoot / folder)) EXPECT_EQ(search.from(file), "");
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
