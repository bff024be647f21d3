#include "experiment/perfect_errors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"

namespace credence::experiment {
namespace {

constexpr std::uint64_t kPerfectStream = 0x70657266656374ULL;
constexpr double kMostWork = 1e9;  // votes times classes; beyond that an even sample of the rows

/// Votes of one example, drawn from its probabilities.
class DrawnVotes {
 public:
  explicit DrawnVotes(std::size_t classes) : sums_(classes), counts_(classes) {}

  void draw(std::span<const double> probabilities, std::size_t votes, std::uint64_t seed,
            std::size_t row) {
    double sum = 0.0;
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] = sum += probabilities[k];
    std::ranges::fill(counts_, 0.0);
    for (std::size_t s = 0; s < votes; ++s) {
      const double at = sum * core::uniform(seed, row, s);
      const auto found = std::ranges::upper_bound(sums_, at);
      const auto k = static_cast<std::size_t>(found - sums_.begin());
      counts_[std::min(k, sums_.size() - 1)] += 1.0;
    }
    votes_ = static_cast<double>(votes);
  }
  double share(std::size_t k) const { return counts_[k] / votes_; }
  double entropy() const {
    double sum = 0.0;
    for (const double count : counts_) {
      if (count > 0.0) sum -= count / votes_ * std::log(count / votes_);
    }
    return sum;
  }

 private:
  std::vector<double> sums_, counts_;
  double votes_ = 0.0;
};

/// The largest entropy in each bin: rows by entropy, cut where the counts say.
std::vector<double> upper_limits(const Evaluation& evaluation) {
  std::vector<double> sorted(examples(evaluation).entropy.begin(),
                             examples(evaluation).entropy.end());
  std::ranges::sort(sorted);
  std::vector<double> limits;
  std::size_t end = 0;
  for (const EntropyBin& bin : evaluation.pointwise_by_entropy) {
    end += bin.count;
    limits.push_back(sorted[end - 1]);
  }
  return limits;
}

}  // namespace

void add_perfect_errors(Evaluation& evaluation, const Calibrator& calibrator, const Dataset& test,
                        std::uint64_t seed) {
  if (evaluation.pointwise_by_entropy.empty()) return;
  const std::vector<double> limits = upper_limits(evaluation);
  const std::size_t classes = test.classes_count();
  double work = 0.0;
  for (std::size_t i = 0; i < test.rows(); ++i) work += test.votes.total(i);
  const auto step = static_cast<std::size_t>(
      std::ceil(std::max(1.0, work * static_cast<double>(classes) / kMostWork)));
  const std::uint64_t own = core::mix64(seed ^ kPerfectStream);
  struct Sums {
    double error = 0.0;
    std::size_t rows = 0;
  };
  std::vector<Sums> bins(limits.size());
  DrawnVotes drawn(classes);
  Matrix<double> p(1, classes);
  for (std::size_t i = 0; i < test.rows(); i += step) {
    calibrator.apply(test.scores.block(i, 1), p.view());
    const auto row = std::as_const(p).view().row(0);
    drawn.draw(row, static_cast<std::size_t>(test.votes.total(i)), own, i);
    const auto top = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    // The same votes summed in another order may differ in the last bit.
    const double entropy = drawn.entropy() - 1e-12;
    const auto place = std::ranges::lower_bound(limits, entropy);
    const auto b = std::min(static_cast<std::size_t>(place - limits.begin()), bins.size() - 1);
    bins[b].error += std::abs(row[top] - drawn.share(top));
    ++bins[b].rows;
  }
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (bins[b].rows == 0) continue;
    evaluation.pointwise_by_entropy[b].perfect = bins[b].error / static_cast<double>(bins[b].rows);
  }
}

}  // namespace credence::experiment
