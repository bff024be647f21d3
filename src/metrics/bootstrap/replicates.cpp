#include "metrics/bootstrap/replicates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "metrics/bootstrap/interval.hpp"
#include "metrics/rows/scored.hpp"

namespace credence::metrics {
namespace {

class Estimates {
 public:
  Estimates(std::span<const Evaluation> evaluations, std::span<const Replicates> replicates,
            std::size_t units, std::span<const std::size_t> references,
            const BootstrapOptions& options)
      : evaluations_(evaluations),
        replicates_(replicates),
        units_(units),
        references_(references),
        options_(options) {}

  BootstrapResult all() const {
    BootstrapResult result;
    result.protocol = options_;
    result.units = units_;
    result.estimates.resize(evaluations_.size());
    result.differences.resize(references_.size());
    for (auto& of_reference : result.differences) of_reference.resize(evaluations_.size());
    core::parallel_for(core::resolve_threads(options_.threads), evaluations_.size(),
                       [&](std::size_t e) {
                         result.estimates[e] = estimates(e);
                         for (std::size_t q = 0; q < references_.size(); ++q) {
                           result.differences[q][e] = differences(e, q);
                         }
                       });
    return result;
  }

 private:
  static std::vector<Estimate> blank(const Evaluation& evaluation) {
    std::vector<Estimate> estimates;
    for (const MetricValue& metric : evaluation.metrics) {
      estimates.push_back({metric.name, metric.value, {}, {}, {}});
    }
    return estimates;
  }

  static std::span<const double> row(const Replicates& of, const std::vector<double>& table,
                                     std::size_t j) {
    return {table.data() + j * of.resamples, of.resamples};
  }

  /// Metric j with its errors; those of a difference for q >= 1, whose values come separately.
  Resampled resampled(const Replicates& own, std::size_t j, std::size_t q) const {
    Resampled out;
    out.value = own.points[j];
    out.values = row(own, own.values, j);
    if (definitions()[own.metrics[j]]->is_mean()) out.mean_of = units_;
    if (own.errors.empty()) return out;
    out.standard_error = own.point_errors[q][j];
    out.standard_errors = row(own, own.errors[q], j);
    return out;
  }

  std::vector<Estimate> estimates(std::size_t e) const {
    const Replicates& own = replicates_[e];
    std::vector<Estimate> out = blank(evaluations_[e]);
    for (std::size_t j = 0; j < own.metrics.size(); ++j) {
      Estimate& estimate = out[own.metrics[j]];
      fill_interval(resampled(own, j, 0), options_, estimate);
      if (const auto error = definitions()[own.metrics[j]]->of_gaps) {
        invert(*own.gaps, *error, estimate);
      }
    }
    return out;
  }

  void invert(const ResampledGaps& gaps, OfGaps error, Estimate& estimate) const {
    estimate.low = estimate.high = std::nullopt;
    const auto found = gaps.interval(error, options_.level, units_);
    if (!found) return;
    estimate.low = found->low;
    // Near calibration a magnitude is so much too large that the interval ends below it. Nobody is
    // served by a number outside its own interval, and a wider one is no less true.
    estimate.high =
        error == OfGaps::magnitude ? std::max(found->high, *estimate.value) : found->high;
  }

  /// Evaluation e less reference number q.
  std::vector<Estimate> differences(std::size_t e, std::size_t q) const {
    const Replicates &own = replicates_[e], &other = replicates_[references_[q]];
    std::vector<Estimate> out = blank(evaluations_[e]);
    for (std::size_t m = 0; m < out.size(); ++m) {
      const auto& value = evaluations_[references_[q]].metrics[m].value;
      out[m].value = out[m].value && value ? std::optional(*out[m].value - *value) : std::nullopt;
    }
    std::vector<double> off(own.resamples);
    for (std::size_t j = 0; j < own.metrics.size(); ++j) {
      const auto found = std::find(other.metrics.begin(), other.metrics.end(), own.metrics[j]);
      if (found == other.metrics.end()) continue;
      const auto k = static_cast<std::size_t>(found - other.metrics.begin());
      const auto mine = row(own, own.values, j), theirs = row(other, other.values, k);
      for (std::size_t r = 0; r < own.resamples; ++r) off[r] = mine[r] - theirs[r];
      Resampled difference = resampled(own, j, 1 + q);
      difference.value -= other.points[k];
      if (definitions()[own.metrics[j]]->of_gaps == OfGaps::square) centre(off, difference.value);
      difference.values = off;
      fill_interval(difference, options_, out[own.metrics[j]]);
    }
    return out;
  }

