#include <algorithm>
#include <array>
#include <cmath>

#include "core/bins.hpp"
#include "core/kernels.hpp"
#include "core/sparse_sum.hpp"
#include "credence/error.hpp"
#include "credence/metrics.hpp"

namespace credence {

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
  std::array<double, kBlock> confidence, agreement;
  std::array<std::uint32_t, kBlock> top;
  for (std::size_t first = 0; first < logits.rows(); first += kBlock) {
    const std::size_t rows = std::min(kBlock, logits.rows() - first);
    core::kernels().top_confidence_fast(logits.row(first).data(), rows, logits.cols(),
                                        inverse_temperature, bins, confidence.data(), top.data());
    for (std::size_t r = 0; r < rows; ++r) {
      const VoteRow row = votes.row(first + r);
      const double agree =
          core::sparse_sum(row.classes.size(), row.classes.data() < roomy, [&](std::size_t j) {
            return row.classes.data()[j] == top[r] ? row.weights.data()[j] : 0.0;
          });
      agreement[r] = agree / votes.total(first + r);
    }
    sums.add({confidence.data(), rows},
             [&](std::size_t i) { return confidence[i] - agreement[i]; });
  }
  double total = 0.0;
  for (const double sum : sums.values()) total += std::abs(sum);
  return total / static_cast<double>(logits.rows());
}

}  // namespace credence
