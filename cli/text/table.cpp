#include "text/table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "credence/text.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

// Characters, not bytes: class names may be in any language.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string markdown_cell(std::string_view cell) {
  std::string out;
  for (const char c : printable(cell)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header, std::string alignment)
    : header_(std::move(header)), alignment_(std::move(alignment)) {
  assert(header_.size() == alignment_.size());
}

void TextTable::row(std::vector<std::string> cells) {
  assert(cells.size() == header_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::vector<std::string>> lines{header_};
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(header_.size());
  for (auto& cells : lines) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      cells[c] = printable(cells[c]);
      widths[c] = std::max(widths[c], width(cells[c]));
    }
  }
  std::string out;
  for (const auto& cells : lines) {
    std::string line(indent);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - width(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += alignment_[c] == 'r' ? padding + cells[c] : cells[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  const auto append = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) {
      out += "| ";
      out += markdown_cell(cell);
      out += ' ';
    }
    out += "|\n";
  };
  append(header_);
  for (const char side : alignment_) out += side == 'r' ? "|--:" : "|---";
  out += "|\n";
  for (const auto& cells : rows_) append(cells);
  return out;
}

std::string TextTable::csv() const {
  std::string out;
  const auto append = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_cell(cells[c]);
    }
    out += "\n";
  };
  append(header_);
  for (const auto& cells : rows_) append(cells);
  return out;
}

std::string csv_cell(std::string_view cell) { return csv_quoted(cell); }

}  // namespace credence::cli