  /// A resample takes off the chance in itself but not that in the rows it is drawn from, which
  /// moves all resampled values alike.
  static void centre(std::vector<double>& values, double about) {
    double mean = 0.0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    if (mean == about) return;
    for (double& v : values) v += about - mean;
  }

  std::span<const Evaluation> evaluations_;
  std::span<const Replicates> replicates_;
  std::size_t units_;
  std::span<const std::size_t> references_;
  const BootstrapOptions& options_;
};

}  // namespace

void refuse_bootstrap(const std::string& message, std::string hint) {
  throw Error(ErrorCode::usage, "bootstrap: " + message, std::move(hint));
}

void check_bootstrap(std::size_t evaluations, std::span<const std::size_t> references,
                     const BootstrapOptions& options) {
  if (evaluations == 0) refuse_bootstrap("no evaluations given");
  if (options.resamples < 2 || options.resamples > kMaxResamples) {
    refuse_bootstrap(
        fmt::format("resamples = {}; wanted 2 to {}", options.resamples, kMaxResamples));
  }
  if (!(options.level > 0.0 && options.level < 1.0)) {
    refuse_bootstrap(fmt::format("level = {}; wanted a number between 0 and 1", options.level));
  }
  for (const std::size_t reference : references) {
    if (reference >= evaluations) {
      refuse_bootstrap(fmt::format("reference {} of {} evaluations", reference, evaluations));
    }
  }
}

void check_same_rows(std::span<const Evaluation> evaluations,
                     std::span<const std::uint32_t> groups) {
  const Evaluation& first = evaluations.front();
  for (const Evaluation& evaluation : evaluations) {
    // Equal votes have equal entropies, to the bit; other votes rarely do.
    if (evaluation.kept->entropy != first.kept->entropy || evaluation.classes != first.classes) {
      refuse_bootstrap("the evaluations are not of the same votes");
    }
  }
  if (!groups.empty() && groups.size() != first.rows) {
    refuse_bootstrap(fmt::format("{} groups for {} rows", groups.size(), first.rows));
  }
}

Replicates::Replicates(const ResampledMetrics& of, const Summary& summary,
                       const BootstrapOptions& options)
    : resamples(static_cast<std::size_t>(options.resamples)),
      metrics(of.indices().begin(), of.indices().end()),
      values(of.size() * resamples) {
  for (std::size_t j = 0; j < of.size(); ++j) points.push_back(of.point(j));
  gaps.emplace(summary, resamples, options.seed);
}

void Replicates::take(const ResampledMetrics& of, const Layout& layout,
                      std::span<const double> sums, std::size_t lanes, std::size_t r,
                      std::size_t count) {
  std::vector<double> found(of.size() * lanes);
  of.values(sums, lanes, found);
  for (std::size_t j = 0; j < of.size(); ++j) {
    std::copy_n(found.data() + j * lanes, count, values.data() + j * resamples + r);
  }
  gaps->take(layout, sums, lanes, r, count);
}

BootstrapResult estimate(std::span<const Evaluation> evaluations,
                         std::span<const Replicates> replicates, std::size_t units,
                         std::span<const std::size_t> references, const BootstrapOptions& options) {
  return Estimates(evaluations, replicates, units, references, options).all();
}

}  // namespace credence::metrics
