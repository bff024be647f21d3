// An ablation over its seeds: one row per study, setting and method.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/results.hpp"

namespace credence::report {

/// A metric over the seeds. It has a mean only where every seed has a value: a mean over the others
/// would flatter a method that is infinite now and then.
class Series {
 public:
  void add(Maybe value);
  std::size_t missing() const { return missing_; }
  Maybe mean() const;
  /// "0.5123 ± 0.0040", or "`without` on 1 of 2 seeds".
  std::string text(double scale, int digits, std::string_view without) const;

 private:
  std::vector<double> values_;
  std::size_t missing_ = 0;
};

struct AblationRow {
  Study study = Study::size;
  double setting = 0.0;
  std::string method;
  Series temperature, ece_true, ece_expected, nll;
};
/// In the order of the file: study by study, settings rising.
std::vector<AblationRow> rows_over_seeds(const AblationRecord& ablation);

/// "5 % of the calibration rows", "m = 3", "S = 20".
std::string setting_words(Study study, double setting);

/// What the studies say, a sentence each.
std::vector<std::string> ablation_conclusions(const AblationRecord& ablation);

}  // namespace credence::report
