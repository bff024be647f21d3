#include "text/compare_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "credence/compare.hpp"
#include "credence/report.hpp"
#include "text/output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "text/text_reliability.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t kWideTable = 102;  // columns that the whole table takes
constexpr std::size_t kTopMethods = 5, kTopWords = 4, kTopWarnings = 2;  // on one screen

std::string value(const MethodResult& method, std::string_view metric, double scale, int digits) {
  const auto found = method.evaluation[metric];
  return found ? fmt::format("{:.{}f}", scale * *found, digits) : "infinite";
}

/// The best methods, and always what the answer speaks of: the recommended one, the candidate, the
/// model as it is and the reference.
std::vector<const MethodResult*> table_rows(const Comparison& comparison, bool full) {
  const SplitResult& split = comparison.splits.front();
  std::vector<const MethodResult*> rows;
  for (const MethodResult& method : split.methods) {
    const bool spoken_of = method.name == split.recommended || method.name == split.candidate ||
                           method.name == "uncalibrated" ||
                           method.name == split.references.front() || method.oracle;
    if (full || spoken_of || rows.size() < kTopMethods) rows.push_back(&method);
  }
  return rows;
}

/// Narrow terminals get the columns that decide; files and `full` have the others.
TextTable summary_table(const Comparison& comparison, bool full) {
  const bool wide = full || terminal_columns(stdout) >= kWideTable;
  TextTable table =
      wide ? TextTable({"", "method", "T", "nll", "ece_expected %", "ece_true %", "ece_voted %",
                        "brier_reader", "accuracy %"},
                       "llrrrrrrr")
           : TextTable({"", "method", "T", "nll", "ece_expected %", "accuracy %"}, "llrrrr");
  const SplitResult& split = comparison.splits.front();
  for (const MethodResult* method : table_rows(comparison, full)) {
    const double temperature = method->calibrator.temperature();
    std::vector<std::string> cells{
        method->name == split.recommended ? "->"
        : method->oracle                  ? "(*)"
                                          : "",
        method->name, temperature > 0.0 ? fmt::format("{:.3f}", temperature) : "-",
        value(*method, "nll", 1.0, 4), value(*method, "ece_expected", 100.0, 2)};
    if (wide) {
      cells.push_back(value(*method, "ece_true", 100.0, 2));
      cells.push_back(value(*method, "ece_voted", 100.0, 2));
      cells.push_back(value(*method, "brier_reader", 1.0, 4));
    }
    cells.push_back(value(*method, "accuracy", 100.0, 2));
    table.row(cells);
  }
  return table;
}

/// The table with the recommended line standing out.
std::string summary_text(const Comparison& comparison, bool full, const Paint& paint) {
  const std::string table = summary_table(comparison, full).text("  ");
  std::string out;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    const std::string line = table.substr(at, end - at);
    out += (line.starts_with("  ->") ? paint.bold(line) : line) + "\n";
    at = end + 1;
  }
  return out;
}

TextTable spread_table(const Comparison& comparison, bool full) {
  TextTable table({"method", "chosen", "nll", "ece_expected %", "ece_true %", "brier_reader"},
                  "lrrrrr");
  const auto cell = [&](const MethodSpread& method, std::string_view metric, double scale,
                        int digits) {
    const auto found = std::ranges::find(method.metrics, metric, &Spread::metric);
    if (found == method.metrics.end()) return std::string("-");
    if (found->splits != comparison.splits.size()) {
      // A mean over the others would flatter it.
      return fmt::format("{} on {} of {}", metric == "nll" ? "infinite" : "none",
                         comparison.splits.size() - found->splits, comparison.splits.size());
    }
    return fmt::format("{:.{}f} ± {:.{}f}", scale * *found->mean, digits,
                       scale * found->deviation.value_or(0.0), digits);
  };
  const auto shown = table_rows(comparison, full);
  for (const MethodSpread& method : comparison.spread) {
    if (std::ranges::none_of(shown, [&](const auto* one) { return one->name == method.name; })) {
      continue;
    }
    table.row({method.name,
               fmt::format("{}/{}", method.times_recommended, comparison.splits.size()),
               cell(method, "nll", 1.0, 4), cell(method, "ece_expected", 100.0, 2),
               cell(method, "ece_true", 100.0, 2), cell(method, "brier_reader", 1.0, 4)});
  }
  return table;
}

