// `credence evaluate`: the metrics of a calibrator, or of anybody's file of probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "aligned_calibrator.hpp"
#include "commands/commands.hpp"
#include "credence/io.hpp"
#include "credence/metrics.hpp"
#include "json_output.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

/// What was scored, for the protocol.
struct Subject {
  std::string method;  ///< of the calibrator; "as given" for a file of probabilities
  std::string gauge;
  std::string score_kind;
  std::string fitted_fingerprint;  ///< of the rows the calibrator was fitted on
  std::string calibrator_classes;  ///< how the calibrator's classes were matched
};

struct Scored {
  Subject subject;
  io::LoadedDataset loaded;
  Evaluation evaluation;
};

Calibrator uncalibrated(const Dataset& data) {
  Calibrator calibrator;
  calibrator.method = "uncalibrated";
  calibrator.classes = data.classes;
  calibrator.class_count = data.classes_count();
  calibrator.stages.push_back({.target = NoTarget{}, .map = Identity{}, .theta = {}, .report = {}});
  return calibrator;
}

Evaluation evaluate_calibrated(AlignedCalibrator& aligned, const Dataset& data,
                               const MetricOptions& protocol, int threads) {
  const std::size_t columns = data.classes_count();
  const std::size_t block_rows = std::max<std::size_t>(1, kBlockBytes / (sizeof(double) * columns));
  Matrix<double> probabilities(std::min(block_rows, data.rows()), columns);
  Evaluator evaluator(data.votes, protocol);
  for (std::size_t first = 0; first < data.rows(); first += block_rows) {
    const std::size_t rows = std::min(block_rows, data.rows() - first);
    const MutRows out(probabilities.data(), rows, columns);
    aligned.apply(data.scores.block(first, rows), out, threads);
    evaluator.add(out);
  }
  return evaluator.finish();
}

Scored score(const EvaluateOptions& options) {
  const io::ScoreFile file = score_file(options.data);
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to score against",
                "name them with --votes FILE, or with --labels FILE when only voted labels are "
                "known");
  }
  const bool as_stored = options.model.empty() && file.kind == ScoreKind::probs;
  std::optional<io::LoadedCalibrator> model;
  if (!options.model.empty()) model = io::load_calibrator(options.model);

  const MetricOptions protocol{.bins = options.bins, .entropy_bins = options.entropy_bins};
  Scored scored;
  scored.loaded = load(options.data, as_stored);
  scored.subject.score_kind = std::string(to_string(file.kind));
  const Dataset& data = scored.loaded.data;
  const Progress progress("scoring");
  if (as_stored) {
    scored.subject.method = "as given";
    scored.evaluation = evaluate(scored.loaded.probabilities.view(), data.votes, protocol);
    return scored;
  }
  if (!model) model = io::LoadedCalibrator{uncalibrated(data), {}};
  AlignedCalibrator aligned(std::move(*model), options.model, data.classes_count(), data.classes,
                            file.kind, file.path);
  scored.subject.method = aligned.calibrator().method;
  scored.subject.gauge = aligned.calibrator().gauge == Gauge::raw ? "raw" : "log_probs";
  scored.subject.fitted_fingerprint = aligned.info().fingerprint;
  if (!options.model.empty()) scored.subject.calibrator_classes = std::string(aligned.matched());
  scored.evaluation = evaluate_calibrated(aligned, data, protocol, options.threads);
  return scored;
}

/// Why a metric has no value.
std::string missing_reason(const Scored& scored, std::string_view metric) {
  const std::size_t infinite = scored.evaluation.infinite_nll_rows;
  if ((metric == "nll" || metric == "kl") && infinite > 0) {
    return fmt::format("infinite: {} examples have probability 0 for a class somebody chose",
                       grouped(infinite));
  }
  const Votes& votes = scored.loaded.data.votes;
  if (votes.evidence() == Evidence::voted) return "voted labels do not tell how annotators differ";
  if (votes.are_shares()) return "shares do not tell how many annotators there were";
  return "needs examples with two or more counted votes";
}

std::string_view better(Direction direction) {
  switch (direction) {
    case Direction::lower:
      return "lower";
    case Direction::higher:
      return "higher";
    case Direction::neither:
      break;
  }
  return "-";
}

TextTable metric_rows(const Scored& scored, bool for_people) {
  TextTable table({"metric", "value", "better", "meaning"}, "lrll");
  const std::span<const Metric> catalogue = metric_table();
  for (const MetricValue& metric : scored.evaluation.metrics) {
    const auto entry = std::find_if(catalogue.begin(), catalogue.end(),
                                    [&](const Metric& m) { return m.name == metric.name; });
    const Metric known = entry == catalogue.end() ? Metric{} : *entry;
    std::string value = for_people ? "-" : "", meaning(known.meaning);
    if (metric.value) {
      value = for_people ? fmt::format("{:.6f}", *metric.value) : exact_number(*metric.value);
    } else if (for_people) {
      meaning = fmt::format("({}) {}", missing_reason(scored, metric.name), meaning);
    }
    table.row({std::string(metric.name), value, std::string(better(known.better)), meaning});
  }
  return table;
}

