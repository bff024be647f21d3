// Resampling by weights on sums: no row is copied and nothing is scored again.
#include "credence/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "metrics/bootstrap/interval.hpp"
#include "metrics/bootstrap/inverted_interval.hpp"
#include "metrics/bootstrap/redraw_votes.hpp"
#include "metrics/bootstrap/resample_subject.hpp"
#include "metrics/bootstrap/resample_weights.hpp"

namespace credence {
namespace metrics {
namespace {

constexpr int kMostResamples = 1'000'000;
/// Evaluations are resampled together, sharing weights, up to this much memory for their pairs.
constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

[[noreturn]] void refuse(const std::string& message, std::string hint = {}) {
  throw Error(ErrorCode::usage, "bootstrap: " + message, std::move(hint));
}

void check(std::span<const Evaluation> evaluations, std::span<const std::uint32_t> groups,
           std::span<const std::size_t> references, const BootstrapOptions& options) {
  if (evaluations.empty()) refuse("no evaluations given");
  if (options.resamples < 2 || options.resamples > kMostResamples) {
    refuse(fmt::format("resamples = {}; wanted 2 to {}", options.resamples, kMostResamples));
  }
  if (!(options.level > 0.0 && options.level < 1.0)) {
    refuse(fmt::format("level = {}; wanted a number between 0 and 1", options.level));
  }
  for (const std::size_t reference : references) {
    if (reference >= evaluations.size()) {
      refuse(fmt::format("reference {} of {} evaluations", reference, evaluations.size()));
    }
  }
  for (const Evaluation& evaluation : evaluations) {
    if (!evaluation.kept) refuse("rows were not kept", "evaluate with MetricOptions::keep_rows");
    // Equal votes have equal entropies, to the bit; other votes rarely do.
    if (evaluation.kept->entropy != evaluations.front().kept->entropy ||
        evaluation.classes != evaluations.front().classes) {
      refuse("the evaluations are not of the same votes");
    }
  }
  if (!groups.empty() && groups.size() != evaluations.front().rows) {
    refuse(fmt::format("{} groups for {} rows", groups.size(), evaluations.front().rows));
  }
  if (!options.annotators) return;
  if (options.kind == IntervalKind::studentised) {
    refuse("studentised intervals cannot redraw annotators", "use percentile intervals");
  }
  for (const Evaluation& evaluation : evaluations) {
    if (!evaluation.kept->own_votes) {
      refuse("the votes were not kept", "evaluate with MetricOptions::keep_votes");
    }
    if (!evaluation.kept->summary.votes_are_counts) {
      throw Error(ErrorCode::evidence,
                  "annotators cannot be redrawn: the votes are shares or fractional weights, which "
                  "do not tell how many annotators there were",
                  "give counts of votes, or resample examples alone");
    }
  }
}

/// Everything resampled for one evaluation; entry [j * resamples + r] belongs to metric j of its
/// subject in resample r.
struct Replicates {
  std::vector<std::size_t> metrics;
  std::vector<double> points, values;
  // Only for studentised intervals: of the rows as they are and of the resamples; first the errors
  // of the metric itself, then those of its difference from each reference.
  std::vector<std::vector<double>> point_errors, errors;
  std::optional<ResampledGaps> gaps;
};

class Resampler {
 public:
  Resampler(std::span<const Evaluation> evaluations, std::span<const std::uint32_t> groups,
            std::span<const std::size_t> references, const BootstrapOptions& options)
      : evaluations_(evaluations),
        references_(references),
        options_(options),
        units_(evaluations.front().rows, groups),
        resamples_(static_cast<std::size_t>(options.resamples)),
        blocks_((resamples_ + kLanes - 1) / kLanes),
        replicates_(evaluations.size()) {}

  BootstrapResult run() {
    const bool studentised = options_.kind == IntervalKind::studentised;
    if (studentised) {
      for (const std::size_t reference : references_) {
        reference_subjects_.emplace_back(evaluations_[reference], units_, true);
      }
    }
    for (std::size_t first = 0; first < evaluations_.size();) {
      // The subjects of a batch share the weights.
      std::size_t bytes = 0, next = first;
      while (next < evaluations_.size() && (next == first || bytes < kBatchBytes)) {
        bytes += pair_bytes(*evaluations_[next++].kept);
      }
      const int threads = core::resolve_threads(options_.threads);
      std::vector<std::optional<ResampleSubject>> made(next - first);
      const auto make = [&](std::size_t e) {
        made[e].emplace(evaluations_[first + e], units_, studentised, e > 0 ? &*made[0] : nullptr);
        prepare(*made[e], replicates_[first + e]);
      };
      make(0);
      core::parallel_for(threads, made.size() - 1, [&](std::size_t e) { make(1 + e); });
      std::vector<ResampleSubject> batch;
      for (auto& subject : made) batch.push_back(std::move(*subject));
      core::parallel_for(threads, blocks_, [&](std::size_t block) {
        resample_block(block, batch, first);
        report(static_cast<double>(batch.size()) / static_cast<double>(blocks_));
      });
      first = next;
    }
    return summarise();
  }

