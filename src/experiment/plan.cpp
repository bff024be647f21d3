#include "credence/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "core/bins.hpp"
#include "core/normal.hpp"
#include "credence/error.hpp"
#include "credence/verdict.hpp"

namespace credence {
namespace {

/// One number per row, a mean over its votes, and the variance that a single vote would have.
struct RowValues {
  std::vector<double> value;
  std::vector<double> vote_variance;  ///< unbiased; NaN for rows with one vote
};

/// The variance that one example adds to a mean over `rows`. Examples of one group vary together,
/// so their deviations are summed before they are squared.
double variance_of_one(const RowValues& values, const std::vector<std::size_t>& rows,
                       std::span<const std::uint32_t> groups) {
  const auto n = static_cast<double>(rows.size());
  double mean = 0.0, squares = 0.0;
  for (const std::size_t i : rows) mean += values.value[i] / n;
  std::map<std::size_t, double> units;
  for (const std::size_t i : rows) {
    units[groups.empty() ? i : std::size_t{groups[i]}] += values.value[i] - mean;
  }
  for (const auto& [unit, sum] : units) squares += sum * sum;
  const auto count = static_cast<double>(units.size());
  return count > 1.0 ? squares / n * count / (count - 1.0) : 0.0;
}

/// Splits the variance of `value` over the rows listed in `rows` into examples and votes.
VarianceParts parts(const RowValues& values, const Dataset& pilot,
                    const std::vector<std::size_t>& rows) {
  VarianceParts result;
  const Votes& votes = pilot.votes;
  const auto n = static_cast<double>(rows.size());
  if (rows.size() < 2) return result;
  result.total_at_pilot = variance_of_one(values, rows, pilot.groups);
  double within = 0.0, noise = 0.0;
  std::size_t repeated = 0;
  for (const std::size_t i : rows) {
    if (std::isnan(values.vote_variance[i])) continue;
    within += values.vote_variance[i];
    ++repeated;
  }
  if (repeated == 0) {
    result.between = result.total_at_pilot;
    return result;
  }
  result.within = within / static_cast<double>(repeated);
  for (const std::size_t i : rows) {
    const double own =
        std::isnan(values.vote_variance[i]) ? *result.within : values.vote_variance[i];
    noise += own / votes.total(i) / n;
  }
  result.between = std::max(0.0, result.total_at_pilot - noise);
  return result;
}

/// What the fitted temperature makes of one row.
struct RowFacts {
  RowValues equation;  ///< derivative of the row's loss by 1/T
  RowValues loss;      ///< nll
  RowValues gap;       ///< confidence - agreement
  std::vector<double> confidence;
  double curvature = 0.0;  ///< mean second derivative by 1/T
};

void add_row(RowValues& values, VoteRow row, double m, const auto& of_class, double offset) {
  double mean = 0.0, squares = 0.0;
  for (std::size_t v = 0; v < row.classes.size(); ++v) {
    mean += row.weights[v] / m * of_class(row.classes[v]);
  }
  for (std::size_t v = 0; v < row.classes.size(); ++v) {
    const double off = of_class(row.classes[v]) - mean;
    squares += row.weights[v] * off * off;
  }
  values.value.push_back(offset + mean);
  values.vote_variance.push_back(m >= 2.0 ? squares / (m - 1.0)
                                          : std::numeric_limits<double>::quiet_NaN());
}

RowFacts facts(const Dataset& data, double inverse_temperature) {
  RowFacts result;
  const std::size_t classes = data.classes_count();
  std::vector<double> u(classes), p(classes);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto z = data.scores.row(i);
    const double top = double{*std::ranges::max_element(z)};
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      u[k] = double{z[k]} - top;
      sum += p[k] = std::exp(inverse_temperature * u[k]);
    }
    double mean = 0.0, square = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      p[k] /= sum;
      mean += p[k] * u[k];
      square += p[k] * u[k] * u[k];
    }
    const VoteRow row = data.votes.row(i);
    const double m = data.votes.total(i);
    const auto best = static_cast<std::uint32_t>(std::ranges::max_element(p) - p.begin());
    add_row(
        result.equation, row, m, [&](std::uint32_t k) { return -u[k]; }, mean);
    add_row(
        result.loss, row, m,
        [&](std::uint32_t k) { return std::log(sum) - inverse_temperature * u[k]; }, 0.0);
    add_row(
        result.gap, row, m, [&](std::uint32_t k) { return k == best ? -1.0 : 0.0; }, p[best]);
    result.confidence.push_back(p[best]);
    result.curvature += (square - mean * mean) / static_cast<double>(data.rows());
  }
  return result;
}

