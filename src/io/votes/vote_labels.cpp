#include "io/votes/vote_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "credence/error.hpp"
#include "io/text/cell_table.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

// A class index beyond this is a slip (an id in the label column), not a class; it also bounds what
// is allocated for class indices read from a file.
constexpr std::int64_t kMostClasses = std::int64_t{1} << 24;

/// "3" for "3.0", as data frames write a column of integers with gaps; empty for what is no number.
std::string whole_text(std::string_view text) {
  const auto number = parse_number(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15) return {};
  return std::to_string(static_cast<std::int64_t>(*number));
}

}  // namespace

std::uint32_t LabelTokens::add(std::string_view text, std::size_t line) {
  const std::uint32_t token = texts_.add(text);
  if (token == lines_.size()) lines_.push_back(line);
  return token;
}

std::string LabelTokens::at(std::uint32_t token, const VoteFile& file) const {
  const std::string& path = file.path;
  const bool is_text = file.given == nullptr;
  const std::string label = excerpt(texts_[token]);
  return lines_[token] == 0
             ? fmt::format("{}: label {}", path, label)
             : fmt::format("{}: label {}", place_of(path, lines_[token], is_text), label);
}

bool LabelTokens::all_whole(std::vector<std::int64_t>& values) const {
  values.clear();
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    const auto number = parse_number(texts_[t]);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15) return false;
    values.push_back(static_cast<std::int64_t>(*number));
  }
  return true;
}

LabelTokens::Meaning LabelTokens::as_indices(const VoteFile& file,
                                             const std::vector<std::int64_t>& values) const {
  Meaning meaning;
  meaning.classes = file.classes;
  std::size_t classes = file.classes.empty() ? file.expected_classes : file.classes.size();
  if (classes == 0) {
    const std::int64_t largest = *std::ranges::max_element(values);
    if (largest >= kMostClasses) {
      const auto token =
          static_cast<std::uint32_t>(std::ranges::find(values, largest) - values.begin());
      throw Error(ErrorCode::data, at(token, file) + " is not a class index");
    }
    classes = static_cast<std::size_t>(std::max<std::int64_t>(largest, 0)) + 1;
    meaning.notes.push_back(
        fmt::format("the number of classes, {}, is taken from the largest label", classes));
  }
  for (std::uint32_t t = 0; t < values.size(); ++t) {
    if (values[t] >= 0 && static_cast<std::uint64_t>(values[t]) < classes) {
      meaning.class_of.push_back(static_cast<std::uint32_t>(values[t]));
      continue;
    }
    throw Error(ErrorCode::data,
                fmt::format("{} is out of range; labels are class indices from 0 to {}",
                            at(t, file), classes - 1),
                values[t] < 0 ? "leave a missing answer blank (or out of the file)"
                              : "if labels count from 1, or are names made of digits, list them in "
                                "order with ‹vote_classes›");
  }
  meaning.class_count = classes;
  return meaning;
}

bool LabelTokens::match(const std::vector<std::string>& names, Meaning& meaning,
                        std::vector<std::uint32_t>& unmatched) const {
  std::map<std::string, std::uint32_t> index;
  for (std::size_t k = 0; k < names.size(); ++k) {
    index.emplace(fold_name(names[k]), static_cast<std::uint32_t>(k));
  }
  meaning = {};
  unmatched.clear();
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    auto found = index.find(fold_name(texts_[t]));
    if (found == index.end()) found = index.find(whole_text(texts_[t]));
    if (found == index.end()) unmatched.push_back(t);
    meaning.class_of.push_back(found == index.end() ? 0 : found->second);
  }
  meaning.classes = names;
  meaning.class_count = names.size();
  return unmatched.empty();
}

LabelTokens::Meaning LabelTokens::sorted_names(const VoteFile& file, bool nli_order) const {
  std::map<std::string, std::string> spelling;  // folded -> the spelling that sorts first
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    auto [at_name, fresh] = spelling.emplace(fold_name(texts_[t]), texts_[t]);
    if (!fresh) at_name->second = std::min(at_name->second, texts_[t]);
  }
  const bool is_nli = nli_order && (spelling.size() == 3 || file.expected_classes == 3) &&
                      std::ranges::all_of(spelling, [](const auto& entry) {
                        return entry.first == "e" || entry.first == "n" || entry.first == "c";
                      });
  std::vector<std::string> names;
  if (is_nli) {
    names = {"e", "n", "c"};
  } else {
    for (const auto& entry : spelling) names.push_back(entry.second);
    std::ranges::sort(names);
  }
  check_class_names(names, file.path, ErrorCode::data);
  Meaning meaning;
  std::vector<std::uint32_t> unmatched;
  match(names, meaning, unmatched);
  if (!is_nli) {
    meaning.notes.push_back(fmt::format(
        "class names of the votes are those found, sorted: {} (‹vote_classes› sets them)",
        list_names(names)));
  }
  return meaning;
}

LabelTokens::Meaning LabelTokens::resolve(const VoteFile& file, bool nli_order) const {
  Meaning meaning;
  if (texts_.size() == 0) {
    meaning.classes = file.classes;
    meaning.class_count = file.classes.empty() ? file.expected_classes : file.classes.size();
    return meaning;
  }
  std::vector<std::uint32_t> unmatched;
  std::vector<std::int64_t> values;
  const bool whole = all_whole(values);
  const auto& names = file.classes.empty() ? file.score_classes : file.classes;
  if (!names.empty() && match(names, meaning, unmatched)) return meaning;
  if (whole) return as_indices(file, values);

  // Fractions are not labels: say so rather than complain about an unknown name.
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    const auto number = parse_number(texts_[t]);
    if (number && *number != std::floor(*number)) {
      throw Error(ErrorCode::data, at(t, file) + " is not a whole number",
                  "labels are class names or indices; a matrix of shares must have one column per "
                  "class and no blank cells");
    }
  }
  const bool some_match = !names.empty() && unmatched.size() < texts_.size();
  if (!file.classes.empty() || some_match) {
    throw Error(ErrorCode::data,
                fmt::format("{} is not one of the {} classes {}", at(unmatched.front(), file),
                            names.size(), list_names(names)),
                "names must be equal, ignoring case; ‹vote_classes› lists the names used in the "
                "votes");
  }
  refuse_mixture(file);
  return sorted_names(file, nli_order);
}

// A letter O among zeros and ones would be a third class.
void LabelTokens::refuse_mixture(const VoteFile& file) const {
  std::optional<std::uint32_t> number, name;
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    auto& first = parse_number(texts_[t]) ? number : name;
    if (!first) first = t;
  }
  if (!number || !name) return;
  throw Error(ErrorCode::data,
              fmt::format("{} is a name, but label {} is a number", at(*name, file),
                          excerpt(texts_[*number])),
              "correct it; where classes are named so, list them with ‹vote_classes›");
}

}  // namespace credence::io
