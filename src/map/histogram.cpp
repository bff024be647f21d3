// Top-label histogram binning. theta = one value per bin; -1 marks a bin no example fell into,
// where the confidence is left alone.
#include "core/bins.hpp"
#include "map/top_label.hpp"

namespace credence::map {

std::vector<double> fit_top_label(const TopLabelHistogram& map, const TopLabelData& data) {
  const auto bins = static_cast<std::size_t>(map.bins);
  std::vector<double> sum(bins, 0.0), count(bins, 0.0);
  for (std::size_t i = 0; i < data.confidence.size(); ++i) {
    const std::size_t bin = core::bin_index(data.confidence[i], bins);
    sum[bin] += data.target[i];
    count[bin] += 1.0;
  }
  std::vector<double> theta(bins, -1.0);
  for (std::size_t b = 0; b < bins; ++b) {
    if (count[b] > 0.0) theta[b] = sum[b] / count[b];
  }
  return theta;
}

double top_label_value(const TopLabelHistogram&, Params theta, double confidence) {
  const double value = theta[core::bin_index(confidence, theta.size())];
  return value < 0.0 ? confidence : value;
}

}  // namespace credence::map
