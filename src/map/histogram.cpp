// Top-label histogram binning. theta = one value per bin; -1 marks a bin no example fell into,
// where the confidence is left alone.
#include "core/bins.hpp"
#include "map/top_label.hpp"

namespace credence::map {

TopLabelFit fit_top_label(const TopLabelHistogram& map, std::vector<TopLabel> examples) {
  const core::UnitBins bins(map.bins);
  std::vector<double> sum(bins.count(), 0.0), count(bins.count(), 0.0);
  for (const TopLabel& example : examples) {
    const std::size_t bin = bins.index(example.confidence);
    sum[bin] += example.target;
    count[bin] += 1.0;
  }
  std::vector<double> theta(bins.count(), -1.0);
  for (std::size_t b = 0; b < bins.count(); ++b) {
    if (count[b] > 0.0) theta[b] = sum[b] / count[b];
  }
  double squares = 0.0;
  for (const TopLabel& example : examples) {
    const double gap = top_label_value(map, theta, example.confidence) - example.target;
    squares += gap * gap;
  }
  return {theta, squares / static_cast<double>(examples.size())};
}

double top_label_value(const TopLabelHistogram&, Params theta, double confidence) {
  const double value = theta[core::unit_bin(confidence, theta.size())];
  return value < 0.0 ? confidence : value;
}

}  // namespace credence::map
