#include "io/votes/dropped_labels.hpp"

#include <fmt/format.h>

#include <numeric>

#include "io/text/delimited.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {

DroppedLabels::DroppedLabels(const std::vector<std::string>& labels)
    : labels_(labels), counts_(labels.size(), 0.0) {}

std::size_t DroppedLabels::find(std::string_view label) const {
  if (labels_.empty()) return 0;
  if (const auto found = find_name(labels_, label)) return *found;
  // "-9" and "-9.0" are one label.
  const auto number = parse_number(label);
  for (std::size_t i = 0; number && i < labels_.size(); ++i) {
    if (parse_number(labels_[i]) == number) return i;
  }
  return labels_.size();
}

bool DroppedLabels::drop(std::string_view label, double weight) {
  const std::size_t found = find(label);
  if (found == labels_.size()) return false;
  counts_[found] += weight;
  return true;
}

void DroppedLabels::tell(std::vector<std::string>& notes) const {
  if (labels_.empty()) return;
  std::string each;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    each += fmt::format("{}{} '{}'", i == 0 ? "" : ", ", counts_[i], labels_[i]);
  }
  const double all = std::accumulate(counts_.begin(), counts_.end(), 0.0);
  notes.push_back(
      fmt::format("{} answer{} dropped by ‹drop_labels›: {}", all, all == 1.0 ? "" : "s", each));
}

}  // namespace credence::io
