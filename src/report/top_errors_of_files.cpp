// The errors of the predicted class from files that are read once, straight from the arrays: what
// monitoring asks for, at about the speed of reading.
#include <algorithm>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "credence/evaluation_report.hpp"
#include "io/source/plain_arrays.hpp"
#include "metrics/rows/gap_totals.hpp"
#include "metrics/sums/draw_hits.hpp"
#include "report/top_errors_of_arrays.hpp"

namespace credence::report {
namespace {

/// Confidence, agreement and hit of the rows of a block.
struct TopColumns {
  std::vector<double> confidence, agreement;
  std::vector<unsigned char> hit;
  std::vector<std::uint32_t> predicted;

  metrics::TopRows rows(std::uint64_t first) const { return {first, confidence, agreement, hit}; }

  void fill(const io::PlainArrays::Block& block, std::size_t classes, double inverse_temperature,
            int threads) {
    confidence.resize(block.rows);
    agreement.resize(block.rows);
    hit.resize(block.rows);
    predicted.resize(block.rows);
    core::parallel_for(threads, (block.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t b) {
      const std::size_t first = b * kBlockRows;
      const std::size_t count = std::min(kBlockRows, block.rows - first);
      core::kernels().top_confidence(block.scores.data() + first * classes, count, classes,
                                     inverse_temperature, confidence.data() + first,
                                     predicted.data() + first);
      for (std::size_t i = first; i < first + count; ++i) {
        const std::uint8_t* const votes = block.counts.data() + i * classes;
        unsigned total = 0, most = 0;
        for (std::size_t k = 0; k < classes; ++k) {
          total += votes[k];
          most = std::max<unsigned>(most, votes[k]);
        }
        const unsigned own = votes[predicted[i]];
        agreement[i] = static_cast<double>(own) / static_cast<double>(total);
        // The majority label is the first of the classes with most votes.
        bool earlier = false;
        for (std::size_t k = 0; own == most && k < predicted[i]; ++k) {
          earlier = earlier || votes[k] == most;
        }
        hit[i] = own == most && !earlier ? 1 : 0;
      }
    });
  }
};

}  // namespace

std::optional<TopErrors> top_errors(const io::DatasetFiles& files, const Calibrator* calibrator,
                                    const MetricOptions& options) {
  const bool one_factor =
      calibrator == nullptr || (calibrator->temperature() > 0.0 && calibrator->classes.empty());
  if (!one_factor) return std::nullopt;
  const double factor = calibrator == nullptr ? 1.0 : 1.0 / calibrator->temperature();
  if (files.scores.given) {
    const io::Given& given = *files.scores.given;
    const bool fits =
        calibrator == nullptr || (given.array && given.array->cols == calibrator->class_count);
    if (!fits) return std::nullopt;
    return top_errors_of_arrays(files, factor, calibrator != nullptr, options);
  }
  const auto arrays = io::PlainArrays::open(files);
  if (!arrays) return std::nullopt;
  if (calibrator != nullptr && calibrator->class_count != arrays->classes()) return std::nullopt;
  const int threads = core::resolve_threads(options.threads);
  const core::UnitBins bins(options.bins);
  metrics::BinTree tree;
  metrics::DrawHits hits;
  TopColumns columns;
  for (io::PlainArrays::Block block; arrays->next(block);) {
    columns.fill(block, arrays->classes(), factor, threads);
    const metrics::TopRows rows = columns.rows(block.first);
    tree.merge(metrics::bin_tree(rows, bins));
    if (options.draws > 0) {
      metrics::add_hits(metrics::draw_top(rows, bins, options),
                        static_cast<std::size_t>(options.draws), hits);
    }
  }
  if (arrays->unusable()) return std::nullopt;
  const metrics::CellSums<metrics::BinTotals> all = tree.total();
  const auto count = static_cast<double>(arrays->rows());
  TopErrors errors = metrics::gap_errors(all, arrays->rows());
  if (options.draws > 0) {
    const metrics::Point drawn = metrics::ece_of_draws(all, hits, options, count);
    errors.ece_true = drawn.value;
    errors.ece_true_error = drawn.monte_carlo_error;
  }
  return errors;
}

}  // namespace credence::report