 private:
  void prepare(const ResampleSubject& subject, Replicates& out) const {
    const std::size_t count = subject.metrics().size();
    out.metrics.assign(subject.metrics().begin(), subject.metrics().end());
    for (std::size_t j = 0; j < count; ++j) out.points.push_back(subject.point(j));
    out.values.resize(count * resamples_);
    out.gaps.emplace(subject.scored(), resamples_, options_.seed);
    if (options_.kind != IntervalKind::studentised) return;
    out.errors.assign(1 + references_.size(), std::vector<double>(count * resamples_));
    out.point_errors.assign(1 + references_.size(), {});
    // The errors of the rows as they are: all weights 1.
    std::vector<double> sums(parts() * count, 0.0), terms(sums.size());
    for (std::size_t u = 0; u < units_.count; ++u) {
      fill_terms(subject, u, terms);
      for (std::size_t t = 0; t < terms.size(); ++t) sums[t] += terms[t];
    }
    const auto units = static_cast<double>(units_.count);
    for (std::size_t q = 0; q < out.point_errors.size(); ++q) {
      for (std::size_t j = 0; j < count; ++j) {
        out.point_errors[q].push_back(
            influence_error(units, sums[2 * q * count + j], sums[(2 * q + 1) * count + j]));
      }
    }
  }

  /// Influences and their squares: of the metrics, then of the differences from each reference.
  std::size_t parts() const { return 2 + 2 * references_.size(); }

  void fill_terms(const ResampleSubject& subject, std::size_t u, std::vector<double>& terms) const {
    const std::size_t count = subject.metrics().size();
    const double* const influence = subject.influences().data() + u * count;
    for (std::size_t j = 0; j < count; ++j) {
      terms[j] = influence[j];
      terms[count + j] = influence[j] * influence[j];
    }
    for (std::size_t q = 0; q < reference_subjects_.size(); ++q) {
      const ResampleSubject& reference = reference_subjects_[q];
      const auto others = reference.metrics();
      const double* const other = reference.influences().data() + u * others.size();
      double* const out = terms.data() + (2 + 2 * q) * count;
      for (std::size_t j = 0, k = 0; j < count; ++j) {
        while (k < others.size() && others[k] < subject.metrics()[j]) ++k;
        const bool paired = k < others.size() && others[k] == subject.metrics()[j];
        const double difference = paired ? influence[j] - other[k] : 0.0;
        out[j] = difference;
        out[count + j] = difference * difference;
      }
    }
  }

  void resample_block(std::size_t block, std::span<const ResampleSubject> batch,
                      std::size_t first) {
    std::vector<std::uint8_t> weights;
    draw_weights(options_.seed, block, units_.count, weights);
    const std::size_t lanes = std::min(kLanes, resamples_ - block * kLanes);
    if (options_.annotators) return redraw_block(block, lanes, weights, batch, first);
    std::vector<double> of_base, sums, values;
    for (std::size_t e = 0; e < batch.size(); ++e) {
      const ResampleSubject& subject = batch[e];
      subject.add_up(weights.data(), of_base, sums);
      if (e == 0) of_base = sums;
      values.resize(subject.metrics().size() * kLanes);
      subject.values(sums, kLanes, values);
      store(values, kLanes, block * kLanes, lanes, replicates_[first + e]);
      replicates_[first + e].gaps->take(subject.layout(), sums, kLanes, block * kLanes, lanes);
      if (options_.kind == IntervalKind::studentised) {
        errors_block(block, lanes, weights, subject, replicates_[first + e]);
      }
    }
  }

  void redraw_block(std::size_t block, std::size_t lanes, std::span<const std::uint8_t> weights,
                    std::span<const ResampleSubject> batch, std::size_t first) {
    std::vector<std::uint8_t> of_row(units_.of_row.size());
    std::vector<double> values;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t i = 0; i < of_row.size(); ++i) {
        of_row[i] = weights[units_.of_row[i] * kLanes + lane];
      }
      const std::size_t r = block * kLanes + lane;
      const auto sums = redrawn_sums(batch, of_row, options_.seed, r);
      for (std::size_t e = 0; e < batch.size(); ++e) {
        values.resize(batch[e].metrics().size());
        batch[e].values(sums[e], 1, values);
        store(values, 1, r, 1, replicates_[first + e]);
        replicates_[first + e].gaps->take(batch[e].layout(), sums[e], 1, r, 1);
      }
    }
  }

