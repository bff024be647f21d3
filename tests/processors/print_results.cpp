// Fits every method to data that are the same everywhere and prints a fingerprint of the bits that
// come out, a line per method: its parameters, and its probabilities as double and as float32.
// scripts/compare_processors compares what this prints on several processors.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "credence/auto_fit.hpp"
#include "credence/error.hpp"
#include "credence/fit.hpp"

namespace credence {
namespace {

struct Size {
  std::size_t rows, classes;
};
/// Few and many classes take different kernels, and enough rows lead a fit by samples and in
/// float32.
constexpr Size kSizes[] = {{3000, 10}, {2000, 3}, {600, 40}, {150, 130}, {20000, 10}};
/// `auto` fits every candidate to every fold.
constexpr std::size_t kMostScoresForAuto = 6000;

/// WebAssembly has no threads here; a fit that an emulator would take minutes for is stopped early,
/// to the same bits.
const FitOptions kOptions{.threads = 1, .max_passes = 40};

/// Nearly normal, and exact: four numbers of 16 bits, added and scaled by a power of two.
float score(std::uint64_t row, std::uint64_t k) {
  const std::uint64_t bits = core::random_bits(1, row, k);
  std::int64_t sum = -2 * 0xffff;
  for (int part = 0; part < 4; ++part) sum += (bits >> (16 * part)) & 0xffff;
  return static_cast<float>(sum) * 0x1p-13f;
}

/// Five votes a row, most of them for the class with the highest score.
Votes make_votes(const Matrix<float>& scores) {
  const auto classes = static_cast<std::uint32_t>(scores.cols());
  std::vector<Annotation> votes;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::uint32_t best = 0, second = 1;
    for (std::uint32_t k = 1; k < classes; ++k) {
      if (scores(i, k) > scores(i, best)) {
        second = std::exchange(best, k);
      } else if (k == second || scores(i, k) > scores(i, second)) {
        second = k;
      }
    }
    for (std::uint64_t vote = 0; vote < 5; ++vote) {
      const std::uint64_t bits = core::random_bits(2, i, vote), choice = bits % 16;
      const auto any = static_cast<std::uint32_t>((bits >> 8) % classes);
      votes.push_back({i, choice < 10 ? best : choice < 14 ? second : any});
    }
  }
  return Votes::from_annotations(votes, scores.rows(), classes);
}

class Fingerprint {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const T value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      hash_ = core::mix64(hash_ ^ bits);
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

template <class T>
std::uint64_t of_probabilities(const Calibrator& calibrator, Scores scores) {
  Matrix<T> out(scores.rows(), scores.cols());
  calibrator.apply(scores, out.view());
  Fingerprint bits;
  bits.add(std::span<const T>(out.data(), out.view().size()));
  return bits.value();
}

std::uint64_t of_parameters(const Calibrator& calibrator) {
  Fingerprint bits;
  for (const WeightedStages& part : calibrator.parts()) {
    bits.add(std::span(&part.weight, 1));
    for (const Stage& stage : part.stages) bits.add(std::span(stage.theta));
  }
  return bits.value();
}

void print(const std::string& size, const std::string& method, const Dataset& data) {
  std::printf("%s, %s:", size.c_str(), method.c_str());
  try {
    const Calibrator fitted = fit_any(parse_method(method), data, kOptions);
    const std::uint64_t bits[] = {of_parameters(fitted),
                                  of_probabilities<double>(fitted, data.scores),
                                  of_probabilities<float>(fitted, data.scores)};
    for (const std::uint64_t part : bits) {
      std::printf(" %016llx", static_cast<unsigned long long>(part));
    }
  } catch (const Error& refused) {  // a map that is not for so many classes
    std::printf(" %s", refused.what());
  }
  std::printf("\n");
  std::fflush(stdout);
}

void print_all(const std::string& size, const Dataset& data) {
  for (const Method& method : kMethods) print(size, std::string(method.id), data);
  print(size, "dirichlet-soft then ts", data);
  print(size, "annotators+histogram", data);
  if (data.scores.size() <= kMostScoresForAuto) print(size, "auto", data);
}

std::string in_words(Size size) {
  return std::to_string(size.rows) + " x " + std::to_string(size.classes);
}

void print_logits(Size size, float sharpness = 1.0f) {
  Matrix<float> scores(size.rows, size.classes);
  for (std::size_t i = 0; i < size.rows; ++i) {
    for (std::size_t k = 0; k < size.classes; ++k) scores(i, k) = sharpness * score(i, k);
  }
  print_all(in_words(size) + (sharpness > 1.0f ? " sharp" : ""),
            make_dataset(scores.view(), ScoreKind::logits, make_votes(scores)));
}

/// Shares of whole numbers, every eighth of them 0: logarithms are taken, and zeros raised.
void print_probabilities(Size size) {
  Matrix<float> scores(size.rows, size.classes);
  for (std::size_t i = 0; i < size.rows; ++i) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < size.classes; ++k) {
      const std::uint64_t bits = core::random_bits(3, i, k);
      scores(i, k) = k > 0 && bits % 8 == 0 ? 0.0f : static_cast<float>(1 + (bits >> 48));
      sum += scores(i, k);
    }
    for (float& share : scores.row(i)) share /= sum;
  }
  print_all(in_words(size) + " shares",
            make_dataset(scores.view(), ScoreKind::probs, make_votes(scores)));
}

}  // namespace
}  // namespace credence

int main(int count, const char* const* arguments) {
  using namespace credence;
  if (count == 2 && std::string_view(arguments[1]) == "--kernels") {
    const core::Kernels* sets[core::kMostKernels + 1];
    core::available_kernels(sets);
    for (std::size_t i = 0; sets[i] != nullptr; ++i) std::printf("%s\n", sets[i]->name);
    return 0;
  }
  for (const Size size : kSizes) print_logits(size);
  print_logits({1000, 10}, 16.0f);  // the way to a high temperature is long
  print_probabilities({500, 10});
}
