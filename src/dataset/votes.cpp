#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/dataset.hpp"
#include "credence/error.hpp"
#include "dataset/place.hpp"
#include "dataset/vote_columns.hpp"

namespace credence {
namespace {

constexpr std::string_view kNoVotesHint =
    "drop the row with ‹skip_rows=FILE›, or give it at least one vote";

[[noreturn]] void fail_empty_row(std::string_view origin, std::size_t row) {
  throw Error(
      ErrorCode::data,
      fmt::format("{}: no votes; every example needs at least one", place(origin, "votes", row)),
      std::string(kNoVotesHint));
}

void check_weight(double value, std::string_view origin, std::size_t row, std::size_t column) {
  if (value >= 0.0 && std::isfinite(value)) return;
  const std::string where = place(origin, "votes", row, column);
  if (value < 0.0 && std::isfinite(value)) {
    throw Error(ErrorCode::data,
                fmt::format("{}: vote count is {}; votes cannot be negative", where, value));
  }
  throw Error(ErrorCode::data,
              fmt::format("{}: vote count is {}; votes must be finite numbers", where, value));
}

void check_class_count(std::size_t classes, std::string_view origin) {
  if (classes >= 1 && classes <= std::numeric_limits<std::uint32_t>::max()) return;
  throw Error(ErrorCode::data, fmt::format("{}: {} classes; votes need at least one class",
                                           origin.empty() ? "votes" : origin, classes));
}

/// Whether compressed rows are what they should be, without a word about what is not.
bool are_in_order(std::span<const std::size_t> offsets, std::span<const std::uint32_t> classes,
                  std::span<const double> weights, std::size_t class_count) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] <= offsets[i] || offsets[i + 1] > classes.size()) return false;
  }
  bool fine = true;
  std::uint32_t largest = 0;
  for (std::size_t e = 0; e < classes.size(); ++e) {
    largest = std::max(largest, classes[e]);
    fine &= weights[e] > 0.0 && weights[e] <= std::numeric_limits<double>::max();
  }
  if (!fine || (!classes.empty() && largest >= class_count)) return false;
  // Classes ascend everywhere but where a row begins.
  std::size_t falls = 0, at_rows = 0;
  for (std::size_t e = 1; e < classes.size(); ++e) falls += classes[e] <= classes[e - 1] ? 1 : 0;
  for (std::size_t i = 1; i + 1 < offsets.size(); ++i) {
    at_rows += classes[offsets[i]] <= classes[offsets[i] - 1] ? 1 : 0;
  }
  return falls == at_rows;
}

/// Names the first thing that is wrong.
void refuse_compressed(std::span<const std::size_t> offsets, std::span<const std::uint32_t> classes,
                       std::span<const double> weights, std::size_t class_count,
                       std::string_view origin) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] > classes.size()) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: offsets must not decrease", origin.empty() ? "votes" : origin));
    }
    if (offsets[i + 1] == offsets[i]) fail_empty_row(origin, i);
    for (std::size_t e = offsets[i]; e < offsets[i + 1]; ++e) {
      if (classes[e] >= class_count || (e > offsets[i] && classes[e] <= classes[e - 1])) {
        throw Error(ErrorCode::data,
                    fmt::format("{}: class {}; classes must ascend within 0 to {}",
                                place(origin, "votes", i), classes[e], class_count - 1));
      }
      check_weight(weights[e], origin, i, classes[e]);
      if (weights[e] == 0.0) {
        throw Error(ErrorCode::data, fmt::format("{}: stored vote count is 0; leave zeros out",
                                                 place(origin, "votes", i, classes[e])));
      }
    }
  }
}

}  // namespace

Votes Votes::from_counts(Rows counts, std::string_view origin) {
  check_class_count(counts.cols(), origin);
  Votes votes;
  votes.class_count_ = counts.cols();
  votes.offsets_.reserve(counts.rows() + 1);
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    const auto row = counts.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      check_weight(row[k], origin, i, k);
      if (row[k] == 0.0) continue;
      votes.classes_.push_back(static_cast<std::uint32_t>(k));
      votes.weights_.push_back(row[k]);
    }
    if (votes.classes_.size() == votes.offsets_.back()) fail_empty_row(origin, i);
    votes.offsets_.push_back(votes.classes_.size());
  }
  votes.finish(false);
  return votes;
}

