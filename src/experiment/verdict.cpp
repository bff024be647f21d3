#include "experiment/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/normal.hpp"
#include "credence/error.hpp"
#include "credence/plan.hpp"
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

std::size_t units(const Dataset& data) {
  return data.groups.empty()
             ? data.rows()
             : std::set<std::uint32_t>(data.groups.begin(), data.groups.end()).size();
}

bool is_too_small(const Dataset& data) {
  return data.rows() < kFewestRows || (!data.groups.empty() && units(data) < kFewestGroups);
}

/// One temperature, fitted to the best evidence there is.
std::string_view default_method(Evidence evidence) {
  return evidence == Evidence::distributions ? "slts"
         : evidence == Evidence::annotations ? "mcts"
                                             : "ts";
}

/// How many examples like these would give nll within kPlannedHalfWidth; empty when the votes do
/// not say.
std::optional<std::size_t> examples_needed(const Dataset& data, const CompareOptions& options) {
  try {
    const Plan pilot = plan(data, {.level = options.bootstrap.level, .gauge = options.gauge});
    const double z = core::normal_quantile(options.bootstrap.level) / kPlannedHalfWidth;
    const double needed = pilot.nll_parts.total_at_pilot * z * z;
    // Two digits: it is an estimate from few examples.
    const double digit = std::pow(10.0, std::floor(std::log10(std::max(needed, 1.0))) - 1.0);
    const double rounded = std::ceil(needed / digit) * digit;
    if (!std::isfinite(rounded) || rounded > 1e12) return std::nullopt;
    return std::max(static_cast<std::size_t>(rounded), 2 * kFewestRows);
  } catch (const Error&) {
    return std::nullopt;  // shares or majority labels: nothing to plan from
  }
}

/// Whether the test rows say that the candidate is better than the model as it is. Without
/// intervals the held-out calibration rows have to do.
bool clearly_better(const SplitResult& result, const MethodResult& candidate, bool gains) {
  const MethodResult& model = result.method(kTheModel);
  if (!candidate.evaluation["nll"]) return false;
  if (!model.evaluation["nll"]) return true;
  const auto place = std::ranges::find(result.references, kTheModel);
  const auto& gaps =
      candidate.differences[static_cast<std::size_t>(place - result.references.begin())];
  const auto gap = std::ranges::find(gaps, std::string_view("nll"), &Estimate::name);
  return gap->high ? *gap->high < 0.0 : gains && *gap->value < 0.0;
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
    choice.gains = ahead.mean > 2.0 * ahead.standard_error;
  }
  return choice;
}

void reach_verdict(SplitResult& result, const Choice& choice, const Dataset& calibration,
                   const Dataset& evaluation, const CompareOptions& options) {
  result.keeper = choice.keeper;
  const std::string fallback(default_method(calibration.evidence()));
  if (is_too_small(calibration) || is_too_small(evaluation)) {
    result.verdict = Verdict::too_few;
    result.recommended = result.find(fallback) != nullptr ? fallback : std::string(kTheModel);
    result.examples_needed = examples_needed(calibration, options);
  } else if (result.candidate != kTheModel &&
             clearly_better(result, result.method(result.candidate), choice.gains)) {
    result.verdict = Verdict::ship;
    result.recommended = result.candidate;
  } else {
    result.verdict = Verdict::keep;
    result.recommended = kTheModel;
  }
  const MethodResult& model = result.method(kTheModel);
  const MethodResult& shown = result.method(result.candidate);
  if (model.evaluation.kept && shown.evaluation.kept) {
    result.decisions = compare_decisions(model.evaluation, shown.evaluation, evaluation.votes,
                                         evaluation.groups, options.bootstrap.level);
  }
}

}  // namespace experiment
}  // namespace credence
