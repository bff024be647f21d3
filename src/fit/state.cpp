#include <algorithm>
#include <string>

#include "credence/error.hpp"
#include "credence/solver.hpp"
#include "fit/row_passes.hpp"

namespace credence {
namespace {

[[noreturn]] void refuse(const State& left, const State& right, const std::string& what) {
  throw Error(ErrorCode::data,
              what + ": rows " + std::to_string(left.first_row) + " to " +
                  std::to_string(left.end_row) + " and rows " + std::to_string(right.first_row) +
                  " to " + std::to_string(right.end_row),
              "divide the rows into pieces of whole blocks and answer once for each");
}

void append(State right, State& left) {
  left.end_row = right.end_row;
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
  if (pieces.empty()) throw Error(ErrorCode::usage, "there are no states to merge");
  std::ranges::stable_sort(
      pieces, {}, [](const State& piece) { return std::pair(piece.first_row, piece.end_row); });
  State whole = std::move(pieces.front());
  std::uint64_t last = whole.first_row;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    State& piece = pieces[i];
    if (piece.number != whole.number) refuse(whole, piece, "states that answer different requests");
    // The same piece once more: computed twice, it is the same.
    if (piece.first_row == last && piece.end_row == whole.end_row) continue;
    if (piece.first_row > whole.end_row) refuse(whole, piece, "a gap between states");
    if (piece.first_row < whole.end_row) refuse(whole, piece, "states that overlap");
    last = piece.first_row;
    append(std::move(piece), whole);
  }
  return whole;
}

}  // namespace credence