Votes Votes::from_annotations(std::span<const Annotation> annotations, std::size_t examples,
                              std::size_t classes, std::string_view origin) {
  check_class_count(classes, origin);
  std::vector<std::size_t> first(examples + 1, 0);
  for (std::size_t a = 0; a < annotations.size(); ++a) {
    const Annotation& given = annotations[a];
    if (given.example >= examples) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: annotation {} is for example {}; there are {} examples",
                              origin.empty() ? "votes" : origin, a, given.example, examples));
    }
    if (given.label >= classes) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: label is {}; labels run from 0 to {}",
                              place(origin, "votes", given.example), given.label, classes - 1));
    }
    check_weight(given.weight, origin, given.example, given.label);
    ++first[given.example + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());

  // Counting sort by example, then a stable sort by class: answers for one class are added in the
  // order given.
  std::vector<std::size_t> order(annotations.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t a = 0; a < annotations.size(); ++a) order[next[annotations[a].example]++] = a;

  Votes votes;
  votes.class_count_ = classes;
  votes.offsets_.reserve(examples + 1);
  for (std::size_t i = 0; i < examples; ++i) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first[i]);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(first[i + 1]);
    std::stable_sort(begin, end, [&](std::size_t a, std::size_t b) {
      return annotations[a].label < annotations[b].label;
    });
    const std::size_t row_start = votes.offsets_.back();
    for (auto it = begin; it != end; ++it) {
      const Annotation& given = annotations[*it];
      if (given.weight == 0.0) continue;
      if (votes.classes_.size() > row_start && votes.classes_.back() == given.label) {
        votes.weights_.back() += given.weight;
      } else {
        votes.classes_.push_back(given.label);
        votes.weights_.push_back(given.weight);
      }
    }
    if (votes.classes_.size() == row_start) fail_empty_row(origin, i);
    votes.offsets_.push_back(votes.classes_.size());
  }
  votes.finish(false);
  return votes;
}

Votes Votes::from_labels(std::span<const std::uint32_t> voted, std::size_t classes,
                         std::string_view origin) {
  check_class_count(classes, origin);
  Votes votes;
  votes.class_count_ = classes;
  for (std::size_t i = 0; i < voted.size(); ++i) {
    if (voted[i] >= classes) {
      throw Error(ErrorCode::data, fmt::format("{}: label is {}; labels run from 0 to {}",
                                               place(origin, "labels", i), voted[i], classes - 1));
    }
  }
  votes.classes_.assign(voted.begin(), voted.end());
  votes.weights_.assign(voted.size(), 1.0);
  votes.offsets_.resize(voted.size() + 1);
  std::iota(votes.offsets_.begin(), votes.offsets_.end(), std::size_t{0});
  votes.finish(true);
  return votes;
}

Votes Votes::from_compressed(std::vector<std::size_t> offsets, std::vector<std::uint32_t> classes,
                             std::vector<double> weights, std::size_t class_count,
                             std::string_view origin) {
  check_class_count(class_count, origin);
  const std::string name(origin.empty() ? "votes" : origin);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != classes.size() ||
      classes.size() != weights.size()) {
    throw Error(ErrorCode::data,
                fmt::format("{}: offsets, classes and weights do not belong together", name));
  }
  if (!are_in_order(offsets, classes, weights, class_count)) {
    refuse_compressed(offsets, classes, weights, class_count, origin);
  }
  Votes votes;
  votes.class_count_ = class_count;
  votes.offsets_ = std::move(offsets);
  votes.classes_ = std::move(classes);
  votes.weights_ = std::move(weights);
  votes.finish(false);
  return votes;
}

