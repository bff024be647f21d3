// Putting together what was computed for pieces of the rows, in whatever order it arrives.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "credence/error.hpp"

namespace credence::core {

template <class Piece>
[[noreturn]] void refuse_pieces(const Piece& left, const Piece& right, const std::string& what) {
  throw Error(ErrorCode::data,
              what + ": rows " + std::to_string(left.first_row) + " to " +
                  std::to_string(left.end_row) + " and rows " + std::to_string(right.first_row) +
                  " to " + std::to_string(right.end_row),
              "divide the rows into pieces of whole blocks and answer once for each");
}

/// What is known of the rows of all pieces [first_row, end_row): `kind` names them in errors,
/// different(left, right) says why two do not belong together (empty when they do), and
/// append(right, left) adds the piece that follows.
template <class Piece, class Different, class Append>
Piece merge_pieces(std::vector<Piece> pieces, const std::string& kind, const Different& different,
                   const Append& append) {
  if (pieces.empty()) throw Error(ErrorCode::usage, "there are no " + kind + " to merge");
  std::ranges::stable_sort(
      pieces, {}, [](const Piece& piece) { return std::pair(piece.first_row, piece.end_row); });
  Piece whole = std::move(pieces.front());
  auto last = whole.first_row;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::string why = different(whole, piece);
    if (!why.empty()) refuse_pieces(whole, piece, kind + " " + why);
    // The same piece once more: computed twice, it is the same.
    if (piece.first_row == last && piece.end_row == whole.end_row) continue;
    if (piece.first_row > whole.end_row) refuse_pieces(whole, piece, "a gap between " + kind);
    if (piece.first_row < whole.end_row) refuse_pieces(whole, piece, kind + " that overlap");
    last = piece.first_row;
    whole.end_row = piece.end_row;
    append(std::move(piece), whole);
  }
  return whole;
}

}  // namespace credence::core
