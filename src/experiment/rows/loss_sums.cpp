#include "experiment/rows/loss_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "metrics/rows/row_score.hpp"

namespace credence::experiment {
namespace {

/// Logarithms are taken this many at a time.
constexpr std::size_t kLogLanes = 8;

std::size_t pairs(std::size_t calibrators) { return calibrators * (calibrators - 1) / 2; }
std::vector<double> slice(std::span<const double> total, std::size_t first, std::size_t count) {
  return {total.begin() + static_cast<std::ptrdiff_t>(first),
          total.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

/// A mean and its standard error from the sum and the sum of squares of n numbers.
PairedLosses::Mean mean_of(double sum, double squares, double n) {
  const double mean = sum / n;
  const double spread = std::max(squares - sum * mean, 0.0);
  const double correction = n > 1.0 ? n / (n - 1.0) : std::numeric_limits<double>::infinity();
  return {mean, std::sqrt(correction * spread) / n};
}

}  // namespace

std::size_t paired_width(std::size_t calibrators) {
  return 1 + 3 * calibrators + pairs(calibrators);
}

std::size_t loss_width(const LossesTask& task, std::size_t classes) {
  const std::size_t m = task.calibrators.size();
  return paired_width(m) + (task.decisions ? m + classes * (4 + m) : 0);
}

void row_losses(const Calibrator& calibrator, Scores scores, const Votes& votes, std::size_t first,
                std::span<double> nll, std::span<std::uint32_t> predicted) {
  const std::size_t rows = scores.rows(), classes = scores.cols();
  Matrix<double> p(rows, classes);
  calibrator.apply(scores, MutRows(p.data(), rows, classes));
  std::vector<double> logs;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const std::uint32_t k : votes.row(first + i).classes) logs.push_back(p(i, k));
  }
  const std::vector<double> chosen = logs;
  for (double& x : logs) x = std::max(x, metrics::kLeastProbability);
  logs.resize((logs.size() + kLogLanes - 1) / kLogLanes * kLogLanes, 1.0);
  core::kernels().f64.log_positive(logs.data(), logs.size());
  std::size_t entry = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (const double weight : votes.row(first + i).weights) {
      if (!(chosen[entry] > metrics::kLeastProbability)) {
        sum = std::numeric_limits<double>::infinity();
      }
      sum -= weight * logs[entry++];
    }
    nll[i] = sum / votes.total(first + i);
    if (predicted.empty()) continue;
    const auto row = std::span<const double>(p.data() + i * classes, classes);
    predicted[i] = static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin());
  }
}

void add_row_losses(std::span<const double> nll, std::size_t calibrators, std::size_t rows,
                    std::span<double> sums) {
  const std::size_t m = calibrators;
  double* const infinite = sums.data() + 1;
  double *const sum = infinite + m, *const square = sum + m, *const gap = square + m;
  sums[0] += static_cast<double>(rows);
  const auto finite = [](double x) { return x < std::numeric_limits<double>::infinity(); };
  for (std::size_t b = 0; b < m; ++b) {
    const double* const of_b = nll.data() + b * rows;
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = finite(of_b[i]) ? of_b[i] : 0.0;
      infinite[b] += finite(of_b[i]) ? 0.0 : 1.0;
      sum[b] += x;
      square[b] += x * x;
    }
    for (std::size_t a = 0; a < b; ++a) {
      const double* const of_a = nll.data() + a * rows;
      double squares = 0.0;
      for (std::size_t i = 0; i < rows; ++i) {
        const double apart = finite(of_a[i]) && finite(of_b[i]) ? of_a[i] - of_b[i] : 0.0;
        squares += apart * apart;
      }
      gap[b * (b - 1) / 2 + a] += squares;
    }
  }
}

void add_losses(const LossesTask& task, Scores scores, const Votes& votes, std::size_t first,
                std::vector<double>& sums) {
  const std::size_t m = task.calibrators.size(), rows = scores.rows(), classes = scores.cols();
  std::vector<double> nll(m * rows);
  std::vector<std::uint32_t> predicted(task.decisions ? m * rows : 0);
  for (std::size_t j = 0; j < m; ++j) {
    row_losses(
        task.calibrators[j], scores, votes, first, std::span(nll).subspan(j * rows, rows),
        task.decisions ? std::span(predicted).subspan(j * rows, rows) : std::span<std::uint32_t>());
  }
  add_row_losses(nll, m, rows, sums);
  if (!task.decisions) return;
  double* const changed = sums.data() + paired_width(m);
  double *const labelled = changed + m, *const hits = labelled + classes;
  double* const count = hits + m * classes;
  double *const agreement = count + classes, *const square = agreement + classes;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t label = votes.voted(first + i), before = predicted[i];
    labelled[label] += 1.0;
    for (std::size_t j = 0; j < m; ++j) {
      const std::uint32_t now = predicted[j * rows + i];
      changed[j] += now != before ? 1.0 : 0.0;
      hits[j * classes + label] += now == label ? 1.0 : 0.0;
    }
    const double share = votes.share(first + i, before);
    count[before] += 1.0;
    agreement[before] += share;
    square[before] += share * share;
  }
}

