#include "experiment/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/normal.hpp"
#include "experiment/decisions.hpp"

namespace credence {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ship:
      return "ship";
    case Verdict::keep:
      return "keep";
    case Verdict::too_few:
      return "too-few";
  }
  return "";
}

namespace experiment {
namespace {

constexpr std::string_view kTheModel = "uncalibrated";
constexpr double kPlannedHalfWidth = 0.02;  // of nll: smaller than most gains that are worth having

std::vector<Candidate> those(const std::vector<Candidate>& candidates, const auto& wanted) {
  std::vector<Candidate> some;
  std::ranges::copy_if(candidates, std::back_inserter(some), wanted);
  return some;
}

bool has_few_rows(const Judged& data) { return data.rows < kFewestRows; }
bool has_few_groups(const Judged& data) {
  return !data.groups.empty() && data.units() < kFewestGroups;
}

/// How many standard errors a mean over `count` units must be from 0 to be clearly on one side: 95
/// % for many units. Few groups differ in ways that a handful of them does not show, and whether
/// the gain holds for the next one is what matters: there it takes 99.9 %, with Student's quantile
/// by its expansion in 1 / degrees of freedom (Abramowitz and Stegun 26.7.5).
double errors_for_certainty(std::size_t count, bool grouped) {
  if (!grouped || count >= kFewGroups) return 1.959963984540054;
  if (count < kFewestGroups) return std::numeric_limits<double>::infinity();
  constexpr double z = 3.290526731491926;
  const double f = static_cast<double>(count - 1), z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4.0 * f) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * f * f);
}

/// About how many examples like these would give the nll of a method within kPlannedHalfWidth.
std::optional<std::size_t> examples_needed(const Evaluation& evaluation, double level) {
  if (!evaluation.kept || evaluation.rows < 2) return std::nullopt;
  const auto nll = examples(evaluation).nll;
  const MeanOverRows found = mean_over_rows(std::vector<double>(nll.begin(), nll.end()), {});
  const double errors = core::normal_quantile(level) / kPlannedHalfWidth;
  const double needed = static_cast<double>(evaluation.rows) * found.standard_error *
                        found.standard_error * errors * errors;
  // Two digits: it is an estimate from few examples.
  const double digit = std::pow(10.0, std::floor(std::log10(std::max(needed, 1.0))) - 1.0);
  const double rounded = std::ceil(needed / digit) * digit;
  if (!std::isfinite(rounded) || rounded > 1e12) return std::nullopt;
  return std::max(static_cast<std::size_t>(rounded), 2 * kFewestRows);
}

/// How far the candidate is ahead of the model on the test rows, row by row.
MeanOverRows lead_on_test(const MethodResult& model, const MethodResult& candidate,
                          std::span<const std::uint32_t> groups) {
  const auto before = examples(model.evaluation).nll, after = examples(candidate.evaluation).nll;
  std::vector<double> gap(before.size());
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] = before[i] - after[i];
  return mean_over_rows(gap, groups);
}

/// Whether the test rows say that the candidate is better than the model as it is. Without
/// intervals the held-out calibration rows have to do. Few groups make both uncertain, so that both
/// have to say it.
bool clearly_better(const SplitResult& result, const MethodResult& candidate, bool gains,
                    const Judged& evaluation) {
  const MethodResult& model = result.method(kTheModel);
  if (!candidate.evaluation["nll"]) return false;
  if (!model.evaluation["nll"]) return true;
  const auto place = std::ranges::find(result.references, kTheModel);
  const auto& gaps =
      candidate.differences[static_cast<std::size_t>(place - result.references.begin())];
  const auto gap = std::ranges::find(gaps, std::string_view("nll"), &Estimate::name);
  if (!gap->high) return gains && *gap->value < 0.0;
  if (*gap->high >= 0.0) return false;
  if (evaluation.groups.empty() || evaluation.units() >= kFewGroups) return true;
  if (!gains || !model.evaluation.kept || !candidate.evaluation.kept) return false;
  const MeanOverRows ahead = lead_on_test(model, candidate, evaluation.groups);
  return ahead.mean > errors_for_certainty(evaluation.units(), true) * ahead.standard_error;
}

}  // namespace