TextTable reliability_rows(const Evaluation& evaluation, bool for_people) {
  TextTable table({"confidence", "examples", "mean confidence", "annotators agree", "voted agree"},
                  "lrrrr");
  const std::size_t bins = evaluation.reliability.size();
  for (std::size_t b = 0; b < bins; ++b) {
    const ReliabilityBin& bin = evaluation.reliability[b];
    const auto number = [&](double value) {
      if (bin.count == 0) return std::string(for_people ? "-" : "");
      return for_people ? fmt::format("{:.4f}", value) : exact_number(value);
    };
    const double width = static_cast<double>(bins);
    table.row({fmt::format("{}{:.3f}, {:.3f}]", b == 0 ? "[" : "(", static_cast<double>(b) / width,
                           static_cast<double>(b + 1) / width),
               std::to_string(bin.count), number(bin.confidence), number(bin.agreement),
               number(bin.accuracy)});
  }
  return table;
}

std::string as_text(const Scored& scored, const EvaluateOptions& options) {
  const Paint paint(stdout);
  const Votes& votes = scored.loaded.data.votes;
  std::string out =
      fmt::format("{}\n{} examples, {} classes, {} ({:.4g} votes per example), {} bins\n\n{}",
                  paint.bold(scored.subject.method), grouped(scored.evaluation.rows),
                  scored.evaluation.classes, to_string(votes.evidence()), mean_votes(votes),
                  options.bins, metric_rows(scored, true).text("  "));
  if (options.reliability) {
    out += fmt::format("\n{}\n{}", paint.bold("Reliability"),
                       reliability_rows(scored.evaluation, true).text("  "));
  }
  return out;
}

Json protocol_json(const Scored& scored, const EvaluateOptions& options) {
  const Dataset& data = scored.loaded.data;
  const io::JoinReport& join = scored.loaded.join;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  return {{"bins", options.bins},
          {"entropy_bins", options.entropy_bins},
          {"rows", scored.evaluation.rows},
          {"classes", scored.evaluation.classes},
          {"class_names", data.classes},
          {"evidence", to_string(data.evidence())},
          {"votes_per_example", mean_votes(data.votes)},
          {"ties", data.votes.ties()},
          {"score_kind", scored.subject.score_kind},
          {"clipped", data.clipped},
          {"gauge", or_null(scored.subject.gauge)},
          {"fingerprint", data.fingerprint()},
          {"fitted_fingerprint", or_null(scored.subject.fitted_fingerprint)},
          {"joined_by", join.joined_by},
          {"classes_matched", join.classes_matched},
          {"calibrator_classes_matched", or_null(scored.subject.calibrator_classes)},
          {"notes", join.notes}};
}

std::string as_json(const Scored& scored, const EvaluateOptions& options) {
  const Evaluation& evaluation = scored.evaluation;
  Json metrics = Json::object();
  for (const MetricValue& metric : evaluation.metrics) {
    // JSON has no infinity; a loss that is infinite is told by infinite_nll_rows.
    const bool finite = metric.value && std::isfinite(*metric.value);
    metrics[std::string(metric.name)] = finite ? Json(*metric.value) : Json(nullptr);
  }
  Json reliability = Json::array();
  const double bins = static_cast<double>(evaluation.reliability.size());
  for (std::size_t b = 0; b < evaluation.reliability.size(); ++b) {
    const ReliabilityBin& bin = evaluation.reliability[b];
    const auto number = [&](double value) { return bin.count == 0 ? Json(nullptr) : Json(value); };
    reliability.push_back({{"from", static_cast<double>(b) / bins},
                           {"to", static_cast<double>(b + 1) / bins},
                           {"count", bin.count},
                           {"confidence", number(bin.confidence)},
                           {"agreement", number(bin.agreement)},
                           {"accuracy", number(bin.accuracy)}});
  }
  Json pointwise = Json::array();
  for (const EntropyBin& bin : evaluation.pointwise_by_entropy) {
    pointwise.push_back({{"count", bin.count},
                         {"entropy", bin.entropy},
                         {"error", bin.error},
                         {"standard_error", bin.standard_error}});
  }
  return to_text({{"method", scored.subject.method},
                  {"metrics", metrics},
                  {"infinite_nll_rows", evaluation.infinite_nll_rows},
                  {"repeated_rows", evaluation.repeated_rows},
                  {"reliability", reliability},
                  {"pointwise_by_entropy", pointwise},
                  {"protocol", protocol_json(scored, options)}});
}

void print_cautions(const Scored& scored) {
  print_notes(scored.loaded.join.notes);
  const Dataset& data = scored.loaded.data;
  if (data.evidence() == Evidence::voted) {
    print_note(
        "only voted labels are known: metrics against annotators equal those against the "
        "vote");
  }
  if (scored.evaluation.infinite_nll_rows > 0) {
    print_note(
        fmt::format("{} examples have probability 0 for a class that somebody chose: nll is "
                    "infinite",
                    grouped(scored.evaluation.infinite_nll_rows)));
  }
  if (!scored.subject.fitted_fingerprint.empty() &&
      scored.subject.fitted_fingerprint == data.fingerprint()) {
    print_note("these are the rows the calibrator was fitted on; expect worse on others");
  }
}

}  // namespace

void run_evaluate(const EvaluateOptions& options) {
  const Scored scored = score(options);
  print_cautions(scored);
  switch (options.format) {
    case Format::json:
      return print(as_json(scored, options));
    case Format::csv:
      return print(options.reliability ? reliability_rows(scored.evaluation, false).csv()
                                       : metric_rows(scored, false).csv());
    default:
      return print(as_text(scored, options));
  }
}

}  // namespace credence::cli
