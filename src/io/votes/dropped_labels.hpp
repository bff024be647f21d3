// Answers that are no votes (unsure, skip): left out, and counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credence::io {

class DroppedLabels {
 public:
  DroppedLabels() = default;
  explicit DroppedLabels(const std::vector<std::string>& labels);

  bool empty() const { return labels_.empty(); }
  bool has(std::string_view label) const { return find(label) != labels_.size(); }
  /// True when the label is to be dropped; it is then counted.
  bool drop(std::string_view label, double weight = 1.0);
  /// Tells how many answers each of the labels cost.
  void tell(std::vector<std::string>& notes) const;

 private:
  std::size_t find(std::string_view label) const;

  std::vector<std::string> labels_;
  std::vector<double> counts_;
};

}  // namespace credence::io
