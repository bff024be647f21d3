#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "credence/report.hpp"
#include "credence/settings.hpp"
#include "report/ablation_rows.hpp"
#include "report/csv.hpp"
#include "report/record_fields.hpp"
#include "report/shared_records.hpp"

namespace credence::report {
namespace {

using io::Json;

AblationSettingRecord setting_record(const AblationResult& result) {
  AblationSettingRecord record{.study = std::string(to_string(result.task.study)),
                               .setting = result.task.setting,
                               .seed = result.task.seed,
                               .calibration_rows = result.calibration_rows,
                               .votes_per_example = result.votes_per_example,
                               .methods = {}};
  for (const AblationPoint& point : result.points) {
    AblationMethodRecord method{point.method, {}, {}};
    if (point.temperature > 0.0) method.temperature = point.temperature;
    for (std::size_t k = 0; k < point.metrics.size(); ++k) {
      const bool finite = point.metrics[k] && std::isfinite(*point.metrics[k]);
      method.metrics.emplace_back(metric_table()[k].name, finite ? point.metrics[k] : Maybe());
    }
    record.methods.push_back(std::move(method));
  }
  return record;
}

std::string_view title(Study study) {
  switch (study) {
    case Study::size:
      return "Share of the calibration rows";
    case Study::votes:
      return "Votes per calibration example";
    case Study::draws:
      return "Annotations drawn by mcts";
    case Study::smoothing:
      break;
  }
  return "Smoothing without annotations";
}

}  // namespace

AblationRecord ablation_record(const std::vector<AblationResult>& results,
                               const AblateOptions& options, const AnnotationSummary& data,
                               const Provenance& provenance) {
  AblationRecord record{.origin = "results.json",
                        .provenance = provenance,
                        .data = annotation_record(data),
                        .seeds = options.seeds,
                        .calibration_share = options.calibration_share,
                        .split = how_rows_split(data),
                        .gauge = std::string(to_string(options.gauge)),
                        .bins = static_cast<std::size_t>(options.metrics.bins),
                        .draws = static_cast<std::size_t>(options.metrics.draws),
                        .draw_seed = options.metrics.seed,
                        .metrics = metric_records(),
                        .results = {}};
  for (const AblationResult& result : results) record.results.push_back(setting_record(result));
  return record;
}

std::string ablation_csv(const AblationRecord& ablation) {
  std::string out = "study,setting,seed,calibration_rows,votes_per_example,method,temperature";
  for (const MetricRecord& metric : ablation.metrics) out += fmt::format(",{}", metric.name);
  out += "\n";
  for (const AblationSettingRecord& result : ablation.results) {
    for (const AblationMethodRecord& point : result.methods) {
      out += fmt::format("{},{},{},{},{},{},{}", result.study, csv_number(result.setting),
                         result.seed, result.calibration_rows, csv_number(result.votes_per_example),
                         csv_text(point.method), csv_number(point.temperature));
      for (const auto& [name, value] : point.metrics) out += "," + csv_number(value);
      out += "\n";
    }
  }
  return out;
}

std::string ablation_markdown(const AblationRecord& ablation) {
  std::string out;
  std::optional<Study> current;
  for (const AblationRow& row : rows_over_seeds(ablation)) {
    if (current != row.study) {
      current = row.study;
      out += fmt::format(
          "{}### {}\n\n| setting | method | T | ECE % | expected ECE % | NLL |\n"
          "|---|---|--:|--:|--:|--:|\n",
          out.empty() ? "" : "\n", title(row.study));
    }
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", setting_words(row.study, row.setting),
                    row.method, row.temperature.text(1.0, 3, "-"), row.ece_true.text(100.0, 2, "-"),
                    row.ece_expected.text(100.0, 2, "-"), row.nll.text(1.0, 4, "infinite"));
  }
  out += "\n### Conclusion\n\n";
  for (const std::string& sentence : ablation_conclusions(ablation)) {
    out += fmt::format("- {}\n", sentence);
  }
  return out;
}

std::string ablation_line(const AblationResult& result) {
  return io::to_json_line(RecordWriter::to_json(setting_record(result)));
}

AblationResult read_ablation_line(const std::string& line, const std::string& origin) {
  const Json json =
      io::parse_json(line, origin, "a journal is written by ‹ablate()› with ‹results_folder=DIR›");
  try {
    AblationResult result;
    result.task = {read_study(json.at("study").get<std::string>()),
                   json.at("setting").get<double>(), json.at("seed").get<std::uint64_t>()};
    result.calibration_rows = json.at("calibration_rows").get<std::size_t>();
    result.votes_per_example = json.at("votes_per_example").get<double>();
    for (const Json& method : json.at("methods")) {
      AblationPoint point;
      point.method = method.at("method").get<std::string>();
      const Json& temperature = method.at("temperature");
      point.temperature = temperature.is_null() ? 0.0 : temperature.get<double>();
      for (const Metric& metric : metric_table()) {
        const Json& value = method.at("metrics").at(std::string(metric.name));
        point.metrics.push_back(value.is_null() ? std::nullopt
                                                : std::optional(value.get<double>()));
      }
      result.points.push_back(std::move(point));
    }
    return result;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::format, fmt::format("{}: not a line of an ablation journal", origin));
  }
}

}  // namespace credence::report