  /// Takes the first `count` of each metric's lanes as resamples r, r + 1, ...
  void store(std::span<const double> values, std::size_t lanes, std::size_t r, std::size_t count,
             Replicates& out) const {
    for (std::size_t j = 0; j * lanes < values.size(); ++j) {
      std::copy_n(values.data() + j * lanes, count, out.values.data() + j * resamples_ + r);
    }
  }

  void errors_block(std::size_t block, std::size_t lanes, std::span<const std::uint8_t> weights,
                    const ResampleSubject& subject, Replicates& out) const {
    const std::size_t count = subject.metrics().size();
    std::vector<double> terms(parts() * count), sums(terms.size() * kLanes, 0.0);
    for (std::size_t u = 0; u < units_.count; ++u) {
      fill_terms(subject, u, terms);
      add_weighted_dense(weights.data() + u * kLanes, terms.data(), terms.size(), sums.data());
    }
    const auto units = static_cast<double>(units_.count);
    for (std::size_t q = 0; q < out.errors.size(); ++q) {
      for (std::size_t j = 0; j < count; ++j) {
        const double* const sum = sums.data() + (2 * q * count + j) * kLanes;
        const double* const square = sum + count * kLanes;
        double* const error = out.errors[q].data() + j * resamples_ + block * kLanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          error[lane] = influence_error(units, sum[lane], square[lane]);
        }
      }
    }
  }

  void report(double share) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += share / static_cast<double>(evaluations_.size());
    if (!options_.progress(std::min(done_, 1.0))) {
      throw Error(ErrorCode::cancelled, "resampling was stopped");
    }
  }

  std::vector<Estimate> blank(const Evaluation& evaluation) const {
    std::vector<Estimate> estimates;
    for (const MetricValue& metric : evaluation.metrics) {
      estimates.push_back({metric.name, metric.value, {}, {}, {}});
    }
    return estimates;
  }

  std::span<const double> row(const std::vector<double>& table, std::size_t j) const {
    return {table.data() + j * resamples_, resamples_};
  }

  /// Metric j with its errors; those of a difference for q >= 1, whose values come separately.
  Resampled resampled(const Replicates& own, std::size_t j, std::size_t q) const {
    Resampled out;
    out.value = own.points[j];
    out.values = row(own.values, j);
    if (definitions()[own.metrics[j]]->is_mean()) out.mean_of = units_.count;
    if (own.errors.empty()) return out;
    out.standard_error = own.point_errors[q][j];
    out.standard_errors = row(own.errors[q], j);
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
    const auto found = gaps.interval(error, options_.level, units_.count);
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
    std::vector<double> off(resamples_);
    for (std::size_t j = 0; j < own.metrics.size(); ++j) {
      const auto found = std::find(other.metrics.begin(), other.metrics.end(), own.metrics[j]);
      if (found == other.metrics.end()) continue;
      const auto k = static_cast<std::size_t>(found - other.metrics.begin());
      const auto mine = row(own.values, j), theirs = row(other.values, k);
      for (std::size_t r = 0; r < resamples_; ++r) off[r] = mine[r] - theirs[r];
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

  BootstrapResult summarise() const {
    BootstrapResult result;
    result.protocol = options_;
    result.units = units_.count;
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

  std::span<const Evaluation> evaluations_;
  std::span<const std::size_t> references_;
  const BootstrapOptions& options_;
  Units units_;
  std::size_t resamples_, blocks_;
  std::vector<Replicates> replicates_;
  std::vector<ResampleSubject> reference_subjects_;
  std::mutex mutex_;
  double done_ = 0.0;
};

}  // namespace
}  // namespace metrics

BootstrapResult bootstrap(std::span<const Evaluation> evaluations,
                          std::span<const std::uint32_t> groups,
                          std::span<const std::size_t> references,
                          const BootstrapOptions& options) {
  metrics::check(evaluations, groups, references, options);
  return metrics::Resampler(evaluations, groups, references, options).run();
}

double resampling_bytes(std::size_t rows, std::size_t classes) {
  return static_cast<double>(rows) * (500.0 + 20.0 * static_cast<double>(classes));
}

}  // namespace credence
