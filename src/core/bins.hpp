// Equal-width confidence bins: bin b is (b/B, (b+1)/B], the first closed at 0.
#pragma once

#include <cmath>
#include <cstddef>

namespace credence::core {

/// The edges are the doubles nearest b/B, so a confidence that equals one belongs to the bin below.
inline std::size_t bin_index(double confidence, std::size_t bins) {
  const double count = static_cast<double>(bins);
  const double guess = std::ceil(confidence * count) - 1.0;
  auto bin = guess <= 0.0     ? std::size_t{0}
             : guess >= count ? bins - 1
                              : static_cast<std::size_t>(guess);
  // The product above was rounded; the comparison with the edge itself decides.
  if (bin > 0 && confidence <= static_cast<double>(bin) / count) --bin;
  if (bin + 1 < bins && confidence > static_cast<double>(bin + 1) / count) ++bin;
  return bin;
}

}  // namespace credence::core
