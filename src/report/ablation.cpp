#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "credence/report.hpp"
#include "report/csv.hpp"
#include "report/provenance.hpp"

namespace credence::report {
namespace {

using io::Json;

std::size_t metric_index(std::string_view name) {
  const auto table = metric_table();
  return static_cast<std::size_t>(std::ranges::find(table, name, &Metric::name) - table.begin());
}

Json result_json(const AblationResult& result) {
  Json points = Json::array();
  for (const AblationPoint& point : result.points) {
    Json metrics = Json::object();
    for (std::size_t k = 0; k < point.metrics.size(); ++k) {
      metrics[std::string(metric_table()[k].name)] = number_json(point.metrics[k]);
    }
    points.push_back({{"method", point.method},
                      {"temperature", point.temperature > 0.0 ? Json(point.temperature) : Json()},
                      {"metrics", metrics}});
  }
  return {{"study", to_string(result.task.study)},
          {"setting", result.task.setting},
          {"seed", result.task.seed},
          {"calibration_rows", result.calibration_rows},
          {"votes_per_example", result.votes_per_example},
          {"methods", points}};
}

/// Mean and standard deviation of what is there.
struct Series {
  std::vector<double> values;
  void add(std::optional<double> value) {
    if (value) values.push_back(*value);
  }
  std::string text(double scale, int digits) const {
    if (values.empty()) return "-";
    const auto n = static_cast<double>(values.size());
    double sum = 0.0, squares = 0.0;
    for (const double v : values) sum += v;
    for (const double v : values) squares += (v - sum / n) * (v - sum / n);
    const std::string mean = fmt::format("{:.{}f}", scale * sum / n, digits);
    if (values.size() < 2) return mean;
    return fmt::format("{} ± {:.{}f}", mean, scale * std::sqrt(squares / (n - 1.0)), digits);
  }
};

struct Row {
  Study study;
  double setting;
  std::string method;
  Series temperature, ece_true, ece_expected, nll;
  bool same(const AblationResult& result, const AblationPoint& point) const {
    return study == result.task.study && setting == result.task.setting && method == point.method;
  }
};

std::vector<Row> rows_over_seeds(const std::vector<AblationResult>& results) {
  const std::size_t ece_true = metric_index("ece_true"), nll = metric_index("nll"),
                    expected = metric_index("ece_expected");
  std::vector<Row> rows;
  for (const AblationResult& result : results) {
    for (const AblationPoint& point : result.points) {
      auto row = std::ranges::find_if(rows, [&](const Row& r) { return r.same(result, point); });
      if (row == rows.end()) {
        rows.push_back({result.task.study, result.task.setting, point.method, {}, {}, {}, {}});
        row = rows.end() - 1;
      }
      if (point.temperature > 0.0) row->temperature.add(point.temperature);
      row->ece_true.add(point.metrics[ece_true]);
      row->ece_expected.add(point.metrics[expected]);
      row->nll.add(point.metrics[nll]);
    }
  }
  return rows;
}

std::string setting_words(Study study, double setting) {
  switch (study) {
    case Study::size:
      return fmt::format("{:.4g} %", 100.0 * setting);
    case Study::votes:
      return fmt::format("m = {:g}", setting);
    case Study::draws:
      return fmt::format("S = {:g}", setting);
    case Study::smoothing:
      break;
  }
  return "-";
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

std::string ablation_csv(const std::vector<AblationResult>& results) {
  std::string out = "study,setting,seed,calibration_rows,votes_per_example,method,temperature";
  for (const Metric& metric : metric_table()) out += fmt::format(",{}", metric.name);
  out += "\n";
  for (const AblationResult& result : results) {
    for (const AblationPoint& point : result.points) {
      out += fmt::format(
          "{},{},{},{},{},{},{}", to_string(result.task.study), csv_number(result.task.setting),
          result.task.seed, result.calibration_rows, csv_number(result.votes_per_example),
          csv_text(point.method),
          csv_number(point.temperature > 0.0 ? std::optional(point.temperature) : std::nullopt));
      for (const auto& value : point.metrics) out += "," + csv_number(value);
      out += "\n";
    }
  }
  return out;
}

std::string ablation_markdown(const std::vector<AblationResult>& results) {
  std::string out;
  std::optional<Study> current;
  for (const Row& row : rows_over_seeds(results)) {
    if (current != row.study) {
      current = row.study;
      out += fmt::format(
          "{}### {}\n\n| setting | method | T | ECE % | expected ECE % | NLL |\n"
          "|---|---|--:|--:|--:|--:|\n",
          out.empty() ? "" : "\n", title(row.study));
    }
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", setting_words(row.study, row.setting),
                       row.method, row.temperature.text(1.0, 3), row.ece_true.text(100.0, 2),
                       row.ece_expected.text(100.0, 2), row.nll.text(1.0, 4));
  }
  return out;
}

std::string ablation_json(const std::vector<AblationResult>& results, const AblateOptions& options,
                          const AnnotationSummary& data, const Provenance& provenance) {
  Json protocol{{"seeds", options.seeds},
                {"calibration_share", options.calibration_share},
                {"split", data.groups > 0 ? "whole groups" : "stratified by voted label"},
                {"gauge", options.gauge == Gauge::raw ? "raw" : "log_probs"},
                {"metrics",
                 {{"bins", options.metrics.bins},
                  {"draws", options.metrics.draws},
                  {"draw_seed", options.metrics.seed}}}};
  add_origin(protocol, provenance);
  Json document = document_head("credence-ablation", provenance);
  document["data"] = annotations_json(data);
  document["protocol"] = std::move(protocol);
  document["metrics"] = metric_definitions();
  Json all = Json::array();
  for (const AblationResult& result : results) all.push_back(result_json(result));
  document["results"] = std::move(all);
  return io::to_json_text(document);
}

std::string ablation_line(const AblationResult& result) {
  return io::to_json_line(result_json(result));
}

AblationResult read_ablation_line(const std::string& line, const std::string& origin) {
  const Json json = io::parse_json(line, origin, "a journal is written by 'credence ablate -o'");
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