/// Calibration gaps bin by bin: how large they are behind the noise, and how noisy.
struct GapBin {
  double share = 0.0;  ///< of the rows
  double gap = 0.0;    ///< mean gap with the part that chance adds taken off, all bins alike
  VarianceParts parts;
};

std::vector<GapBin> gap_bins(const RowFacts& rows, const Dataset& pilot, int bins) {
  const core::UnitBins unit(bins);
  std::vector<std::vector<std::size_t>> members(unit.count());
  for (std::size_t i = 0; i < rows.confidence.size(); ++i) {
    members[unit.index(rows.confidence[i])].push_back(i);
  }
  std::vector<GapBin> result;
  for (const std::vector<std::size_t>& bin : members) {
    if (bin.empty()) continue;
    GapBin one;
    const auto count = static_cast<double>(bin.size());
    one.share = count / static_cast<double>(rows.confidence.size());
    double mean = 0.0;
    for (const std::size_t i : bin) mean += rows.gap.value[i] / count;
    one.parts = parts(rows.gap, pilot, bin);
    one.gap = std::abs(mean);
    result.push_back(one);
  }
  return result;
}

/// Mean and variance of |N(gap, variance)|.
std::pair<double, double> folded(double gap, double variance) {
  if (!(variance > 0.0)) return {std::abs(gap), 0.0};
  const double sigma = std::sqrt(variance), z = gap / sigma;
  const double mean = sigma * std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * z * z) +
                      gap * std::erf(z / std::numbers::sqrt2);
  return {mean, std::max(0.0, gap * gap + variance - mean * mean)};
}

/// Shrinks the observed gaps, all by one factor, as James and Stein do: by the share of their
/// square that noise explains. Taking the noise off bin by bin would leave the gaps that chance
/// made large without making the others negative, so a calibrated model would keep gaps that more
/// examples do not show.
void take_off_chance(std::vector<GapBin>& bins, double pilot_rows) {
  double noise = 0.0, square = 0.0;
  for (const GapBin& bin : bins) {
    noise += bin.parts.total_at_pilot / pilot_rows;
    square += bin.share * bin.gap * bin.gap;
  }
  const double kept = square > 0.0 ? std::max(0.0, 1.0 - noise / square) : 0.0;
  for (GapBin& bin : bins) bin.gap *= kept;
}

std::optional<double> width(const VarianceParts& parts, double n, double m, double scale,
                            double quantile) {
  const auto variance = parts.variance(n, m);
  return variance ? std::optional(2.0 * quantile * scale * std::sqrt(*variance)) : std::nullopt;
}

void predict_ece(const std::vector<GapBin>& bins, double quantile, PlannedWidth& cell) {
  double mean = 0.0, variance = 0.0;
  for (const GapBin& bin : bins) {
    const double rows = bin.share * static_cast<double>(cell.examples);
    const auto noise = bin.parts.variance(std::max(rows, 1.0), cell.votes);
    if (!noise) return;
    const auto [m, v] = folded(bin.gap, *noise);
    mean += bin.share * m;
    variance += bin.share * bin.share * v;
  }
  cell.ece_shown = mean;
  cell.ece_expected = 2.0 * quantile * std::sqrt(variance);
}

double disputed_share(const RowValues& values) {
  std::vector<double> variance;
  for (const double v : values.vote_variance) {
    if (!std::isnan(v)) variance.push_back(v);
  }
  std::ranges::sort(variance, std::ranges::greater{});
  const double all = std::accumulate(variance.begin(), variance.end(), 0.0);
  const auto fifth = static_cast<std::ptrdiff_t>((variance.size() + 4) / 5);
  return all > 0.0 ? std::accumulate(variance.begin(), variance.begin() + fifth, 0.0) / all : 0.0;
}

void check(const Dataset& pilot, const PlanOptions& options) {
  if (pilot.evidence() < Evidence::annotations || pilot.votes.are_shares()) {
    throw Error(ErrorCode::evidence,
                fmt::format("planning needs counted annotations; the pilot holds {}",
                            pilot.votes.are_shares() ? "shares" : to_string(pilot.evidence())),
                "give the votes as counts or one by one: what one annotator adds is what is "
                "planned");
  }
  if (pilot.rows() < 20) {
    throw Error(ErrorCode::data,
                fmt::format("a pilot of {} examples says too little", pilot.rows()),
                "annotate at least 20, better 200");
  }
  if (!(options.level > 0.0 && options.level < 1.0)) {
    throw Error(ErrorCode::usage,
                fmt::format("a level of {} is not between 0 and 1", options.level));
  }
}

