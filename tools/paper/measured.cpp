#include "measured.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "credence/io.hpp"

namespace credence::paper {
namespace {

struct Source {
  const char *name, *title;
  bool ablate;
};

constexpr std::array<Source, 5> kSources{{
    {"cifar10h-vgg16", "CIFAR-10H, VGG-16", true},
    {"cifar10h-wrn16-4", "CIFAR-10H, WRN-16-4", false},
    {"cifar10h-lenet5", "CIFAR-10H, LeNet-5 (weak)", false},
    {"chaosnli-roberta-base-s0", "ChaosNLI, RoBERTa-base", true},
    {"dod-h-ens", "Sleep staging DOD-H, ensemble", false},
}};

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

}  // namespace

Measured measure(const std::string& root) {
  Measured all;
  for (const Source& source : kSources) {
    fmt::print(stderr, "{}\n", source.name);
    const Dataset data = load(std::filesystem::path(root) / "data" / source.name);
    RealSet set{.name = source.name, .title = source.title, .comparison = {}, .ablation = {}};
    CompareOptions options;
    options.seeds = {42, 43, 44, 45, 46};
    options.oracle = true;
    set.comparison = compare(data, options);
    if (source.ablate) set.ablation = ablate(data);
    all.sets.push_back(std::move(set));
  }
  fmt::print(stderr, "toy\n");
  all.toy = score_toy(make_toy_data());
  return all;
}

}  // namespace credence::paper
