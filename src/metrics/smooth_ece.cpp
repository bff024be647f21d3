// SmoothECE (Blasiok, Nakkiran: Smooth ECE: Principled Reliability Diagrams via Kernel Smoothing.
// ICLR 2024) for fractional labels: the gaps conf - r are smoothed along the confidence by a
// Gaussian kernel reflected at 0 and 1, and the magnitude of the result is integrated. The
// bandwidth is the one that equals the error it gives.
#include <algorithm>
#include <complex>
#include <numbers>

#include "metrics/definition.hpp"
#include "metrics/fourier.hpp"

namespace credence::metrics {
namespace {

/// A narrower kernel is not tried, as in the authors' program.
constexpr double kNarrowest = 1e-3;
/// The grid has at least this many cells per bandwidth. Sharing a gap between two neighbouring
/// cells widens the kernel by less than 1 / (12 * 20^2), two parts in ten thousand.
constexpr double kCellsPerBandwidth = 20.0;

/// The gaps on a grid of [0, 1] with `cells` cells, as seen by kernels of any bandwidth. Cosines
/// are even about 0 and 1, so a reflected kernel multiplies each cosine coefficient of the gaps by
/// a number. The cosine transform is a Fourier transform of the same length over the even places
/// followed by the odd ones backwards (Makhoul 1980).
class SmoothedGaps {
 public:
  SmoothedGaps(const Scored& s, std::size_t cells)
      : cells_(cells), fourier_(cells), turns_(cells), cosines_(cells + 1, 0.0) {
    std::vector<double> mass(cells, 0.0);
    const auto last = static_cast<double>(cells - 1);
    for (std::size_t i = 0; i < s.rows(); ++i) {
      // Cell j lies about (j + 1/2) / cells; a gap is shared by the two nearest.
      const double at = s.confidence[i] * static_cast<double>(cells) - 0.5;
      const double place = std::clamp(at, 0.0, last), whole = std::floor(place);
      const auto left = static_cast<std::size_t>(whole), right = std::min(left + 1, cells - 1);
      const double gap = s.confidence[i] - s.agreement[i];
      mass[left] += gap * (1.0 - (place - whole));
      mass[right] += gap * (place - whole);
    }
    work_.resize(cells);
    for (std::size_t j = 0; j < cells / 2; ++j) {
      work_[j] = s.mean(mass[2 * j]);
      work_[cells - 1 - j] = s.mean(mass[2 * j + 1]);
    }
    fourier_.transform(work_);
    for (std::size_t k = 0; k < cells; ++k) {
      turns_[k] = std::polar(
          1.0, -0.5 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(cells));
      cosines_[k] = turns_[k].real() * work_[k].real() - turns_[k].imag() * work_[k].imag();
    }
  }

  /// The integral of |smoothed gaps|.
  double error(double bandwidth) {
    // What the kernel leaves of higher frequencies is below the rounding of the lower ones.
    const auto highest =
        std::min(cells_, static_cast<std::size_t>(9.0 / (std::numbers::pi * bandwidth)) + 1);
    smoothed_.assign(cells_ + 1, 0.0);
    for (std::size_t k = 0; k < highest; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k) * bandwidth;
      smoothed_[k] = cosines_[k] * std::exp(-0.5 * angle * angle);
    }
    // Back again; the places come out in another order, which a sum of magnitudes does not mind.
    for (std::size_t k = 0; k < cells_; ++k) {
      const double a = smoothed_[k], b = smoothed_[cells_ - k];
      work_[k] = {turns_[k].real() * a - turns_[k].imag() * b,
                  turns_[k].imag() * a + turns_[k].real() * b};
    }
    fourier_.transform(work_);
    double sum = 0.0;
    for (const auto& value : work_) sum += std::abs(value.real());
    return sum / static_cast<double>(cells_);
  }

 private:
  std::size_t cells_;
  Fourier fourier_;
  std::vector<std::complex<double>> turns_, work_;
  std::vector<double> cosines_, smoothed_;  ///< one more than there are cells, which stays 0
};

Point smooth_ece(const Scored& s) {
  // The error falls as the bandwidth grows, so there is one crossing; where it lies above the
  // bandwidths that a grid resolves, the grid is good enough.
  for (std::size_t cells = 1024;; cells *= 4) {
    SmoothedGaps gaps(s, cells);
    const double finest = std::max(kNarrowest, kCellsPerBandwidth / static_cast<double>(cells));
    double low = finest, at_low = gaps.error(low) - low;
    if (at_low <= 0.0) {
      if (finest <= kNarrowest) return {at_low + low, {}};
      continue;
    }
    // The error at a wider bandwidth is no larger, so the crossing lies at or below this one.
    double high = low + at_low, at_high = gaps.error(high) - high;
    if (at_high >= 0.0) return {high, {}};
    // Regula falsi, Illinois variant: the end that stays has its weight halved.
    int stayed = 0;
    for (int step = 0; step < 100 && high - low > 1e-11; ++step) {
      const double middle = (low * at_high - high * at_low) / (at_high - at_low);
      const double at_middle = gaps.error(middle) - middle;
      if (std::abs(at_middle) < 1e-11) return {middle, {}};
      if (at_middle > 0.0) {
        low = middle, at_low = at_middle;
        if (stayed == 1) at_high *= 0.5;
        stayed = 1;
      } else {
        high = middle, at_high = at_middle;
        if (stayed == -1) at_low *= 0.5;
        stayed = -1;
      }
    }
    return {0.5 * (low + high), {}};
  }
}

}  // namespace

const Definition kSmoothEce{
    .metric = {.name = "smooth_ece",
               .better = Direction::lower,
               .meaning = "calibration error of the top class without bins, by kernel smoothing",
               .definition =
                   "integral of |sum_i (conf_i - r_i) kernel_s(t, conf_i)| / n dt, s such "
                   "that it equals s",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = false,
               .why_no_interval = "its bandwidth follows the sample; ece_expected carries one"},
    .point = smooth_ece};

}  // namespace credence::metrics
