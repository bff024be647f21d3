// The paper's table: one row per method; T, ECE, aECE, cwECE, Br, NLL.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "credence/results.hpp"

namespace credence::report {

struct PaperColumn {
  const char* heading;
  const char* metric;
  double scale;  ///< 100 for per cent
  int digits;
};

/// The Brier score is the one against a random annotator: the paper's tables hold that one.
inline constexpr std::array<PaperColumn, 5> kPaperColumns{{
    {"ECE", "ece_true", 100.0, 2},
    {"aECE", "aece_true", 100.0, 2},
    {"cwECE", "cwece_true", 100.0, 2},
    {"Br", "brier_reader", 1.0, 4},
    {"NLL", "nll", 1.0, 4},
}};

struct PaperCell {
  std::string text;  ///< "1.52", or "1.52 +- 0.03" over several splits; empty: no value
  std::string spread;
  bool best = false;
};

struct PaperRow {
  std::string method;
  bool oracle = false, recommended = false;
  std::string temperature;  ///< empty: no single temperature
  std::vector<PaperCell> cells;
};

std::vector<PaperRow> paper_rows(const Results& results);

/// What the table shows, in a sentence for a caption.
std::string paper_caption(const Results& results);

}  // namespace credence::report
