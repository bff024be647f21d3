// Tables of single examples, thinned out while they are read: they may be larger than memory.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "credence/error.hpp"
#include "io/text/delimited.hpp"
#include "report/read_results.hpp"
#include "report/thinning.hpp"

namespace credence::report {
namespace {

using Cells = std::vector<std::string_view>;

std::size_t column(const io::DelimitedTable& table, std::string_view name) {
  if (const auto found = table.column(name)) return *found;
  throw Error(ErrorCode::format, fmt::format("{}: no column '{}'", table.path(), name),
              "give the evaluation.csv that ‹compare()› writes with ‹examples›");
}

double number(const io::DelimitedTable& table, std::string_view cell, std::string_view name) {
  if (const auto value = io::parse_number(cell)) return *value;
  throw Error(ErrorCode::format, fmt::format("{}:{}: {} is '{}', wanted a number", table.path(),
                                             table.line(), name, cell));
}

/// The apostrophe that keeps a spreadsheet from running a name as a formula.
std::string armed(std::string_view cell) {
  constexpr std::string_view kFormula = "=+-@";
  const bool disarmed =
      cell.size() > 1 && cell[0] == '\'' && kFormula.find(cell[1]) != kFormula.npos;
  return std::string(disarmed ? cell.substr(1) : cell);
}

class TextSource final : public io::ByteSource {
 public:
  explicit TextSource(std::string_view text) : left_(text) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t taken = left_.copy(out, size);
    left_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view left_;
};

/// Opens the table again: it is read twice.
using Open = std::function<io::DelimitedTable()>;

/// How many rows each method has: all must have the same.
std::size_t rows_per_method(const Open& open) {
  io::DelimitedTable table = open();
  const std::size_t method = column(table, "method");
  Cells cells;
  std::string first;
  std::size_t rows = 0;
  while (table.next(cells)) {
    if (rows == 0) first = armed(cells[method]);
    if (armed(cells[method]) != first) return rows;
    ++rows;
  }
  return rows;
}

ExampleRecords read_thinned(const Open& open, std::size_t most) {
  ExampleRecords examples;
  examples.available = rows_per_method(open);
  const std::size_t total = examples.available;
  io::DelimitedTable table = open();
  const std::size_t row = column(table, "row"), id = column(table, "id"),
                    method = column(table, "method"), predicted = column(table, "predicted"),
                    voted = column(table, "voted"), votes = column(table, "votes"),
                    confidence = column(table, "confidence"),
                    agreement = column(table, "agreement"), correct = column(table, "correct");
  Cells cells;
  std::size_t at = 0;
  while (table.next(cells)) {
    const std::string name = armed(cells[method]);
    if (examples.methods.empty() || examples.methods.back().name != name) {
      if (at % std::max<std::size_t>(total, 1) != 0) break;
      examples.methods.push_back({.name = name, .confidence = {}, .agreement = {}, .correct = {}});
      at = 0;
    }
    ExampleRecords::Method& into = examples.methods.back();
    if (is_kept(at++, total, most)) {
      if (examples.methods.size() == 1) {
        examples.names.push_back(cells[id].empty() ? "row " + std::string(cells[row])
                                                   : armed(cells[id]));
        examples.votes.push_back(number(table, cells[votes], "votes"));
        examples.predicted.push_back(armed(cells[predicted]));
        examples.voted.push_back(armed(cells[voted]));
      }
      into.confidence.push_back(number(table, cells[confidence], "confidence"));
      into.agreement.push_back(number(table, cells[agreement], "agreement"));
      into.correct.push_back(cells[correct] == "1");
    }
  }
  for (const ExampleRecords::Method& one : examples.methods) {
    if (one.confidence.size() == examples.names.size()) continue;
    throw Error(ErrorCode::format,
                fmt::format("{}: '{}' does not have the same examples as the other methods",
                            table.path(), one.name),
                "write it again: ‹compare()› with ‹examples› and ‹results_folder=DIR›");
  }
  return examples;
}

}  // namespace

ExampleRecords read_examples(const std::string& path, std::size_t most) {
  return read_thinned([&] { return io::DelimitedTable(path); }, most);
}

ExampleRecords read_examples_text(std::string_view text, std::size_t most) {
  return read_thinned(
      [&] {
        return io::DelimitedTable(
            io::TextLines("evaluation.csv", std::make_unique<TextSource>(text)));
      },
      most);
}

std::vector<ToyPointRecord> read_toy_points(const std::string& path) {
  io::DelimitedTable table(path);
  const std::size_t x = column(table, "x"), y = column(table, "y"),
                    region = column(table, "region"), voted = column(table, "voted"),
                    part = column(table, "part");
  std::vector<ToyPointRecord> points;
  Cells cells;
  while (table.next(cells)) {
    if (cells[part] != "evaluation") continue;
    points.push_back({number(table, cells[x], "x"), number(table, cells[y], "y"),
                      std::string(cells[voted]), cells[region] == "ambiguous"});
  }
  return points;
}

}  // namespace credence::report
