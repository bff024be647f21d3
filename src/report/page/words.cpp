#include "report/page/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/text.hpp"

namespace credence::report {

bool in_percent(std::string_view metric) {
  return std::ranges::any_of(
      metric_table(), [&](const Metric& known) { return known.name == metric && known.percent; });
}

double scale_of(std::string_view metric) { return in_percent(metric) ? 100.0 : 1.0; }
int digits_of(std::string_view metric) { return in_percent(metric) ? 2 : 4; }

std::string value_text(std::string_view metric, Maybe value) {
  if (!value) return metric == "nll" || metric == "kl" ? "infinite" : "-";
  return fmt::format("{:.{}f}", scale_of(metric) * *value, digits_of(metric));
}

std::string value_with_unit(std::string_view metric, Maybe value) {
  return value_text(metric, value) + (value && in_percent(metric) ? " %" : "");
}

std::string interval_text(std::string_view metric, const EstimateRecord& e) {
  if (!e.low || !e.high) return {};
  return fmt::format("[{}, {}]", value_text(metric, e.low), value_text(metric, e.high));
}

std::string note_text(std::string_view metric, const EstimateRecord& e) {
  std::string text = fmt::format("{} {}", metric, value_with_unit(metric, e.value));
  const std::string interval = interval_text(metric, e);
  return interval.empty() ? text : text + " " + interval;
}

std::string counted(std::size_t value) { return grouped_digits(value); }

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}f} %", 100.0 * share, digits);
}

std::string shell_command(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == word.npos;
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace credence::report