std::vector<std::string> advise(const Plan& plan) {
  std::vector<std::string> words;
  const VarianceParts& parts = plan.temperature_parts;
  if (!parts.within) {
    words.push_back(
        "Every pilot example has one vote: enough to fit a temperature, too little to tell what "
        "annotators differ by from what examples differ by. Ask for a second vote on a part of the "
        "examples (100 or more) before planning further; measuring disagreement needs it too.");
    return words;
  }
  const double from_votes = *parts.within / plan.pilot_votes;
  const double share = from_votes / std::max(parts.between + from_votes, 1e-300);
  words.push_back(fmt::format(
      "Another example with one vote helps most: it adds to what examples and votes average out "
      "alike. Further votes on the same examples can remove at most {:.0f} % of the variance of T.",
      100.0 * share));
  words.push_back(fmt::format(
      "For a fixed number of annotations, one vote each on many examples gives T a standard error "
      "{:.2f} times that of {:.3g} votes each on fewer.",
      std::sqrt((parts.between + *parts.within) /
                (plan.pilot_votes * (parts.between + from_votes))),
      plan.pilot_votes));
  words.push_back(
      "Keep two votes or more on a part of the test examples: without them the annotators' own "
      "disagreement (annotator_disagreement, brier_unbiased) cannot be measured.");
  words.push_back(fmt::format(
      "If votes are added to examples at hand, add them where annotators already differ: the 20 % "
      "most disputed examples hold {:.0f} % of the variance that votes cause.",
      100.0 * plan.disputed_share));
  return words;
}

}  // namespace

std::optional<double> VarianceParts::variance(double n, double m) const {
  if (within) return (between + *within / m) / n;
  // One vote each in the pilot: only the same can be predicted.
  return m == 1.0 ? std::optional(total_at_pilot / n) : std::nullopt;
}

Plan plan(const Dataset& pilot, const PlanOptions& options) {
  check(pilot, options);
  const Targets targets = Targets::shares_of(pilot.votes);
  const Stage stage = fit_stage(Temperature{}, pilot, targets,
                                {.gauge = options.gauge, .threads = options.threads});
  const double b = stage.theta.at(0);
  const RowFacts rows = facts(pilot, b);

  Plan result;
  result.protocol = options;
  result.pilot_rows = pilot.rows();
  result.temperature = 1.0 / b;
  const auto n = static_cast<double>(pilot.rows());
  for (std::size_t i = 0; i < pilot.rows(); ++i) {
    result.pilot_votes += pilot.votes.total(i) / n;
    result.repeated_rows += pilot.votes.total(i) >= 2.0 ? 1 : 0;
    result.nll += rows.loss.value[i] / n;
  }
  std::vector<std::size_t> all(pilot.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  result.temperature_parts = parts(rows.equation, pilot, all);
  result.nll_parts = parts(rows.loss, pilot, all);
  result.ece_parts = parts(rows.gap, pilot, all);
  result.disputed_share = disputed_share(rows.equation);
  std::vector<GapBin> bins = gap_bins(rows, pilot, options.bins);
  take_off_chance(bins, n);
  for (const double sum : core::bin_sums(core::UnitBins(options.bins), rows.confidence,
                                         [&](std::size_t i) { return rows.gap.value[i]; })) {
    result.ece_expected += std::abs(sum) / n;
  }

  std::vector<std::size_t> examples = options.examples;
  if (examples.empty()) {
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      examples.push_back(
          std::max<std::size_t>(20, static_cast<std::size_t>(std::llround(factor * n))));
    }
  }
  const double quantile = core::normal_quantile(options.level);
  // d T = T^2 d(1/T), and the estimating equation moves 1/T by its error over the curvature.
  const double scale = result.temperature * result.temperature / rows.curvature;
  for (const std::size_t count : examples) {
    for (const int m : options.votes) {
      PlannedWidth cell{.examples = count,
                        .votes = m,
                        .temperature = {},
                        .nll = {},
                        .ece_expected = {},
                        .ece_shown = {}};
      const auto wanted = static_cast<double>(count);
      cell.temperature = width(result.temperature_parts, wanted, m, scale, quantile);
      cell.nll = width(result.nll_parts, wanted, m, 1.0, quantile);
      predict_ece(bins, quantile, cell);
      result.grid.push_back(cell);
    }
  }
  result.advice = advise(result);
  if (!pilot.groups.empty()) {
    result.advice.emplace_back(
        "Examples of one group vary together: the widths are for as many examples per group as in "
        "the pilot, and examples of new groups help more than further ones of the same.");
    const std::set<std::uint32_t> groups(pilot.groups.begin(), pilot.groups.end());
    if (groups.size() < kFewGroups) {
      result.advice.push_back(
          fmt::format("The pilot has {} groups: below {}, the widths are too narrow.",
                      groups.size(), kFewGroups));
    }
  }
  return result;
}

}  // namespace credence