/// The first are read on every screen; `full` has the others too.
std::string list_warnings(const std::vector<std::string>& warnings, std::size_t most,
                          const Paint& paint) {
  if (warnings.empty()) return {};
  const std::size_t shown = std::min(warnings.size(), most);
  std::string out = paint.bold("Read before you rely on it") + "\n";
  for (std::size_t i = 0; i < shown; ++i) out += "  - " + printable(warnings[i]) + "\n";
  if (shown < warnings.size()) {
    const std::size_t rest = warnings.size() - shown;
    const std::string_view what = shown > 0 ? "more" : rest == 1 ? "warning" : "warnings";
    out += fmt::format("  - {} {}: add --full\n", rest, what);
  }
  return out + "\n";
}

/// How much is printed: sentences of the answer, warnings, and whether also what `auto` is made of
/// and where the loss comes from.
struct Amount {
  std::size_t words, warnings;
  bool makings;
};

/// Only `full` says why something was not computed.
std::string makings_text(const report::Results& results, bool full) {
  std::string out;
  for (const report::MethodRecord& method : results.first().methods) {
    if (!full && &method != &results.chosen() && method.name != "auto") continue;
    const std::string words = report::selection_in_words(method);
    if (!words.empty()) out += printable(words) + "\n";
  }
  const auto& parts = results.first().loss_parts;
  if (full || (parts && parts->problem.empty())) {
    const std::string words = report::loss_in_words(results);
    if (!words.empty()) out += printable(words) + "\n";
  }
  return out.empty() ? out : out + "\n";
}

/// The headline, how sure it is and what decisions change come before how far confidence is off,
/// which the table shows too.
bool is_wanted(std::size_t word, std::size_t most) {
  constexpr std::array<std::size_t, 4> kRank{0, 1, 3, 2};
  return word < kRank.size() ? kRank[word] < most : word < most;
}

std::string as_text(const report::ComparisonRun& run, bool full, Amount amount) {
  const Comparison& comparison = run.comparison;
  const std::vector<std::string>& words = run.results.words;
  const Paint paint(stdout);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_wanted(i, amount.words)) continue;
    const std::string line = printable(words[i]);
    out += (i == 0 ? paint.bold(line) : line) + "\n";
  }
  out += fmt::format("\n{}\n", summary_text(comparison, full, paint));
  if (comparison.protocol.oracle) {
    out += "(*) fitted on the test rows: a bound, not a candidate\n\n";
  }
  if (amount.makings) out += makings_text(run.results, full);
  if (comparison.splits.size() > 1) {
    out += fmt::format("{}\n{}\n",
                       paint.bold(fmt::format("Over {} splits (mean ± standard deviation)",
                                              comparison.splits.size())),
                       spread_table(comparison, full).text("  "));
  }
  if (full) {
    const std::string diagram = text_reliability(comparison.splits.front(), paint);
    if (!diagram.empty()) {
      out += fmt::format("{}\n{}\n", paint.bold("Confidence and agreement"), diagram);
    }
  }
  return out + list_warnings(run.results.warnings, amount.warnings, paint);
}

std::size_t screen_lines(const std::string& text, std::size_t columns) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += std::max<std::size_t>(1, (end - at) / columns + ((end - at) % columns != 0 ? 1 : 0));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string fitted_text(const report::ComparisonRun& run, bool full) {
  constexpr std::size_t kBelow = 4;  // what is said of files, and the next prompt
  const std::size_t all = std::numeric_limits<std::size_t>::max();
  if (full) return as_text(run, true, {all, all, true});
  std::string text;
  for (const Amount amount : {Amount{kTopWords, kTopWarnings, true}, Amount{3, 1, true},
                              Amount{3, 1, false}, Amount{3, 0, false}}) {
    text = as_text(run, false, amount);
    const std::size_t rows = terminal_rows(stdout);
    if (rows == all || screen_lines(text, terminal_columns(stdout)) + kBelow <= rows) break;
  }
  return text;
}

std::string calibrators_in_words(const report::ComparisonRun& run, std::size_t rows) {
  const SplitResult& first = run.comparison.splits.front();
  std::string out = first.recommended == "uncalibrated"
                        ? std::string("calibrator.json leaves your scores as they are")
                        : fmt::format("calibrator.json is {}", first.recommended);
  if (run.comparison.final_calibrators.empty()) {
    out += first.recommended == "uncalibrated" ? "" : ", fitted on the calibration rows";
  } else if (first.recommended != "uncalibrated") {
    out += fmt::format(
        ", fitted again on all {} rows; calibrator-as-scored.json is the one that was scored",
        grouped(rows));
  }
  if (first.candidate != first.recommended) {
    out += fmt::format("; candidate.json is {}", first.candidate);
  }
  return out + ".\n";
}

}  // namespace credence::cli
