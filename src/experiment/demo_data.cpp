#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/random.hpp"
#include "credence/demo.hpp"
#include "credence/error.hpp"

namespace credence {
namespace {

constexpr std::size_t kClasses = 5;
using PerClass = std::array<double, kClasses>;

struct Point {
  double x, y;
};

struct Animal {
  const char* name;
  Point place;  // near neighbours are the ones that annotators mix up
  double bias;  // how much the model favours the class, in logits
};
constexpr std::array<Animal, kClasses> kAnimals{{
    {"cat", {-2.2, 0.8}, 0.6},
    {"lynx", {-1.6, -0.9}, -0.8},
    {"fox", {0.4, 1.7}, 0.2},
    {"dog", {1.6, 0.1}, 1.0},
    {"wolf", {2.3, -1.3}, -1.0},
}};

constexpr double kScatter = 1.0;     // of pictures around their animal's place
constexpr double kModelNoise = 0.5;  // how far off the model sees a picture
constexpr double kModelGain = 4.0;   // how much too sure the model is

// Streams of one row; votes start at kVotes.
enum Stream : std::uint64_t { kWhich = 0, kPicture = 1, kSeen = 3, kVotes = 16 };

/// Two independent standard normals (Box and Muller 1958). 1 - u keeps the logarithm finite.
Point normals(std::uint64_t seed, std::uint64_t row, std::uint64_t s) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - core::uniform(seed, row, s)));
  const double angle = 2.0 * std::numbers::pi * core::uniform(seed, row, s + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Unnormalised log-probability of each animal at a point, by Bayes' rule with equal priors.
PerClass log_likelihoods(Point at) {
  PerClass logs{};
  for (std::size_t k = 0; k < kClasses; ++k) {
    const double dx = at.x - kAnimals[k].place.x, dy = at.y - kAnimals[k].place.y;
    logs[k] = -(dx * dx + dy * dy) / (2.0 * kScatter * kScatter);
  }
  return logs;
}

std::uint32_t draw(const PerClass& logs, double u) {
  const double top = *std::max_element(logs.begin(), logs.end());
  PerClass weights{};
  double sum = 0.0;
  for (std::size_t k = 0; k < kClasses; ++k) sum += weights[k] = std::exp(logs[k] - top);
  double rest = u * sum;
  for (std::uint32_t k = 0; k + 1 < kClasses; ++k) {
    if (rest < weights[k]) return k;
    rest -= weights[k];
  }
  return kClasses - 1;
}

}  // namespace

DemoData make_demo_data(const DemoOptions& options) {
  if (options.rows == 0 || options.annotators < 1) {
    throw Error(ErrorCode::usage, "demo data need at least one example and one annotator");
  }
  // A stream apart: whoever draws from these votes with the same seed must get fresh numbers.
  const std::uint64_t seed = core::mix64(options.seed ^ 0x64656d6f64617461ULL);
  DemoData data;
  for (const Animal& animal : kAnimals) data.classes.emplace_back(animal.name);
  data.logits = Matrix<float>(options.rows, kClasses);
  std::vector<Annotation> annotations;
  annotations.reserve(options.rows * static_cast<std::size_t>(options.annotators));
  for (std::size_t i = 0; i < options.rows; ++i) {
    const auto which = static_cast<std::size_t>(core::uniform(seed, i, kWhich) * double{kClasses});
    const Point shift = normals(seed, i, kPicture);
    const Point picture{kAnimals[which].place.x + kScatter * shift.x,
                        kAnimals[which].place.y + kScatter * shift.y};
    const PerClass truth = log_likelihoods(picture);
    for (int a = 0; a < options.annotators; ++a) {
      const double u = core::uniform(seed, i, kVotes + static_cast<std::uint64_t>(a));
      annotations.push_back({.example = i, .label = draw(truth, u)});
    }
    const Point error = normals(seed, i, kSeen);
    const PerClass seen =
        log_likelihoods({picture.x + kModelNoise * error.x, picture.y + kModelNoise * error.y});
    for (std::size_t k = 0; k < kClasses; ++k) {
      data.logits(i, k) = static_cast<float>(kModelGain * seen[k] + kAnimals[k].bias);
    }
  }
  data.votes = Votes::from_annotations(annotations, options.rows, kClasses);
  return data;
}

}  // namespace credence
