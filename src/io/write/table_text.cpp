// Tables of probabilities as text: CSV and JSON lines.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/write/table_writer.hpp"

namespace credence::io {
namespace {

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  text += '"';
}

class CsvTable : public StagedTable {
 public:
  CsvTable(const std::string& path, bool float64, std::vector<std::string> classes)
      : file_(path), shape_(std::move(classes)), float64_(float64) {}

  void write(Rows rows, const std::vector<std::string>& ids) override {
    const bool first = !shape_.known();
    shape_.check(rows, ids);
    if (first) write_header();
    std::string& text = file_.text();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (shape_.has_ids()) append_csv_cell(text, ids[i]);
      for (std::size_t k = 0; k < rows.cols(); ++k) {
        if (k > 0 || shape_.has_ids()) text += ',';
        append_number(text, rows(i, k), float64_);
      }
      text += '\n';
      file_.drain();
    }
  }

 private:
  void complete() override {
    if (!shape_.known()) write_header();
    file_.finish();
  }
  void publish() override { file_.commit(); }

  void write_header() {
    std::string& text = file_.text();
    if (shape_.has_ids()) text += "id";
    for (std::size_t k = 0; k < shape_.cols(); ++k) {
      if (k > 0 || shape_.has_ids()) text += ',';
      append_csv_cell(text, shape_.column(k));
    }
    text += '\n';
  }

  BufferedFile file_;
  TableShape shape_;
  bool float64_;
};

class JsonTable : public StagedTable {
 public:
  JsonTable(const std::string& path, bool float64, std::vector<std::string> classes,
            std::size_t extra)
      : file_(path), shape_(std::move(classes)), float64_(float64), extra_(extra) {}

  void write(Rows rows, const std::vector<std::string>& ids) override {
    shape_.check(rows, ids);
    std::string& text = file_.text();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      text += '{';
      if (shape_.has_ids()) {
        text += "\"id\":";
        append_json_string(text, ids[i]);
        text += ',';
      }
      text += "\"probs\":[";
      const std::size_t probabilities = rows.cols() - std::min(extra_, rows.cols());
      for (std::size_t k = 0; k < probabilities; ++k) {
        if (k > 0) text += ',';
        append_json_number(text, rows(i, k));
      }
      text += ']';
      for (std::size_t k = probabilities; k < rows.cols(); ++k) {
        text += ',';
        append_json_string(text, shape_.column(k));
        text += ':';
        append_json_number(text, rows(i, k));
      }
      text += "}\n";
      file_.drain();
    }
  }

 private:
  void complete() override { file_.finish(); }
  void publish() override { file_.commit(); }

  /// JSON has no NaN or infinity.
  void append_json_number(std::string& text, double value) const {
    if (std::isfinite(value)) {
      append_number(text, value, float64_);
    } else {
      text += "null";
    }
  }

  BufferedFile file_;
  TableShape shape_;
  bool float64_;
  std::size_t extra_;
};

}  // namespace

void append_csv_cell(std::string& text, std::string_view cell) {
  const bool plain = !cell.empty() && cell.find_first_of(",;\t\"\r\n#") == std::string_view::npos &&
                     cell.front() != ' ' && cell.back() != ' ';
  if (plain) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

std::unique_ptr<StagedTable> create_csv_table(const std::string& path, bool float64,
                                              std::vector<std::string> classes) {
  return std::make_unique<CsvTable>(path, float64, std::move(classes));
}

std::unique_ptr<StagedTable> create_json_table(const std::string& path, bool float64,
                                               std::vector<std::string> classes,
                                               std::size_t extra) {
  return std::make_unique<JsonTable>(path, float64, std::move(classes), extra);
}

}  // namespace credence::io
