#include "report/paper_table.hpp"

#include <fmt/format.h>

#include "credence/report.hpp"

namespace credence::report {
namespace {

/// An nll without a value is infinite; another metric without one is unknown.
std::string_view missing_text(std::string_view metric) { return metric == "nll" ? "infinite" : ""; }

PaperCell cell(const Results& results, const MethodRecord& method, const PaperColumn& column) {
  PaperCell result;
  const MetricRecord* metric = results.metric(column.metric);
  result.best = metric != nullptr && among_best(results.first(), method, *metric);
  if (results.splits.size() == 1) {
    const Maybe value = method.metric(column.metric).value;
    result.text = value ? fmt::format("{:.{}f}", column.scale * *value, column.digits)
                        : std::string(missing_text(column.metric));
    return result;
  }
  const SpreadRecord* spread = results.over_all_splits(method.name, column.metric);
  if (spread == nullptr || !spread->mean) {
    result.text = missing_text(column.metric);
    return result;
  }
  result.text = fmt::format("{:.{}f}", column.scale * *spread->mean, column.digits);
  if (spread->deviation) {
    result.spread = fmt::format("{:.{}f}", column.scale * *spread->deviation, column.digits);
  }
  return result;
}

std::string plain(const PaperCell& cell) {
  if (cell.text.empty()) return "-";
  return cell.spread.empty() ? cell.text : cell.text + " ± " + cell.spread;
}

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::vector<PaperRow> paper_rows(const Results& results) {
  std::vector<PaperRow> rows;
  for (const MethodRecord& method : results.first().methods) {
    PaperRow row{.method = method.name,
                 .oracle = method.oracle,
                 .recommended = method.recommended,
                 .temperature = {},
                 .cells = {}};
    if (method.temperature) row.temperature = fmt::format("{:.3f}", *method.temperature);
    for (const PaperColumn& column : kPaperColumns) {
      row.cells.push_back(cell(results, method, column));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string paper_caption(const Results& results) {
  const ProtocolRecord& protocol = results.protocol;
  std::string text = fmt::format(
      "{} evaluation examples, {} classes. ECE, aECE and cwECE in per cent, means over {} draws of "
      "one annotation per example ({} bins); Br: Brier score against one random annotator; NLL "
      "against the annotators' distribution. Bold: not worse than the best within the {:.4g} % "
      "interval of the paired difference",
      results.evaluation.rows, results.evaluation.classes, protocol.draws, protocol.bins,
      100.0 * protocol.level);
  if (results.splits.size() > 1) {
    text += fmt::format(
        " on the first of {} splits; values are means and standard deviations over "
        "the splits, T of the first",
        results.splits.size());
  }
  return text + ". Rows are ordered by NLL.";
}

std::string table_markdown(const Results& results) {
  std::string out = "| method | T |";
  for (const PaperColumn& column : kPaperColumns) out += fmt::format(" {} |", column.heading);
  out += "\n|---|--:|--:|--:|--:|--:|--:|\n";
  for (const PaperRow& row : paper_rows(results)) {
    std::string name;
    for (const char c : row.method) name += c == '|' ? std::string("\\|") : std::string(1, c);
    if (row.oracle) name = "*" + name + "* (fitted on the evaluation rows)";
    if (row.recommended) name += " (recommended)";
    out += fmt::format("| {} | {} |", name, row.temperature.empty() ? "-" : row.temperature);
    for (const PaperCell& one : row.cells) {
      const std::string_view mark = one.best ? "**" : "";
      out += fmt::format(" {0}{1}{0} |", mark, plain(one));
    }
    out += "\n";
  }
  return out + "\n" + paper_caption(results) + "\n";
}

std::string table_latex(const Results& results) {
  std::string out =
      "% Needs \\usepackage{booktabs}.\n"
      "\\begin{table}\n  \\centering\n"
      "  \\caption{" +
      latex_text(paper_caption(results)) +
      "}\n  \\begin{tabular}{lrrrrrr}\n    \\toprule\n    Method & $T$";
  for (const PaperColumn& column : kPaperColumns) {
    out += fmt::format(" & {}$\\downarrow$", column.heading);
  }
  out += " \\\\\n    \\midrule\n";
  for (const PaperRow& row : paper_rows(results)) {
    std::string name = latex_text(row.method);
    if (row.oracle) name = "\\textit{" + name + "}";
    out += fmt::format("    {} & {}", name, row.temperature.empty() ? "---" : row.temperature);
    for (const PaperCell& one : row.cells) {
      std::string text = one.text.empty() ? "---" : one.text;
      if (one.best) text = "\\textbf{" + text + "}";
      if (!one.spread.empty()) text += "$\\,\\pm\\,$" + one.spread;
      out += " & " + text;
    }
    out += " \\\\\n";
  }
  return out + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

}  // namespace credence::report
