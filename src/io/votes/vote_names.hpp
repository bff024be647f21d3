// Names of classes and of columns: compared ignoring case, listed in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "credence/io.hpp"

namespace credence::io {

/// Lower case (ASCII) without surrounding spaces: two class names are the same when these are.
std::string fold_name(std::string_view name);

/// Index of `name` in `names`, ignoring case.
std::optional<std::uint32_t> find_name(std::span<const std::string> names, std::string_view name);

/// "a, b, c", cut after `most` names with the number of all.
std::string list_names(std::span<const std::string> names, std::size_t most = 12);

/// The same names in any order, ignoring case.
bool same_names(std::span<const std::string> a, std::span<const std::string> b);

/// What fields and columns with counts and labels are usually called, most telling first.
inline constexpr std::string_view kVoteFields[] = {
    "label_counter", "label_count",      "label_counts", "vote_counts", "votes",
    "counts",        "label_dist",       "distribution", "soft_label",  "annotations",
    "labels",        "annotator_labels", "answers"};
/// Among them those whose numbers are labels, not counts.
inline constexpr std::string_view kLabelLists[] = {"annotations", "labels", "annotator_labels",
                                                   "answers"};
/// Lists of annotators, one for each label of another list.
inline constexpr std::string_view kAnnotatorLists[] = {
    "annotators", "annotator_ids", "annotator_id", "workers", "worker_ids", "worker_id",
    "raters",     "rater_ids",     "rater_id",     "users",   "user_ids",   "user_id"};
bool is_vote_field(std::string_view name);

/// What a column of a table of annotations is for.
enum class ColumnRole { example, annotator, label, count };

/// First column whose name is usual for the role ("Worker ID", "worker_id" and "workerid" are one),
/// in the order of our preference, not of the columns.
std::optional<std::size_t> find_role(std::span<const std::string> header, ColumnRole role);

/// True for the column that data frames write without a name.
bool is_index_name(std::string_view name);

/// True for columns that hold the one label taken for true beside the votes.
bool is_gold_name(std::string_view name);

/// True when the name starts like an annotator's: annotator_1, Reader 2, scorer5.
bool looks_like_annotator(std::string_view name);

/// Blank, or one of the ways tools write a missing value.
bool is_blank(std::string_view cell);

/// Strings numbered in the order they first appear.
class Interner {
 public:
  Interner() = default;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;
  std::uint32_t add(std::string_view text);
  std::optional<std::uint32_t> find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::uint32_t index) const { return *names_[index]; }
  std::vector<std::string> names() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_;
  std::vector<const std::string*> names_;  // keys of a node-based map stay where they are
};

}  // namespace credence::io
