#include "experiment/refit.hpp"

#include <algorithm>
#include <optional>

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "credence/auto_fit.hpp"
#include "metrics/bootstrap/interval.hpp"
#include "metrics/catalogue/definition.hpp"

namespace credence::experiment {
namespace {

constexpr std::uint64_t kCalibrationStream = 0x726566697463ULL,
                        kEvaluationStream = 0x726566697465ULL;

/// Rows of as many units (groups, or single rows) as there are, drawn with replacement.
std::vector<std::size_t> drawn_rows(const Dataset& data, std::uint64_t seed,
                                    std::uint64_t resample) {
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t unit = data.groups.empty() ? i : data.groups[i];
    if (unit >= members.size()) members.resize(unit + 1);
    members[unit].push_back(i);
  }
  std::erase_if(members, [](const auto& rows) { return rows.empty(); });
  std::vector<std::size_t> rows;
  for (std::size_t d = 0; d < members.size(); ++d) {
    const double u = core::uniform(seed, resample, d);
    const auto unit = static_cast<std::size_t>(u * static_cast<double>(members.size()));
    rows.insert(rows.end(), members[unit].begin(), members[unit].end());
  }
  return rows;
}

/// True for errors that a resample raises by the chance in the rows it is drawn from; drawing the
/// rows again, fits and all, does not show how much.
bool raised_by_chance(std::string_view name) {
  const auto all = metrics::definitions();
  const auto found = std::ranges::find(all, name, [](const auto* d) { return d->metric.name; });
  return found != all.end() && (*found)->of_gaps;
}

/// Percentile interval; none when some resample gave no value: those are the worst ones.
Estimate estimate(std::string_view name, std::optional<double> value,
                  const std::vector<std::optional<double>>& resampled, double level) {
  Estimate result{.name = name, .value = value, .standard_error = {}, .low = {}, .high = {}};
  std::vector<double> values;
  for (const auto& one : resampled) {
    if (!one) return result;
    values.push_back(*one);
  }
  if (!value) return result;
  metrics::Resampled all;
  all.value = *value;
  all.values = values;
  metrics::fill_interval(all, {.level = level}, result);
  return result;
}

std::optional<double> minus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

}  // namespace

void refit_intervals(const Dataset& calibration, const Dataset& evaluation,
                     const std::vector<MethodSpec>& methods,
                     const std::vector<std::size_t>& references, const CompareOptions& options,
                     const FitOptions& fit_options, SplitResult& result,
                     const std::function<void()>& step) {
  const auto resamples = static_cast<std::size_t>(options.refits);
  const std::span<const Metric> table = metric_table();
  MetricOptions metric_options = options.metrics;
  metric_options.keep_rows = false;
  metric_options.threads = 1;
  // values[r][method][metric]
  std::vector<std::vector<std::vector<std::optional<double>>>> values(resamples);
  core::parallel_for(core::resolve_threads(options.threads), resamples, [&](std::size_t r) {
    const std::uint64_t seed = fit_options.seed;
    const Dataset learn =
        calibration.select(drawn_rows(calibration, core::mix64(seed ^ kCalibrationStream), r));
    const Dataset judge =
        evaluation.select(drawn_rows(evaluation, core::mix64(seed ^ kEvaluationStream), r));
    for (const MethodSpec& method : methods) {
      auto& row = values[r].emplace_back(table.size());
      // A resample may lack the evidence that the data have; its value is then missing.
      if (method.needs() > learn.evidence()) continue;
      const Evaluation scores = score(fit_any(method, learn, fit_options), judge, metric_options);
      for (std::size_t k = 0; k < table.size(); ++k) row[k] = scores[table[k].name];
    }
    step();
  });

  const double level = options.bootstrap.level;
  std::vector<std::optional<double>> column(resamples);
  for (std::size_t j = 0; j < methods.size(); ++j) {
    MethodResult& method = result.methods[j];
    method.refit_differences.resize(references.size());
    for (std::size_t k = 0; k < table.size(); ++k) {
      const std::string_view name = table[k].name;
      const auto value = method.evaluation[name];
      for (std::size_t r = 0; r < resamples; ++r) column[r] = values[r][j][k];
      Estimate& of_method =
          method.refit_estimates.emplace_back(estimate(name, value, column, level));
      if (raised_by_chance(name)) of_method.low = of_method.high = std::nullopt;
      for (std::size_t against = 0; against < references.size(); ++against) {
        const std::size_t other = references[against];
        for (std::size_t r = 0; r < resamples; ++r) {
          column[r] = minus(values[r][j][k], values[r][other][k]);
        }
        method.refit_differences[against].push_back(
            estimate(name, minus(value, result.methods[other].evaluation[name]), column, level));
      }
    }
  }
}

}  // namespace credence::experiment
