// Resampling by weights on sums: no row is copied and nothing is scored again.
#include "credence/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "metrics/bootstrap/redraw_votes.hpp"
#include "metrics/bootstrap/replicates.hpp"
#include "metrics/bootstrap/resample_subject.hpp"
#include "metrics/bootstrap/resample_weights.hpp"

namespace credence {
namespace metrics {
namespace {

/// Evaluations are resampled together, sharing weights, up to this much memory for their pairs.
constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

void check(std::span<const Evaluation> evaluations, std::span<const std::uint32_t> groups,
           std::span<const std::size_t> references, const BootstrapOptions& options) {
  check_bootstrap(evaluations.size(), references, options);
  for (const Evaluation& evaluation : evaluations) {
    if (!evaluation.kept || !evaluation.kept->options.keep_rows)
      refuse_bootstrap("rows were not kept", "evaluate with MetricOptions::keep_rows");
  }
  check_same_rows(evaluations, groups);
  if (!options.annotators) return;
  if (options.kind == IntervalKind::studentised) {
    refuse_bootstrap("studentised intervals cannot redraw annotators", "use percentile intervals");
  }
  for (const Evaluation& evaluation : evaluations) {
    if (!evaluation.kept->own_votes) {
      refuse_bootstrap("the votes were not kept", "evaluate with MetricOptions::keep_votes");
    }
    if (!evaluation.kept->summary.votes_are_counts) {
      throw Error(ErrorCode::evidence,
                  "annotators cannot be redrawn: the votes are shares or fractional weights, which "
                  "do not tell how many annotators there were",
                  "give counts of votes, or resample examples alone");
    }
  }
}

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
    return estimate(evaluations_, replicates_, units_.count, references_, options_);
  }

 private:
  void prepare(const ResampleSubject& subject, Replicates& out) const {
    const std::size_t count = subject.metrics().size();
    out = Replicates(subject.metrics(), subject.scored().summary, options_);
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
      const auto own = subject.metrics().indices(), others = reference.metrics().indices();
      const double* const other = reference.influences().data() + u * others.size();
      double* const out = terms.data() + (2 + 2 * q) * count;
      for (std::size_t j = 0, k = 0; j < count; ++j) {
        while (k < others.size() && others[k] < own[j]) ++k;
        const bool paired = k < others.size() && others[k] == own[j];
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
    std::vector<double> of_base, sums;
    for (std::size_t e = 0; e < batch.size(); ++e) {
      const ResampleSubject& subject = batch[e];
      subject.add_up(weights.data(), of_base, sums);
      if (e == 0) of_base = sums;
      replicates_[first + e].take(subject.metrics(), subject.layout(), sums, kLanes, block * kLanes,
                                  lanes);
      if (options_.kind == IntervalKind::studentised) {
        errors_block(block, lanes, weights, subject, replicates_[first + e]);
      }
    }
  }

  void redraw_block(std::size_t block, std::size_t lanes, std::span<const std::uint8_t> weights,
                    std::span<const ResampleSubject> batch, std::size_t first) {
    std::vector<std::uint8_t> of_row(units_.of_row.size());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t i = 0; i < of_row.size(); ++i) {
        of_row[i] = weights[units_.of_row[i] * kLanes + lane];
      }
      const std::size_t r = block * kLanes + lane;
      const auto sums = redrawn_sums(batch, of_row, options_.seed, r);
      for (std::size_t e = 0; e < batch.size(); ++e) {
        replicates_[first + e].take(batch[e].metrics(), batch[e].layout(), sums[e], 1, r, 1);
      }
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

bool resamples_rescored(const BootstrapOptions& options) {
  return !options.annotators && options.kind == IntervalKind::percentile;
}

double resampling_bytes(std::size_t rows, std::size_t classes, const BootstrapOptions& options) {
  const auto count = static_cast<double>(rows);
  if (resamples_rescored(options)) return count * 60.0;
  return count * (500.0 + 20.0 * static_cast<double>(classes));
}

}  // namespace credence
