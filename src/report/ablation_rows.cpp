#include "report/ablation_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace credence::report {
namespace {

Maybe metric_value(const AblationMethodRecord& point, std::string_view metric) {
  const Maybe* found = point.metrics.find(metric);
  return found != nullptr ? *found : Maybe();
}

}  // namespace

void Series::add(Maybe value) {
  if (value) values_.push_back(*value);
  missing_ += value ? 0 : 1;
}

Maybe Series::mean() const {
  if (values_.empty() || missing_ > 0) return std::nullopt;
  double sum = 0.0;
  for (const double value : values_) sum += value;
  return sum / static_cast<double>(values_.size());
}

std::string Series::text(double scale, int digits, std::string_view without) const {
  const Maybe average = mean();
  if (!average) {
    const std::size_t seeds = values_.size() + missing_;
    if (values_.empty()) return std::string(without);
    return fmt::format("{} on {} of {} seeds", without, missing_, seeds);
  }
  const std::string text = fmt::format("{:.{}f}", scale * *average, digits);
  if (values_.size() < 2) return text;
  double squares = 0.0;
  for (const double value : values_) squares += (value - *average) * (value - *average);
  const double deviation = std::sqrt(squares / (static_cast<double>(values_.size()) - 1.0));
  return fmt::format("{} ± {:.{}f}", text, scale * deviation, digits);
}

std::vector<AblationRow> rows_over_seeds(const AblationRecord& ablation) {
  std::vector<AblationRow> rows;
  for (const AblationSettingRecord& result : ablation.results) {
    const Study study = read_study(result.study);
    for (const AblationMethodRecord& point : result.methods) {
      auto row = std::ranges::find_if(rows, [&](const AblationRow& known) {
        return known.study == study && known.setting == result.setting &&
               known.method == point.method;
      });
      if (row == rows.end()) {
        rows.push_back({study, result.setting, point.method, {}, {}, {}, {}});
        row = rows.end() - 1;
      }
      row->temperature.add(point.temperature);
      row->ece_true.add(metric_value(point, "ece_true"));
      row->ece_expected.add(metric_value(point, "ece_expected"));
      row->nll.add(metric_value(point, "nll"));
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

}  // namespace credence::report
