// Intervals of errors that chance makes larger: those binned by confidence.
//
// The magnitude and the square of a bin's mean gap grow with the noise in it, so an observed error
// is too large on average, and a resampled one is so twice over. Shifting the resampled values
// does not mend it: near calibration their spread is wrong as well. So the question is turned
// round. If the true gaps were t times a profile, an error such as the observed one would be
// common for some t and rare for others; the interval holds those for which it is common. The
// resamples give the noise about the true gaps, whatever its dependence within groups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metrics/bins/gap_bins.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/sums/summary.hpp"

namespace credence::metrics {

struct Interval {
  double low, high;
};

/// The bins of one evaluation in every resample.
class ResampledGaps {
 public:
  ResampledGaps(const Summary& rows, std::size_t resamples, std::uint64_t seed);

  /// Takes the sums of resamples r .. r + count - 1, the first lanes of sums[slot * lanes + lane].
  void take(const Layout& layout, std::span<const double> sums, std::size_t lanes, std::size_t r,
            std::size_t count);

  /// For as many independent units; none where they are too few for the bins.
  std::optional<Interval> interval(OfGaps error, double level, std::size_t units) const;

 private:
  struct Profile {
    std::vector<double> gap;
    double error;  ///< the error of a model with exactly these gaps
  };
  Profile profile(OfGaps error) const;
  double observed(OfGaps error) const;
  /// Quantile `share` over the resamples of the error shown for `times` the profile.
  double shown(OfGaps error, const Profile& profile, double times, double share) const;
  /// The error of the multiple of the profile for which the observed one is quantile `share`.
  double end(OfGaps error, const Profile& profile, double share) const;

  std::vector<GapBin> bins_;
  double rows_ = 0.0;
  std::size_t resamples_;
  std::uint64_t seed_;
  // Entry [r * bins + b]: rows of the bin in the resample, and the sum of its gaps less what the
  // same number of rows with the bin's mean gap would add.
  std::vector<float> count_, noise_;
};

}  // namespace credence::metrics
