#include "experiment/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "map/about.hpp"

namespace credence::experiment {
namespace {

using Words = std::vector<std::string>;

constexpr double kRowsPerSquare = 50.0;  // below this many rows per K^2 a full matrix rarely pays
constexpr std::size_t kTinyBin = 20;     // a bin's mean agreement is then good to 0.1 at best
constexpr double kManyTies = 0.02;       // share of examples without a unique majority label
constexpr double kWeakModel = 0.5;       // share of the smoothing weight that model error explains

bool uses(const MethodResult& method, const auto& predicate) {
  return std::ranges::any_of(method.calibrator.all_stages(),
                             [&](const Stage* stage) { return predicate(*stage); });
}

bool smooths_by_model_doubt(const MethodResult& method) {
  return uses(method, [](const Stage& stage) {
    const auto* smoothed = std::get_if<Smoothed>(&stage.target);
    return smoothed != nullptr && smoothed->rule != Epsilon::fixed;
  });
}

void annotation_free(const SplitResult& result, const AnnotationSummary& evaluation, Words& out) {
  Words names;
  for (const MethodResult& method : result.methods) {
    if (smooths_by_model_doubt(method)) names.push_back(method.name);
  }
  if (names.empty()) return;
  const Evaluation& model = result.method("uncalibrated").evaluation;
  const double error = 1.0 - model["accuracy"].value_or(1.0);
  // The smoothing weight is the model's mean doubt about the majority label, which mixes its errors
  // with the annotators' disagreement; errors alone explain it when they are as large.
  double doubt = 0.0;
  for (const ReliabilityBin& bin : model.reliability) {
    doubt += static_cast<double>(bin.count) * (1.0 - bin.confidence);
  }
  doubt /= static_cast<double>(model.rows);
  if (error < kWeakModel * std::max(doubt, error)) return;
  if (error < 0.1) return;
  out.push_back(fmt::format(
      "{} smooth by the model's own doubt, and the model misses the majority label on {:.0f} % of "
      "{} rows: they cannot tell its errors from annotators' disagreement and may make the "
      "confidence worse",
      fmt::join(names, ", "), 100.0 * error, evaluation.rows));
}

void few_rows(const SplitResult& result, const AnnotationSummary& calibration, Words& out) {
  for (const MethodResult& method : result.methods) {
    const bool matrix =
        uses(method, [](const Stage& stage) { return map::grows_with_square(stage.map); });
    if (!matrix || method.oracle) continue;
    const double squares = static_cast<double>(calibration.classes * calibration.classes);
    if (static_cast<double>(calibration.rows) >= kRowsPerSquare * squares) continue;
    out.push_back(fmt::format(
        "{} fits {} numbers to {} rows; below about {:.0f} (50 for each of the {} x {} weights), "
        "slts or soft-platt usually do better",
        method.name, method.parameters(), calibration.rows, kRowsPerSquare * squares,
        calibration.classes, calibration.classes));
  }
}

void unseen_classes(const AnnotationSummary& calibration, std::size_t missing, Words& out) {
  if (missing == 0) return;
  out.push_back(fmt::format(
      "nobody chose {} of the {} classes on the calibration rows; methods with numbers of their "
      "own for every class know nothing about {}",
      missing, calibration.classes, missing == 1 ? "it" : "them"));
}

void votes(const AnnotationSummary& calibration, const AnnotationSummary& evaluation, Words& out) {
  if (evaluation.evidence == Evidence::voted) {
    out.push_back(
        "only majority labels are known: every score is against them, and how often annotators "
        "disagree with them cannot be seen");
  } else if (evaluation.evidence == Evidence::annotations) {
    out.push_back(
        "the evaluation rows have one vote each: nll and ece_true are unbiased but noisy, and the "
        "annotators' own disagreement (annotator_disagreement, brier_unbiased) cannot be measured; "
        "two "
        "votes on a part of the rows would show it");
  }
  const double ties = static_cast<double>(calibration.ties + evaluation.ties) /
                      static_cast<double>(calibration.rows + evaluation.rows);
  if (ties > kManyTies) {
    out.push_back(fmt::format(
        "{:.1f} % of the examples have no single class with most votes; their majority label is "
        "the first of the tied classes, which ts, platt and ece_voted take for the truth",
        100.0 * ties));
  }
}

/// Several maps of a pool may have the same to say.
void once(std::string text, Words& out) {
  if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
}

void methods(const SplitResult& result, Words& out) {
  for (const MethodResult& method : result.methods) {
    const std::size_t infinite = method.evaluation.infinite_nll_rows;
    if (infinite > 0) {
      out.push_back(
          fmt::format("{} gives probability 0 to a class that somebody chose on {} test row{}: its "
                      "nll is infinite and it cannot be recommended",
                      method.name, infinite, infinite == 1 ? "" : "s"));
    }
    if (!method.cross_validation.problem.empty() && infinite == 0 && !method.oracle) {
      out.push_back(fmt::format("{} could not be cross-validated: {}", method.name,
                                method.cross_validation.problem));
    }
    for (const Stage* each : method.calibrator.all_stages()) {
      const Stage& stage = *each;
      const bool fine = stage.report.stop == Stop::converged || stage.report.stop == Stop::direct ||
                        stage.report.stop == Stop::rounding_floor;
      if (!fine) {
        once(fmt::format("the fit of {} ended with: {}", method.name, in_words(stage.report.stop)),
             out);
      }
      for (const std::string& note : stage.report.notes) {
        once(fmt::format("{}: {}", method.name, note), out);
      }
    }
  }
}

void tiny_bins(const SplitResult& result, Words& out) {
  const MethodResult* candidate = result.find(result.candidate);
  if (candidate == nullptr) return;
  const auto& bins = candidate->evaluation.reliability;
  const auto tiny = std::ranges::count_if(
      bins, [](const ReliabilityBin& bin) { return bin.count > 0 && bin.count < kTinyBin; });
  if (tiny == 0) return;
  out.push_back(fmt::format(
      "{} of the confidence bins of {} {} fewer than {} examples; read {} with care", tiny,
      candidate->name, tiny == 1 ? "holds" : "hold", kTinyBin, tiny == 1 ? "it" : "them"));
}

void left_out(const SplitResult& result, const AnnotationSummary& calibration, Words& out) {
  if (result.left_out.empty()) return;
  out.push_back(
      fmt::format("left out: {}; with {} classes {} more numbers than the {} calibration rows can "
                  "carry (‹methods› "
                  "compares what it names all the same)",
                  fmt::join(result.left_out, ", "), calibration.classes,
                  result.left_out.size() == 1 ? "it fits" : "they fit", calibration.rows));
}

void few_groups(const SplitResult& result, const AnnotationSummary& evaluation, Words& out) {
  if (evaluation.groups == 0 || result.resampled_units == 0) return;
  if (result.resampled_units >= kFewGroups) return;
  out.push_back(fmt::format(
      "the test rows are of {} groups: with fewer than {}, intervals over groups are too narrow",
      result.resampled_units, kFewGroups));
}

}  // namespace

Words warnings(const SplitResult& result, const AnnotationSummary& calibration,
               const AnnotationSummary& evaluation, std::size_t unseen) {
  Words out;
  if (result.by_chance) {
    out.push_back(
        "predictions agree with the annotators no more than chance would: rows of scores and votes "
        "may not belong together (look at ids and at the order of rows), and no calibration helps");
  }
  if (!result.no_intervals.empty()) out.push_back(result.no_intervals);
  left_out(result, calibration, out);
  few_groups(result, evaluation, out);
  votes(calibration, evaluation, out);
  few_rows(result, calibration, out);
  unseen_classes(calibration, unseen, out);
  annotation_free(result, evaluation, out);
  methods(result, out);
  tiny_bins(result, out);
  return out;
}

}  // namespace credence::experiment
