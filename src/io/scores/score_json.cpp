// Scores from JSON lines: an array of numbers per object, or an object of class names and numbers.
#include <fmt/core.h>

#include <functional>
#include <unordered_map>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/json/plain_object.hpp"
#include "io/scores/score_columns.hpp"
#include "io/scores/score_reader.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

template <class Range>
std::string join(const Range& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string fields_of(dom::object object) {
  std::vector<std::string> names;
  for (const auto& field : object) {
    if (names.size() == 20) {
      names.emplace_back("...");
      break;
    }
    names.emplace_back(field.key);
  }
  return names.empty() ? "none" : join(names);
}

bool can_be_id(dom::element value) {
  return value.is_string() || value.is_int64() || value.is_uint64();
}

// Lets a map with string keys be searched by view.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

class JsonScores : public ScoreReader {
 public:
  JsonScores(const ScoreFile& file, TextLines lines) : json_(std::move(lines)) {
    if (!json_.next(object_)) {
      throw Error(ErrorCode::format, fmt::format("{}: no rows, only blank lines", json_.path()));
    }
    choose_fields(file);
    measure();
    pending_ = true;
  }

  std::size_t cols() const override { return cols_; }
  std::optional<std::size_t> rows() const override { return std::nullopt; }
  const std::vector<std::string>& classes() const override { return classes_; }
  bool has_ids() const override { return !id_field_.empty(); }
  std::string_view form() const override { return "JSON lines"; }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    assert(out.cols() == cols_);
    if (ids != nullptr) ids->clear();
    std::size_t count = 0;
    std::string_view text;
    for (; count < out.rows(); ++count) {
      if (!pending_) {
        if (!json_.next_text(text)) break;
        if (std::string_view id; read_plain(text, out.row(count), id)) {
          if (ids != nullptr && has_ids()) ids->emplace_back(id);
          continue;
        }
        json_.parse(object_);
      }
      pending_ = false;
      read_row(out.row(count));
      if (ids != nullptr && has_ids()) ids->push_back(id());
    }
    return count;
  }

 private:
  [[noreturn]] void refuse(std::string_view what, std::string hint = {}) const {
    throw Error(ErrorCode::data, fmt::format("{}:{}: {}", json_.path(), json_.line(), what),
                std::move(hint));
  }

  void choose_fields(const ScoreFile& file) {
    const auto usual = usual_score_fields(file.kind);
    scores_field_ = file.scores_field;
    for (const std::string_view name : usual) {
      if (scores_field_.empty() && !object_.at_key(name).error()) scores_field_ = name;
    }
    if (scores_field_.empty()) {
      refuse(fmt::format("no field named {}; the fields are: {}", join(usual), fields_of(object_)),
             "name the field that holds the scores with ‹scores_field›");
    }
    id_field_ = file.id_field;
    for (const std::string_view name : kIdNames) {
      if (name == "index") continue;  // a row number beside the real id, if anything
      dom::element value;
      if (id_field_.empty() && !object_.at_key(name).get(value) && can_be_id(value)) {
        id_field_ = name;
      }
    }
  }

  dom::element field(const std::string& name) const {
    dom::element value;
    if (object_.at_key(name).get(value)) {
      refuse(fmt::format("no field {}; the fields are: {}", excerpt(name), fields_of(object_)));
    }
    return value;
  }

  // Number and names of classes, from the first object.
  void measure() {
    const dom::element scores = field(scores_field_);
    dom::array list;
    dom::object named;
    if (!scores.get(list)) {
      for ([[maybe_unused]] const auto value : list) ++cols_;
      read_class_names();
    } else if (!scores.get(named)) {
      by_name_ = true;
      for (const auto& entry : named) {
        position_.emplace(entry.key, classes_.size());
        classes_.emplace_back(entry.key);
      }
      cols_ = classes_.size();
    } else {
      number(scores, 0);  // refuses what is none
      is_single_ = true;
      cols_ = 1;
    }
    if (cols_ == 0) refuse(fmt::format("{} is empty", excerpt(scores_field_)));
    if (has_ids()) id();
  }

  void read_class_names() {
    for (const std::string_view name : {"classes", "class_names"}) {
      dom::array names;
      if (object_.at_key(name).get(names)) continue;
      std::vector<std::string> found;
      for (const dom::element value : names) {
        std::string_view text;
        if (value.get(text)) break;
        found.emplace_back(text);
      }
      if (found.size() == cols_) classes_ = std::move(found);
      return;
    }
  }

  std::string id() const { return json_id(field(id_field_), json_.path(), json_.line()); }

  bool read_plain(std::string_view text, std::span<double> row, std::string_view& id) const {
    return !by_name_ && !is_single_ && read_plain_object(text, scores_field_, id_field_, row, id);
  }

  void read_row(std::span<double> row) const {
    const dom::element scores = field(scores_field_);
    if (by_name_) return read_named(scores, row);
    if (is_single_) {
      row[0] = number(scores, 0);
      return;
    }
    dom::array list;
    if (scores.get(list)) {
      refuse(fmt::format("{} is {}; expected an array of {} numbers", excerpt(scores_field_),
                         json_type_name(scores), cols_));
    }
    std::size_t k = 0;
    for (const dom::element value : list) {
      if (k < cols_) row[k] = number(value, k);
      ++k;
    }
    check_count(k);
  }

  void read_named(dom::element scores, std::span<double> row) const {
    dom::object named;
    if (scores.get(named)) {
      refuse(fmt::format("{} is {}; expected an object with {} numbers", excerpt(scores_field_),
                         json_type_name(scores), cols_));
    }
    std::size_t count = 0;
    for (const auto& entry : named) {
      const bool in_order = count < cols_ && entry.key == classes_[count];
      const auto found = in_order ? position_.end() : position_.find(entry.key);
      if (!in_order && found == position_.end()) {
        refuse(fmt::format("{} has a class {}, which the first row has not", excerpt(scores_field_),
                           excerpt(entry.key)));
      }
      const std::size_t k = in_order ? count : found->second;
      row[k] = number(entry.value, k);
      ++count;
    }
    check_count(count);
  }

  void check_count(std::size_t found) const {
    if (found == cols_) return;
    refuse(fmt::format("{} has {} scores, but the first row has {}", excerpt(scores_field_), found,
                       cols_));
  }

  double number(dom::element value, std::size_t k) const {
    double result = 0.0;
    if (!value.get(result)) return result;
    // JSON cannot write infinities as numbers, so they come in quotes.
    std::string_view text;
    if (!value.get(text)) {
      if (const auto parsed = parse_number(text)) return *parsed;
    }
    refuse(fmt::format("{}, column {}: {} is not a number", excerpt(scores_field_), k + 1,
                       text.empty() ? std::string(json_type_name(value)) : excerpt(text)));
  }

  JsonLines json_;
  dom::object object_;
  bool pending_ = false;  // object_ was looked at and not yet given
  std::string scores_field_, id_field_;
  std::size_t cols_ = 0;
  bool by_name_ = false;
  bool is_single_ = false;  // a number, not a list
  std::vector<std::string> classes_;
  std::unordered_map<std::string, std::size_t, StringHash, std::equal_to<>> position_;
};

}  // namespace

std::unique_ptr<ScoreReader> open_json_scores(const ScoreFile& file, TextLines lines) {
  return std::make_unique<JsonScores>(file, std::move(lines));
}

}  // namespace credence::io
