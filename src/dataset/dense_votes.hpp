// Dense counts, as arrays hold them, become votes compressed by row in one pass over the array.
#pragma once

#include <cstddef>
#include <optional>

#include "credence/dataset.hpp"

namespace credence::dataset {

/// The votes in a row-major array of counts or shares, of any type of number. Empty where a row has
/// no votes or one that is negative or not finite: whoever can say what is wrong looks again.
template <class T>
std::optional<Votes> dense_votes(const T* counts, std::size_t rows, std::size_t classes,
                                 int threads = 1);

}  // namespace credence::dataset
