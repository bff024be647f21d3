// What a choice among candidates is made of, and where a loss comes from, in words.
#include <fmt/format.h>

#include <algorithm>

#include "credence/report.hpp"

namespace credence::report {
namespace {

constexpr double kWorthNaming = 0.02;
constexpr double kErrors95 = 1.96;  // standard errors on each side of a 95 % interval

std::string with_error(const LossPart& part) {
  if (!part.standard_error) return fmt::format("{:.4f}", part.value);
  return fmt::format("{:.4f} ± {:.4f}", part.value, kErrors95 * *part.standard_error);
}

}  // namespace

std::string selection_in_words(const MethodRecord& method) {
  if (!method.selection) return {};
  std::vector<const CandidateReport*> parts;
  for (const CandidateReport& one : method.selection->candidates) {
    if (one.weight > 0.0) parts.push_back(&one);
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &CandidateReport::weight);
  if (parts.empty()) return {};
  std::string text = fmt::format("{} is ", method.name);
  if (parts.size() == 1) {
    text += parts.front()->method;
  } else {
    const auto main = static_cast<std::size_t>(std::ranges::count_if(
        parts, [](const CandidateReport* one) { return one->weight >= kWorthNaming; }));
    text += "the weighted mean of ";
    for (std::size_t i = 0; i < main; ++i) {
      const char* comma = i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
      text += fmt::format("{}{} ({:.2f})", comma, parts[i]->method, parts[i]->weight);
    }
    if (main < parts.size()) text += fmt::format(" and {} more", parts.size() - main);
  }
  if (method.selection->nll) {
    text += fmt::format("; the probability that it is worse than {} is {:.2g}",
                        method.selection->baseline, method.selection->harm);
  }
  return text + ".";
}

std::string loss_in_words(const Results& results) {
  const std::optional<LossParts>& parts = results.first().loss_parts;
  if (!parts) return {};
  if (!parts->problem.empty()) {
    return fmt::format("Where the loss comes from was not computed: {}.", parts->problem);
  }
  const LossSplit& split = parts->metrics.front();
  const std::string& name = results.chosen().name;
  const auto own = std::ranges::find(split.methods, name, &MethodLoss::method);
  if (own == split.methods.end() || !own->total || !own->calibration) {
    return fmt::format("Where the loss of {} comes from is not known: its {} is infinite.", name,
                       split.metric);
  }
  std::string text = fmt::format("{} has {} {:.4f}: ", name, split.metric, own->total->value);
  if (split.disagreement) {
    text += fmt::format("{:.4f} from the annotators' disagreement, ", split.disagreement->value);
  }
  text += fmt::format("{} from calibration", with_error(*own->calibration));
  const MethodLoss& model = split.methods.front();
  if (&model != &*own && model.calibration) {
    text += fmt::format(" ({}: {:.4f})", model.method, model.calibration->value);
  }
  return text + fmt::format(" and {:.4f} that {}.", split.model.value,
                            split.disagreement
                                ? "only a better model could win"
                                : "is disagreement, or what only a better model could win");
}

}  // namespace credence::report
