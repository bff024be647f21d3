#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.hpp"
#include "credence/ablate.hpp"
#include "credence/error.hpp"

namespace credence {

Votes subsample_votes(const Votes& votes, int m, std::uint64_t seed) {
  const std::uint64_t own = core::mix64(seed ^ 0x737562766f746573ULL);
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> classes, ballots;
  std::vector<double> weights;
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    ballots.clear();
    const VoteRow row = votes.row(i);
    for (std::size_t v = 0; v < row.classes.size(); ++v) {
      if (row.weights[v] != std::floor(row.weights[v]) || votes.are_shares()) {
        throw Error(ErrorCode::evidence,
                    fmt::format("row {}: {} votes for class {} cannot be drawn from", i,
                                row.weights[v], row.classes[v]),
                    "studies of votes need whole numbers of votes, not shares");
      }
      ballots.insert(ballots.end(), static_cast<std::size_t>(row.weights[v]), row.classes[v]);
    }
    const std::size_t taken = std::min(ballots.size(), static_cast<std::size_t>(m));
    for (std::size_t s = 0; s < taken; ++s) {
      const double u = core::uniform(own, i, s);
      const auto pick = s + static_cast<std::size_t>(u * static_cast<double>(ballots.size() - s));
      std::swap(ballots[s], ballots[pick]);
    }
    std::sort(ballots.begin(), ballots.begin() + static_cast<std::ptrdiff_t>(taken));
    for (std::size_t s = 0; s < taken; ++s) {
      if (s > 0 && ballots[s] == ballots[s - 1]) {
        weights.back() += 1.0;
      } else {
        classes.push_back(ballots[s]);
        weights.push_back(1.0);
      }
    }
    offsets.push_back(classes.size());
  }
  return Votes::from_compressed(std::move(offsets), std::move(classes), std::move(weights),
                                votes.classes());
}

}  // namespace credence
