#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/bins.hpp"
#include "core/kernels.hpp"
#include "credence/error.hpp"
#include "credence/metrics.hpp"

namespace credence {

namespace {

/// The weight that a row of votes gives to class `top`. Classes of a row are distinct, so at most
/// one entry matches and its bits can be picked without adding and without a branch, which would
/// be mispredicted on every other row. With `roomy` four entries can be read whatever the count.
double weight_of(const VoteRow& row, std::uint32_t top, bool roomy) {
  const std::uint32_t* const classes = row.classes.data();
  const double* const weights = row.weights.data();
  const std::size_t count = row.classes.size();
  std::uint64_t found = 0;
  std::size_t j = 0;
  if (roomy) {
    for (; j < 4; ++j) {
      const auto other = static_cast<std::uint64_t>(classes[j] ^ top);
      // All ones when the classes agree and j is inside the row: 0 - 1 and j - count both borrow.
      const std::uint64_t keep = ((other - 1) & (j - count)) >> 63;
      found |= std::bit_cast<std::uint64_t>(weights[j]) & (0 - keep);
    }
  }
  for (; j < count; ++j) {
    if (classes[j] == top) return weights[j];
  }
  return std::bit_cast<double>(found);
}

}  // namespace

double ece_expected_from_logits(Scores logits, const Votes& votes, double inverse_temperature,
                                int bins) {
  if (logits.rows() != votes.rows() || logits.cols() != votes.classes() || logits.rows() == 0) {
    throw Error(ErrorCode::data, "logits and votes must have the same rows and classes");
  }
  constexpr std::size_t kBlock = 1024;
  const core::UnitBins unit(bins);
  core::BinSums sums(unit);
  // Rows that start before this one have four entries to read, their own or the next rows'.
  const std::uint32_t* const roomy =
      votes.row(0).classes.data() + (votes.entries() < 4 ? 0 : votes.entries() - 3);
  std::array<double, kBlock> confidence, agreement, gap;
  std::array<std::uint32_t, kBlock> top;
  for (std::size_t first = 0; first < logits.rows(); first += kBlock) {
    const std::size_t rows = std::min(kBlock, logits.rows() - first);
    core::kernels().top_confidence_fast(logits.row(first).data(), rows, logits.cols(),
                                        inverse_temperature, bins, confidence.data(), top.data());
    for (std::size_t r = 0; r < rows; ++r) {
      const VoteRow row = votes.row(first + r);
      agreement[r] = weight_of(row, top[r], row.classes.data() < roomy);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      gap[r] = confidence[r] - agreement[r] / votes.total(first + r);
    }
    sums.add({confidence.data(), rows}, [&](std::size_t i) { return gap[i]; });
  }
  double total = 0.0;
  for (const double sum : sums.values()) total += std::abs(sum);
  return total / static_cast<double>(logits.rows());
}

}  // namespace credence