std::size_t annotation_width(std::size_t classes) { return 10 + 2 * classes; }

void add_annotations(const Votes& votes, std::size_t first, std::size_t count,
                     std::vector<double>& sums) {
  double* const answers = sums.data() + 10;
  double* const chosen = answers + votes.classes();
  std::vector<double> shares;
  for (std::size_t i = first; i < first + count; ++i) {
    const VoteRow row = votes.row(i);
    for (const double c : row.weights) shares.push_back(c / votes.total(i));
  }
  std::vector<double> logs = shares;
  logs.resize((logs.size() + kLogLanes - 1) / kLogLanes * kLogLanes, 1.0);
  for (double& x : logs) x = std::max(x, metrics::kLeastProbability);
  core::kernels().f64.log_positive(logs.data(), logs.size());
  std::size_t entry = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const VoteRow row = votes.row(i);
    const double m = votes.total(i);
    double same = 0.0, most = 0.0;
    bool whole = true, tied = false;
    sums[0] += 1.0;
    sums[1] += m;
    for (std::size_t v = 0; v < row.classes.size(); ++v, ++entry) {
      const double c = row.weights[v];
      sums[2] -= shares[entry] * logs[entry];
      same += c * (c - 1.0);
      whole = whole && c == std::floor(c);
      tied = c == most || (tied && c < most);
      most = std::max(most, c);
      chosen[row.classes[v]] += shares[entry];
    }
    const bool one = std::abs(m - 1.0) <= kShareTolerance;
    sums[3] += tied ? 1.0 : 0.0;
    sums[4] += whole ? 0.0 : 1.0;
    sums[5] += one ? 1.0 : 0.0;
    if (m < 2.0) continue;
    sums[6] += 1.0;
    sums[7] += same / (m * (m - 1.0));
    sums[8] += (m * (m - 1.0) - same) / (m - 1.0);
    sums[9] += m;
    for (std::size_t v = 0; v < row.classes.size(); ++v) answers[row.classes[v]] += row.weights[v];
  }
}

std::pair<double, double> extremes(const Votes& votes) {
  double fewest = votes.total(0), most = fewest;
  for (std::size_t i = 1; i < votes.rows(); ++i) {
    fewest = std::min(fewest, votes.total(i));
    most = std::max(most, votes.total(i));
  }
  return {fewest, most};
}

}  // namespace credence::experiment

namespace credence {

PairedLosses::PairedLosses(std::span<const double> total, std::size_t m)
    : rows(total[0]),
      infinite(experiment::slice(total, 1, m)),
      sum(experiment::slice(total, 1 + m, m)),
      square(experiment::slice(total, 1 + 2 * m, m)),
      gap_square(experiment::slice(total, 1 + 3 * m, experiment::pairs(m))) {}

void PairedLosses::add(const PairedLosses& other) {
  if (rows == 0.0) {
    *this = other;
    return;
  }
  rows += other.rows;
  add_sums(other.infinite, infinite);
  add_sums(other.sum, sum);
  add_sums(other.square, square);
  add_sums(other.gap_square, gap_square);
}

PairedLosses::Mean PairedLosses::of(std::size_t calibrator) const {
  return experiment::mean_of(sum[calibrator], square[calibrator], rows);
}

PairedLosses::Mean PairedLosses::lead(std::size_t other, std::size_t one) const {
  if (other == one) return {};
  const std::size_t a = std::min(other, one), b = std::max(other, one);
  return experiment::mean_of(sum[one] - sum[other], gap_square[b * (b - 1) / 2 + a], rows);
}

PairedDecisions::PairedDecisions(std::span<const double> total, std::size_t m,
                                 std::size_t classes) {
  std::size_t at = experiment::paired_width(m);
  const auto next = [&](std::size_t count) {
    at += count;
    return experiment::slice(total, at - count, count);
  };
  changed = next(m);
  labelled = next(classes);
  hits = next(m * classes);
  predicted = next(classes);
  agreement = next(classes);
  agreement_square = next(classes);
}

AnnotationSums::AnnotationSums(const State& state, std::size_t classes) {
  const std::vector<double> total = state.sums.total();
  rows = total[0];
  votes = total[1];
  entropy = total[2];
  ties = total[3];
  fractional = total[4];
  single = total[5];
  repeated = total[6];
  same_pairs = total[7];
  disagreeing = total[8];
  repeated_votes = total[9];
  answers = experiment::slice(total, 10, classes);
  chosen = experiment::slice(total, 10 + classes, classes);
  // A pair for every piece.
  fewest = state.listed[0];
  most = state.listed[1];
  for (std::size_t i = 2; i < state.listed.size(); i += 2) {
    fewest = std::min(fewest, state.listed[i]);
    most = std::max(most, state.listed[i + 1]);
  }
}

Evidence AnnotationSums::evidence() const {
  if (rows == 0.0) return Evidence::none;
  return fractional == 0.0 && single == rows ? Evidence::annotations : Evidence::distributions;
}

bool AnnotationSums::are_shares() const { return single == rows && fractional > 0.0; }

}  // namespace credence