Choice choose(const std::vector<Candidate>& candidates, std::span<const std::uint32_t> groups,
              bool keep_predictions) {
  const auto keeps = [](const Candidate& one) { return one.keeps_predictions; };
  const auto allowed = keep_predictions ? those(candidates, keeps) : candidates;
  const Recommendation best = recommend(allowed, groups);
  Choice choice{best.method, best.why, recommend(those(allowed, keeps), groups).method, false};
  if (choice.candidate == kTheModel || choice.candidate.empty()) {
    const Recommendation next = recommend(
        those(allowed, [](const Candidate& one) { return one.name != kTheModel; }), groups);
    if (!next.method.empty()) choice.candidate = next.method;
  }
  if (choice.candidate.empty()) choice.candidate = kTheModel;
  const auto find = [&](std::string_view name) {
    return std::ranges::find(allowed, name, &Candidate::name);
  };
  const auto model = find(kTheModel), chosen = find(choice.candidate);
  if (best.method != kTheModel && model != allowed.end() && chosen != allowed.end() &&
      model->held_out->problem.empty()) {
    const MeanOverRows ahead = lead(*chosen, *model, groups);
    // Without groups any number of rows asks for the same.
    const std::size_t count = Judged{.rows = 0, .groups = groups}.units();
    choice.gains = ahead.mean > errors_for_certainty(count, !groups.empty()) * ahead.standard_error;
  }
  return choice;
}

std::size_t Judged::units() const {
  return groups.empty() ? rows : std::set<std::uint32_t>(groups.begin(), groups.end()).size();
}

Judged judged(const Dataset& data) { return {data.rows(), data.groups, data.evidence()}; }

bool too_few_to_choose(const Judged& calibration, const Judged& evaluation) {
  return has_few_rows(calibration) || has_few_rows(evaluation) || has_few_groups(calibration) ||
         has_few_groups(evaluation);
}

std::string_view default_method(const Judged& calibration, const Judged& evaluation) {
  if (has_few_groups(calibration) || has_few_groups(evaluation)) return kTheModel;
  const Evidence evidence = calibration.evidence;
  return evidence == Evidence::distributions ? "slts"
         : evidence == Evidence::annotations ? "mcts"
                                             : "ts";
}

bool agrees_by_chance(const Evaluation& model, const Votes& votes,
                      std::span<const std::uint32_t> groups) {
  if (!model.kept || model.rows < kFewestRows) return false;
  const ExampleScores rows = examples(model);
  // What a row's prediction would find if it were paired with the votes of any other.
  std::vector<double> shares(votes.classes(), 0.0);
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    for (std::size_t v = 0; v < row.classes.size(); ++v) {
      shares[row.classes[v]] += row.weights[v] / votes.total(i) / static_cast<double>(votes.rows());
    }
  }
  std::vector<double> beyond(model.rows);
  for (std::size_t i = 0; i < beyond.size(); ++i) {
    beyond[i] = rows.agreement[i] - shares[rows.predicted[i]];
  }
  const MeanOverRows found = mean_over_rows(beyond, groups);
  return !(found.mean > 3.0 * found.standard_error);
}

bool agrees_by_chance(const PairedDecisions& found, std::span<const double> chosen) {
  double rows = 0.0;
  for (const double count : found.predicted) rows += count;
  if (rows < static_cast<double>(kFewestRows)) return false;
  double sum = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const double share = chosen[k] / rows;
    sum += found.agreement[k] - share * found.predicted[k];
    squares += found.agreement_square[k] - 2.0 * share * found.agreement[k] +
               share * share * found.predicted[k];
  }
  const double mean = sum / rows;
  const double error = std::sqrt(std::max(squares - sum * mean, 0.0) / (rows - 1.0) / rows);
  return !(mean > 3.0 * error);
}

void reach_verdict(SplitResult& result, const Choice& choice, const Judged& calibration,
                   const Judged& evaluation, double level) {
  result.keeper = choice.keeper;
  if (too_few_to_choose(calibration, evaluation)) {
    result.verdict = Verdict::too_few;
    result.recommended = result.candidate;
    const bool of_rows = !has_few_groups(calibration) && !has_few_groups(evaluation);
    if (of_rows) {
      result.examples_needed = examples_needed(result.method(result.candidate).evaluation, level);
    }
  } else if (result.candidate != kTheModel && !result.by_chance &&
             clearly_better(result, result.method(result.candidate), choice.gains, evaluation)) {
    result.verdict = Verdict::ship;
    result.recommended = result.candidate;
  } else {
    result.verdict = Verdict::keep;
    result.recommended = kTheModel;
  }
}

}  // namespace experiment
}  // namespace credence
