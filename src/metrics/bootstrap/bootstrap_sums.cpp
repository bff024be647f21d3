// Intervals of evaluations whose rows were resampled as they were summed.
#include <fmt/format.h>

#include "core/parallel.hpp"
#include "credence/evaluation_sums.hpp"
#include "metrics/bootstrap/packed_rows.hpp"
#include "metrics/bootstrap/replicates.hpp"
#include "metrics/sums/replicate_sums.hpp"

namespace credence {
namespace metrics {
namespace {

void check(std::span<const Evaluation> evaluations, std::span<const EvaluationSums> sums,
           std::span<const std::size_t> references, const BootstrapOptions& options) {
  check_bootstrap(evaluations.size(), references, options);
  if (sums.size() != evaluations.size()) {
    refuse_bootstrap(fmt::format("{} evaluations, {} sums", evaluations.size(), sums.size()));
  }
  if (options.annotators || options.kind == IntervalKind::studentised) {
    refuse_bootstrap("sums give percentile intervals over examples alone",
                     "resample rows in memory for anything else");
  }
  for (const EvaluationSums& one : sums) {
    const MetricOptions::Resampling& how = one.summary->options.resampling;
    if (how.resamples != options.resamples || how.seed != options.seed) {
      refuse_bootstrap(fmt::format("the sums hold {} resamples of seed {}; wanted {} of seed {}",
                                   how.resamples, how.seed, options.resamples, options.seed));
    }
    if (one.first_row != 0 || one.end_row != how.rows) {
      refuse_bootstrap(
          fmt::format("the sums are of rows {} to {} of {}", one.first_row, one.end_row, how.rows),
          "merge the sums of all rows first");
    }
  }
}

Replicates replicates_of(const Evaluation& evaluation, const Summary& summary,
                         const BootstrapOptions& options) {
  const auto resamples = static_cast<std::size_t>(options.resamples), across = resamples + 1;
  const Layout layout = resampled_layout(summary.options, summary.classes);
  std::vector<double> slots(layout.slots() * across), plain(layout.slots());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = static_cast<double>(summary.replicates.sums[i]) * kSumStep;
  }
  for (std::size_t s = 0; s < plain.size(); ++s) plain[s] = slots[s * across + resamples];
  const ResampledMetrics metrics(layout, evaluation, plain);
  Replicates replicates(metrics, summary, options);
  replicates.take(metrics, layout, slots, across, 0, resamples);
  return replicates;
}

}  // namespace
}  // namespace metrics

MetricOptions::Resampling resampling_of(const BootstrapOptions& options, std::uint64_t rows,
                                        std::string& why_not) {
  if (options.resamples == 0) return {};
  if (rows < 2) {
    why_not = "no intervals: a single example does not show how examples differ";
  } else if (options.annotators) {
    why_not = "no intervals: redrawing annotators needs all rows at once";
  } else if (options.kind == IntervalKind::studentised) {
    why_not = "no intervals: studentised ones need all rows at once; percentile ones do not";
  }
  if (!why_not.empty()) return {};
  return {.resamples = options.resamples, .seed = options.seed, .rows = rows};
}

BootstrapResult bootstrap_of_sums(std::span<const Evaluation> evaluations,
                                  std::span<const EvaluationSums> sums,
                                  std::span<const std::size_t> references,
                                  const BootstrapOptions& options) {
  metrics::check(evaluations, sums, references, options);
  std::vector<metrics::Replicates> replicates(sums.size());
  core::parallel_for(core::resolve_threads(options.threads), sums.size(), [&](std::size_t e) {
    replicates[e] = metrics::replicates_of(evaluations[e], *sums[e].summary, options);
  });
  const auto units = static_cast<std::size_t>(sums.front().end_row);
  return metrics::estimate(evaluations, replicates, units, references, options);
}

}  // namespace credence
