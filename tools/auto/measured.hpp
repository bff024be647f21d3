// Held-out nll of auto and of single methods on real data, with many and with few rows and votes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace credence::auto_table {

/// Mean over splits of nll on the test rows, by method.
using Nll = std::map<std::string, double>;

struct Setting {
  std::size_t rows = 0;  ///< calibration rows; 0: half of all
  int votes = 0;         ///< of each row; 0: all
};

struct MeasuredSet {
  std::string name, title;
  std::size_t calibration_rows = 0, classes = 0;
  Nll all;               ///< with all rows and votes, every method
  std::vector<Nll> few;  ///< by setting, the methods of kFew
};

struct Measured {
  std::vector<Setting> settings;
  std::vector<MeasuredSet> sets;
};

/// Reads ROOT/data/<set>/.
Measured measure(const std::string& root);

}  // namespace credence::auto_table