double Votes::share(std::size_t i, std::uint32_t k) const {
  const VoteRow votes = row(i);
  const auto at = std::lower_bound(votes.classes.begin(), votes.classes.end(), k);
  if (at == votes.classes.end() || *at != k) return 0.0;
  return votes.weights[static_cast<std::size_t>(at - votes.classes.begin())] / totals_[i];
}

Votes Votes::select(std::span<const std::size_t> rows) const {
  Votes picked;
  picked.class_count_ = class_count_;
  picked.offsets_.reserve(rows.size() + 1);
  std::size_t end = 0;
  for (const std::size_t i : rows) {
    if (i >= totals_.size()) {
      throw Error(ErrorCode::usage,
                  fmt::format("row {} selected; the votes have {} rows", i, totals_.size()));
    }
    picked.offsets_.push_back(end += offsets_[i + 1] - offsets_[i]);
  }
  picked.classes_.resize(end);
  picked.weights_.resize(end);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const std::size_t from = offsets_[rows[j]], to = picked.offsets_[j];
    const std::size_t count = picked.offsets_[j + 1] - to;
    // A call to copy a few numbers takes longer than copying them.
    for (std::size_t e = 0; e < count; ++e) picked.classes_[to + e] = classes_[from + e];
    for (std::size_t e = 0; e < count; ++e) picked.weights_[to + e] = weights_[from + e];
  }
  picked.finish(evidence_ == Evidence::voted);
  return picked;
}

Votes Votes::relabel(std::span<const std::uint32_t> position, std::size_t classes) const {
  if (position.size() != class_count_) {
    throw Error(ErrorCode::usage, fmt::format("{} new positions for {} classes of votes",
                                              position.size(), class_count_));
  }
  std::vector<bool> taken(classes, false);
  for (const std::uint32_t to : position) {
    if (to >= classes || taken[to]) {
      throw Error(ErrorCode::usage,
                  fmt::format("new class position {} is out of range or used twice", to));
    }
    taken[to] = true;
  }
  Votes moved;
  moved.class_count_ = classes;
  moved.offsets_ = offsets_;
  moved.classes_.reserve(classes_.size());
  moved.weights_.reserve(weights_.size());
  std::vector<std::pair<std::uint32_t, double>> row_entries;
  for (std::size_t i = 0; i < rows(); ++i) {
    const VoteRow from = row(i);
    row_entries.clear();
    for (std::size_t e = 0; e < from.classes.size(); ++e) {
      row_entries.emplace_back(position[from.classes[e]], from.weights[e]);
    }
    std::sort(row_entries.begin(), row_entries.end());
    for (const auto& [label, weight] : row_entries) {
      moved.classes_.push_back(label);
      moved.weights_.push_back(weight);
    }
  }
  moved.finish(evidence_ == Evidence::voted);
  return moved;
}

void Votes::finish(bool voted_only) {
  const std::size_t n = offsets_.size() - 1;
  totals_.resize(n);
  voted_.resize(n);
  dataset::VoteKind kind{.whole = dataset::are_whole(weights_)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = offsets_[i];
    const dataset::VoteSummary row = dataset::summary_of(
        classes_.data() + first, weights_.data() + first, offsets_[i + 1] - first);
    if (!std::isfinite(row.total)) {
      throw Error(ErrorCode::data, fmt::format("votes of row {} add up to more than a double "
                                               "can hold",
                                               i));
    }
    totals_[i] = row.total;
    voted_[i] = row.winner;
    kind.add(row);
  }
  ties_ = kind.ties;
  are_shares_ = kind.are_shares();
  evidence_ = kind.evidence(voted_only);
}

Votes dataset::VoteColumns::votes(bool voted_only) && {
  Votes taken;
  taken.class_count_ = class_count;
  taken.offsets_ = std::move(offsets);
  taken.classes_ = std::move(classes);
  taken.weights_ = std::move(weights);
  taken.totals_ = std::move(totals);
  taken.voted_ = std::move(voted);
  taken.ties_ = kind.ties;
  taken.are_shares_ = kind.are_shares();
  taken.evidence_ = kind.evidence(voted_only);
  return taken;
}

}  // namespace credence
