#include "metrics/sums/replicate_sums.hpp"

#include "credence/error.hpp"

namespace credence::metrics {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

Layout layout_with(const MetricOptions& options, std::size_t class_cells) {
  return {static_cast<std::size_t>(options.bins), 0, class_cells};
}
std::size_t class_cells(const MetricOptions& options, std::size_t classes) {
  return classes * static_cast<std::size_t>(options.bins);
}
std::size_t numbers(const MetricOptions& options, const Layout& layout) {
  return layout.slots() * (static_cast<std::size_t>(options.resampling.resamples) + 1);
}

}  // namespace

bool resamples_classes(const MetricOptions& options, std::size_t classes) {
  const Layout all = layout_with(options, class_cells(options, classes));
  return numbers(options, all) <= kMostBytes / sizeof(std::int64_t);
}

Layout resampled_layout(const MetricOptions& options, std::size_t classes) {
  const bool with_classes = resamples_classes(options, classes);
  return layout_with(options, with_classes ? class_cells(options, classes) : 0);
}

std::size_t replicate_count(const MetricOptions& options, std::size_t classes) {
  if (options.resampling.resamples == 0) return 0;
  return numbers(options, resampled_layout(options, classes));
}

void ReplicateSums::add(const ReplicateSums& right) {
  if (sums.empty()) {
    sums = right.sums;
    return;
  }
  bool overflow = false;
  for (std::size_t i = 0; i < right.sums.size(); ++i) {
    overflow |= __builtin_add_overflow(sums[i], right.sums[i], &sums[i]);
  }
  if (overflow) {
    throw Error(ErrorCode::data, "the sums of the resamples are too large to be added up",
                "evaluate without ‹resamples›");
  }
}

}  // namespace credence::metrics
