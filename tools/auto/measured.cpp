#include "measured.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "credence/ablate.hpp"
#include "credence/auto_fit.hpp"
#include "credence/compare.hpp"
#include "credence/io.hpp"

namespace credence::auto_table {
namespace {

struct Source {
  const char *name, *title;
};
constexpr std::array<Source, 4> kSources{{
    {"cifar10h-vgg16", "CIFAR-10H, VGG-16"},
    {"cifar10h-lenet5", "CIFAR-10H, LeNet-5"},
    {"chaosnli-roberta-base-s0", "ChaosNLI, RoBERTa-base"},
    {"dod-h-ens", "DOD-H, ensemble"},
}};
constexpr std::array<std::uint64_t, 5> kSeeds{42, 43, 44, 45, 46};

/// Where every row has one vote, a method fitted to annotators' shares is the one that is fitted to
/// labels: these are the same.
struct Pair {
  const char *name, *of_labels;
};
constexpr std::array<Pair, 5> kFew{{{"uncalibrated", "uncalibrated"},
                                    {"slts", "ts"},
                                    {"soft-platt", "platt"},
                                    {"dirichlet-soft", "dirichlet-hard"},
                                    {"auto", "auto"}}};

Dataset load(const std::filesystem::path& folder) {
  io::DatasetFiles files;
  files.scores = {.path = (folder / "logits.npy").string(), .kind = ScoreKind::logits};
  files.votes = (folder / "counts.npy").string();
  files.classes = io::read_class_list((folder / "classes.txt").string());
  if (std::filesystem::exists(folder / "groups.npy")) {
    files.groups = (folder / "groups.npy").string();
  }
  return io::load_dataset(files).data;
}

double nll(const std::string& method, const Dataset& calibration, const Dataset& test) {
  const Calibrator calibrator = fit_any(parse_method(method), calibration);
  MetricOptions options;
  options.draws = 0;
  options.keep_rows = false;
  const auto value = score(calibrator, test, options, 0)["nll"];
  return value ? *value : INFINITY;
}

/// `rows` of the calibration rows, with at most `votes` votes each.
Dataset part_of(const Dataset& calibration, const Setting& setting, std::uint64_t seed) {
  Dataset part = calibration;
  if (setting.rows > 0) {
    const double share =
        static_cast<double>(setting.rows) / static_cast<double>(calibration.rows());
    part = calibration.select(stratified_split(calibration.votes, share, seed).calibration);
  }
  if (setting.votes > 0) part.votes = subsample_votes(part.votes, setting.votes, seed);
  return part;
}

}  // namespace

Measured measure(const std::string& root) {
  Measured all;
  for (const std::size_t rows : {50, 100, 200, 500}) {
    for (const int votes : {1, 2, 3}) all.settings.push_back({rows, votes});
  }
  constexpr double kShare = 1.0 / static_cast<double>(kSeeds.size());
  for (const Source& source : kSources) {
    const Dataset data = load(std::filesystem::path(root) / "data" / source.name);
    MeasuredSet set{.name = source.name, .title = source.title, .all = {}, .few = {}};
    set.classes = data.classes_count();
    set.few.resize(all.settings.size());
    for (const std::uint64_t seed : kSeeds) {
      fmt::print(stderr, "{} {}\n", source.name, seed);
      const Split split = make_split(data, 0.5, seed);
      const Dataset calibration = data.select(split.calibration);
      const Dataset test = data.select(split.evaluation);
      set.calibration_rows = calibration.rows();
      for (const Method& method : kMethods) {
        const std::string name(method.id);
        set.all[name] += kShare * nll(name, calibration, test);
      }
      set.all["auto"] += kShare * nll("auto", calibration, test);
      for (std::size_t s = 0; s < all.settings.size(); ++s) {
        const Dataset part = part_of(calibration, all.settings[s], seed);
        const bool labels = part.evidence() < Evidence::distributions;
        for (const Pair& method : kFew) {
          set.few[s][method.name] +=
              kShare * nll(labels ? method.of_labels : method.name, part, test);
        }
      }
    }
    all.sets.push_back(std::move(set));
  }
  return all;
}

}  // namespace credence::auto_table
