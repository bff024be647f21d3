// Maps that multiply numbers of each row by a matrix and add a bias for each class.
#pragma once

#include <type_traits>

#include "map/all_maps.hpp"

namespace credence::fit_detail {

template <class M>
constexpr bool kIsMatrix = std::is_same_v<M, MatrixAffine> || std::is_same_v<M, RidgeLog> ||
                           std::is_same_v<M, RidgeBoth> || std::is_same_v<M, RidgeSharp>;

/// How many numbers of a row the matrix multiplies.
template <class M>
std::size_t inputs_of(std::size_t classes) {
  if constexpr (std::is_same_v<M, MatrixAffine>) {
    return classes;
  } else {
    return map::Math<M>::remembered(classes);
  }
}

/// Reads what the matrix multiplies, a tile at a time.
template <class M>
class MatrixInputs {
  using Math = map::Math<M>;

 public:
  explicit MatrixInputs(const map::StageInput& input)
      : input_(&input),
        stride_(core::tile_rows(input.classes())),
        u_(input.classes() * stride_),
        features_(map::Remembering<M> ? inputs_of<M>(input.classes()) * stride_ : 0) {}

  std::size_t stride() const { return stride_; }
  /// A class-major tile, valid until the next call.
  const double* load(std::size_t first, std::size_t rows) {
    input_->load(first, rows, u_.data());
    if constexpr (map::Remembering<M>) {
      Math::remember({input_->classes(), stride_, u_.data(), input_->gauge()}, features_.data());
      return features_.data();
    } else {
      return u_.data();
    }
  }

 private:
  const map::StageInput* input_;
  std::size_t stride_;
  std::vector<double> u_, features_;
};

}  // namespace credence::fit_detail
