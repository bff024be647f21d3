#include "io/votes/vote_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/bytes/text_lines.hpp"

namespace credence::io {
namespace {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// "Worker ID" -> "workerid".
std::string squeeze(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_alnum(c)) out += to_lower(c);
  }
  return out;
}

// CIFAR-10H: cifar10_test_test_idx, annotator_id, chosen_label. crowd-kit: task, worker (formerly
// performer), label. cleanlab: task, annotator, label. Each also stands for itself + "id". Names
// that may number the lines come last.
constexpr std::string_view kExample[] = {"cifar10testtestidx",
                                         "task",
                                         "example",
                                         "item",
                                         "image",
                                         "imagename",
                                         "uid",
                                         "guid",
                                         "sample",
                                         "instance",
                                         "object",
                                         "question",
                                         "unit",
                                         "document",
                                         "doc",
                                         "text",
                                         "record",
                                         "case",
                                         "epoch",
                                         "imagefilename",
                                         "filename",
                                         "file",
                                         "path",
                                         "name",
                                         "key",
                                         "row",
                                         "id",
                                         "index",
                                         "idx"};
constexpr std::string_view kAnnotator[] = {
    "annotator", "worker",   "performer", "rater",       "reader",      "expert",     "scorer",
    "labeler",   "labeller", "coder",     "judge",       "reviewer",    "observer",   "assessor",
    "grader",    "user",     "subject",   "participant", "radiologist", "pathologist"};
constexpr std::string_view kLabel[] = {
    "chosenlabel", "label",          "annotation", "answer",        "response", "class",
    "category",    "chosencategory", "vote",       "rating",        "choice",   "judgment",
    "judgement",   "grade",          "diagnosis",  "stage",         "verdict",  "decision",
    "givenlabel",  "noisylabel",     "votedlabel", "majoritylabel", "target"};
constexpr std::string_view kCount[] = {"count", "counts", "votes", "votecount", "nvotes", "weight"};

// Stems for columns that are annotators themselves.
constexpr std::string_view kAnnotatorStems[] = {
    "annotator", "worker",   "performer", "rater",       "reader",     "expert",
    "scorer",    "labeler",  "labeller",  "coder",       "judge",      "reviewer",
    "observer",  "assessor", "grader",    "radiologist", "pathologist"};

std::span<const std::string_view> usual_names(ColumnRole role) {
  switch (role) {
    case ColumnRole::example:
      return kExample;
    case ColumnRole::annotator:
      return kAnnotator;
    case ColumnRole::label:
      return kLabel;
    case ColumnRole::count:
      return kCount;
  }
  return {};
}

}  // namespace

bool is_vote_field(std::string_view name) {
  return std::ranges::find(kVoteFields, fold_name(name)) != std::end(kVoteFields);
}

std::string fold_name(std::string_view name) {
  while (!name.empty() && (name.front() == ' ' || name.front() == '\t')) name.remove_prefix(1);
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t' || name.back() == '\r')) {
    name.remove_suffix(1);
  }
  std::string out(name);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

std::optional<std::uint32_t> find_name(std::span<const std::string> names, std::string_view name) {
  const std::string wanted = fold_name(name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (fold_name(names[k]) == wanted) return static_cast<std::uint32_t>(k);
  }
  return std::nullopt;
}

std::string list_names(std::span<const std::string> names, std::size_t most) {
  const std::size_t shown = names.size() <= most + 1 ? names.size() : most;
  std::string text = fmt::format("{}", fmt::join(names.first(shown), ", "));
  if (shown < names.size()) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

void check_class_names(std::span<const std::string> names, std::string_view what, ErrorCode code) {
  constexpr const char* kHint = "give every class a name of its own";
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t k = 0; k < names.size(); ++k) {
    // The calibrator file is JSON: other bytes would come back as another name.
    if (!is_utf8(names[k])) {
      throw Error(code, fmt::format("{}: class name {} is not UTF-8", what, excerpt(names[k])),
                  "save the text as UTF-8 ('iconv -f LATIN1 -t UTF-8' may convert it)");
    }
    std::string folded = fold_name(names[k]);
    if (folded.empty()) {
      throw Error(code, fmt::format("{}: class name {} is empty", what, k), kHint);
    }
    const auto [at, fresh] = seen.emplace(std::move(folded), k);
    if (!fresh) {
      throw Error(code,
                  fmt::format("{}: class name '{}' is there twice (positions {} and {}; case does "
                              "not count)",
                              what, names[k], at->second, k),
                  kHint);
    }
  }
}

bool same_names(std::span<const std::string> a, std::span<const std::string> b) {
  std::vector<std::string> left, right;
  std::ranges::transform(a, std::back_inserter(left), fold_name);
  std::ranges::transform(b, std::back_inserter(right), fold_name);
  std::ranges::sort(left);
  std::ranges::sort(right);
  return left == right;
}

std::optional<std::size_t> find_role(std::span<const std::string> header, ColumnRole role) {
  std::vector<std::string> squeezed;
  squeezed.reserve(header.size());
  for (const std::string& name : header) squeezed.push_back(squeeze(name));
  for (const std::string_view usual : usual_names(role)) {
    const auto at = std::ranges::find_if(squeezed, [&](std::string_view name) {
      return name.starts_with(usual) &&
             (name.size() == usual.size() || name.substr(usual.size()) == "id");
    });
    if (at != squeezed.end()) return static_cast<std::size_t>(at - squeezed.begin());
  }
  return std::nullopt;
}

bool is_index_name(std::string_view name) {
  return name.empty() || squeeze(name) == "unnamed0" || squeeze(name) == "indexlevel0";
}

bool is_gold_name(std::string_view name) {
  // "gold" and "truth" alone may well be classes.
  static constexpr std::string_view kGold[] = {
      "label",         "goldlabel",  "labelgold",    "truelabel", "groundtruth", "votedlabel",
      "majoritylabel", "finallabel", "majorityvote", "ytrue",     "target",      "consensuslabel"};
  return std::ranges::find(kGold, squeeze(name)) != std::end(kGold);
}

bool looks_like_annotator(std::string_view name) {
  const std::string squeezed = squeeze(name);
  return std::ranges::any_of(kAnnotatorStems,
                             [&](std::string_view stem) { return squeezed.starts_with(stem); });
}

bool is_blank(std::string_view cell) {
  // Tables have millions of cells: most are told by their length or first character.
  if (cell.empty()) return true;
  if (cell.size() > 4 && cell.front() != ' ' && cell.back() != ' ') return false;
  if (cell.front() >= '0' && cell.front() <= '9') return false;
  const std::string folded = fold_name(cell);
  return folded.empty() || folded == "nan" || folded == "na" || folded == "n/a" ||
         folded == "<na>" || folded == "none" || folded == "null";
}

std::uint32_t Interner::add(std::string_view text) {
  const auto at = index_.find(text);
  if (at != index_.end()) return at->second;
  const auto fresh = static_cast<std::uint32_t>(names_.size());
  names_.push_back(&index_.emplace(std::string(text), fresh).first->first);
  return fresh;
}

std::optional<std::uint32_t> Interner::find(std::string_view text) const {
  const auto at = index_.find(text);
  if (at == index_.end()) return std::nullopt;
  return at->second;
}

std::vector<std::string> Interner::names() const {
  std::vector<std::string> out;
  out.reserve(names_.size());
  for (const std::string* name : names_) out.push_back(*name);
  return out;
}

}  // namespace credence::io
