// SmoothECE (Blasiok, Nakkiran: Smooth ECE: Principled Reliability Diagrams via Kernel Smoothing.
// ICLR 2024) for fractional labels: the gaps conf - r are smoothed along the confidence by a
// Gaussian kernel reflected at 0 and 1, and the magnitude of the result is integrated. The
// bandwidth is the one that equals the error it gives.
#include <algorithm>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/fourier.hpp"

namespace credence::metrics {
namespace {

/// A narrower kernel is not tried, as in the authors' program.
constexpr double kNarrowest = 1e-3;
/// The grid has at least this many cells per bandwidth. Sharing a gap between two neighbouring
/// cells widens the kernel by less than 1 / (12 * 20^2), two parts in ten thousand.
constexpr double kCellsPerBandwidth = 20.0;

/// What depends on the number of cells alone, made once.
struct Grid {
  explicit Grid(std::size_t cells) : fourier(cells), cosines(cells), sines(cells) {
    for (std::size_t k = 0; k < cells; ++k) {
      const double angle =
          -0.5 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(cells);
      cosines[k] = std::cos(angle);
      sines[k] = std::sin(angle);
    }
  }
  static const Grid& of(std::size_t cells) {
    static std::map<std::size_t, Grid> made;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return made.try_emplace(cells, cells).first->second;
  }

  Fourier fourier;
  std::vector<double> cosines, sines;  ///< of half a turn over all cells
};

/// The gaps on a grid of [0, 1] with `cells` cells, as seen by kernels of any bandwidth. Cosines
/// are even about 0 and 1, so a reflected kernel multiplies each cosine coefficient of the gaps by
/// a number. The cosine transform is a Fourier transform of the same length over the even places
/// followed by the odd ones backwards (Makhoul 1980).
class SmoothedGaps {
 public:
  SmoothedGaps(const Totals& t, std::size_t cells)
      : cells_(cells), grid_(Grid::of(cells)), real_(cells), imaginary_(cells, 0.0) {
    std::vector<double> mass(cells, 0.0);
    const auto last = static_cast<double>(cells - 1);
    for (std::size_t i = 0; i < t.rows; ++i) {
      // Cell j lies about (j + 1/2) / cells; a gap is shared by the two nearest.
      const double at = t.all.confidence[i] * static_cast<double>(cells) - 0.5;
      const double place = std::clamp(at, 0.0, last), whole = std::floor(place);
      const auto left = static_cast<std::size_t>(whole), right = std::min(left + 1, cells - 1);
      const double gap = t.all.confidence[i] - t.all.agreement[i];
      mass[left] += gap * (1.0 - (place - whole));
      mass[right] += gap * (place - whole);
    }
    for (std::size_t j = 0; j < cells / 2; ++j) {
      real_[j] = t.mean(mass[2 * j]);
      real_[cells - 1 - j] = t.mean(mass[2 * j + 1]);
    }
    grid_.fourier.transform(real_.data(), imaginary_.data());
    coefficients_.resize(cells);
    for (std::size_t k = 0; k < cells; ++k) {
      const std::size_t at = grid_.fourier.place(k);
      coefficients_[k] = grid_.cosines[k] * real_[at] - grid_.sines[k] * imaginary_[at];
    }
  }

  /// The integral of |smoothed gaps|.
  double error(double bandwidth) {
    // What the kernel leaves of higher frequencies is below the rounding of the lower ones.
    const auto highest =
        std::min(cells_, static_cast<std::size_t>(9.0 / (std::numbers::pi * bandwidth)) + 1);
    std::fill(real_.begin(), real_.end(), 0.0);
    std::fill(imaginary_.begin(), imaginary_.end(), 0.0);
    // Back again: coefficient k turns up at k and, for all but the first, at cells - k as well.
    for (std::size_t k = 0; k < highest; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k) * bandwidth;
      const double smoothed = coefficients_[k] * std::exp(-0.5 * angle * angle);
      real_[k] += grid_.cosines[k] * smoothed;
      imaginary_[k] += grid_.sines[k] * smoothed;
      if (k == 0) continue;
      real_[cells_ - k] -= grid_.sines[cells_ - k] * smoothed;
      imaginary_[cells_ - k] += grid_.cosines[cells_ - k] * smoothed;
    }
    // The places come out in another order, which a sum of magnitudes does not mind.
    grid_.fourier.transform(real_.data(), imaginary_.data());
    double sum = 0.0;
    for (const double value : real_) sum += std::abs(value);
    return sum / static_cast<double>(cells_);
  }

 private:
  std::size_t cells_;
  const Grid& grid_;
  std::vector<double> real_, imaginary_, coefficients_;
};

Point smooth_ece(const Totals& t) {
  // The error falls as the bandwidth grows, so there is one crossing; where it lies above the
  // bandwidths that a grid resolves, the grid is good enough.
  for (std::size_t cells = 1024;; cells *= 4) {
    SmoothedGaps gaps(t, cells);
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

extern const Definition kSmoothEce{
    .metric = {.name = "smooth_ece",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error of the top class without bins, by kernel smoothing",
               .definition =
                   "integral of |sum_i (conf_i - r_i) kernel_s(t, conf_i)| / n dt, s such "
                   "that it equals s",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = false,
               .why_no_interval = "its bandwidth follows the sample; ece_expected carries one"},
    .point = smooth_ece,
    .available = rows_are_listed};

}  // namespace credence::metrics
