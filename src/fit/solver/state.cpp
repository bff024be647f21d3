#include <string>

#include "core/pieces.hpp"
#include "credence/error.hpp"
#include "credence/solver.hpp"
#include "fit/passes/row_passes.hpp"

namespace credence {
namespace {

void append(State right, State& left) {
  left.sums.merge(std::move(right.sums));
  left.listed.insert(left.listed.end(), right.listed.begin(), right.listed.end());
  left.scores.insert(left.scores.end(), right.scores.begin(), right.scores.end());
}

}  // namespace

State accumulate(const Request& request, const RowBlock& rows, int threads) {
  if (rows.first % kBlockRows != 0) {
    throw Error(ErrorCode::usage, "a piece begins at row " + std::to_string(rows.first) +
                                      ", which is not a multiple of " + std::to_string(kBlockRows));
  }
  return fit_detail::RowPasses(rows, {threads, 0}).answer(request);
}

State merge(std::vector<State> pieces) {
  return core::merge_pieces(
      std::move(pieces), "states",
      [](const State& left, const State& right) {
        return std::string(left.number == right.number ? "" : "that answer different requests");
      },
      append);
}

}  // namespace credence
