// Small tables for people, spreadsheets and documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credence::cli {

class TextTable {
 public:
  /// One letter per column in `alignment`: 'l' or 'r'.
  TextTable(std::vector<std::string> header, std::string alignment);
  void row(std::vector<std::string> cells);

  /// Columns padded with spaces, two between them; no trailing spaces. Cells are `printable` here
  /// and in Markdown; CSV keeps what it is given.
  std::string text(std::string_view indent = "") const;
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<std::string> header_;
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// Quoted as RFC 4180 asks when it has to be.
std::string csv_cell(std::string_view cell);

}  // namespace credence::cli
