#include "report/top_errors_of_arrays.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/array_kernels.hpp"
#include "core/parallel.hpp"
#include "dataset/cross_table.hpp"
#include "io/votes/vote_forms.hpp"
#include "metrics/rows/gap_totals.hpp"
#include "metrics/sums/draw_hits.hpp"

namespace credence::report {
namespace {

using io::NumberArray;
using io::NumberType;

bool is_bare(const std::shared_ptr<const io::Given>& given) {
  return given && given->array && given->ids.empty();
}

/// Nothing but scores and votes, in arrays without ids.
bool are_plain(const io::DatasetFiles& files) {
  return is_bare(files.scores.given) && is_bare(files.given_votes) && files.rows.empty() &&
         files.skip_rows.empty() && files.groups.empty() && files.by.empty() &&
         files.classes.empty() && files.score_classes.empty() && files.vote_classes.empty() &&
         files.votes_format.empty() && files.drop_labels.empty() && files.votes_field.empty() &&
         files.id_field.empty() && files.scores.scores_field.empty() && !files.allow_unmatched &&
         !files.assume_order;
}

bool are_usual(const MetricOptions& options) {
  return options.bins >= 1 && options.bins <= kMaxBins && options.draws >= 0 &&
         options.draws <= kMaxDraws;
}

/// Rows whose predicted class is wanted.
class TopScores {
 public:
  TopScores(const NumberArray& array, ScoreKind kind, double factor)
      : array_(&array), kind_(kind), factor_(factor) {}

  bool usable() const {
    const bool f32 = array_->is_plain(NumberType::f32), f64 = array_->is_plain(NumberType::f64);
    return array_->rows > 0 && array_->cols > 1 && (f32 || (f64 && kind_ == ScoreKind::probs));
  }

  /// False where a number is not what it should be.
  bool read(std::size_t first, std::size_t rows, double* confidence, std::uint32_t* top) const {
    const std::size_t classes = array_->cols;
    if (array_->type == NumberType::f64) {
      const auto* p = reinterpret_cast<const double*>(array_->data) + first * classes;
      return is_fine(core::array_kernels().top_probability_f64(p, rows, classes, confidence, top));
    }
    const auto* z = reinterpret_cast<const float*>(array_->data) + first * classes;
    if (kind_ == ScoreKind::probs) {
      return is_fine(core::array_kernels().top_probability_f32(z, rows, classes, confidence, top));
    }
    if (!core::kernels().all_finite(z, rows * classes)) return false;
    core::kernels().top_confidence(z, rows, classes, factor_, confidence, top);
    return true;
  }

 private:
  static bool is_fine(unsigned facts) { return (facts & core::kOddProbabilities) == 0; }

  const NumberArray* array_;
  ScoreKind kind_;
  double factor_;
};

/// Votes that were read before, and looked at for permuted classes.
struct KnownVotes {
  static constexpr bool kOrderIsChecked = true;
  const Votes* votes;

  bool look(std::size_t row, std::uint32_t top, double& agreement, unsigned char& hit) const {
    agreement = votes->share(row, top);
    hit = votes->voted(row) == top ? 1 : 0;
    return true;
  }
};

/// Majority labels, looked up where they stand.
struct Labels {
  static constexpr bool kOrderIsChecked = false;
  std::vector<std::int64_t> of_row;
  std::size_t classes;

  static std::optional<Labels> read(const io::DatasetFiles& files, std::size_t rows,
                                    std::size_t classes) {
    const NumberArray& array = *files.given_votes->array;
    if (array.cols != 1 || array.rows != rows) return std::nullopt;
    return Labels{array.integers(files.labels), classes};
  }
  /// False where a label is none.
  bool look(std::size_t row, std::uint32_t top, double& agreement, unsigned char& hit) const {
    hit = of_row[row] == static_cast<std::int64_t>(top) ? 1 : 0;
    agreement = hit;
    return static_cast<std::uint64_t>(of_row[row]) < classes;
  }
  void tabulate(std::size_t row, std::uint32_t top, dataset::CrossTable& table) const {
    table.at(top, static_cast<std::uint32_t>(of_row[row])) += 1.0;
  }
};

/// What all annotators said.
struct Counts {
  static constexpr bool kOrderIsChecked = false;
  Votes votes;

  static std::optional<Counts> read(const io::DatasetFiles& files, std::size_t rows,
                                    std::size_t classes) {
    const NumberArray& array = *files.given_votes->array;
    if (array.is_vector || array.rows != rows || array.cols != classes) return std::nullopt;
    io::VoteFile file;
    file.path = files.votes;
    file.given = files.given_votes;
    file.expected_classes = classes;
    io::RawVotes raw = io::read_votes(file);
    if (!raw.problems.empty()) return std::nullopt;
    return Counts{std::move(raw.table.votes)};
  }
  bool look(std::size_t row, std::uint32_t top, double& agreement, unsigned char& hit) const {
    return KnownVotes{&votes}.look(row, top, agreement, hit);
  }
  void tabulate(std::size_t row, std::uint32_t top, dataset::CrossTable& table) const {
    const VoteRow of_row = votes.row(row);
    for (std::size_t v = 0; v < of_row.classes.size(); ++v) {
      table.at(top, of_row.classes[v]) += of_row.weights[v] / votes.total(row);
    }
  }
};

/// A block of rows while it is worked on.
struct RowsOfBlock {
  double confidence[kBlockRows], agreement[kBlockRows];
  std::uint32_t top[kBlockRows];
  unsigned char hit[kBlockRows];
};

/// What is kept of all rows where draws are made.
struct KeptRows {
  std::vector<double> confidence, agreement;
  std::vector<unsigned char> hit;

  explicit KeptRows(std::size_t rows) : confidence(rows), agreement(rows), hit(rows) {}
  metrics::TopRows rows() const { return {0, confidence, agreement, hit}; }
  void keep(std::size_t first, std::size_t count, const RowsOfBlock& block) {
    std::copy_n(block.confidence, count, confidence.data() + first);
    std::copy_n(block.agreement, count, agreement.data() + first);
    std::copy_n(block.hit, count, hit.data() + first);
  }
};

template <class Answers>
std::optional<TopErrors> errors_of(const TopScores& scores, const Answers& answers,
                                   std::size_t rows, std::size_t classes,
                                   const MetricOptions& options) {
  // Starting a thread costs as much as some ten thousand numbers.
  constexpr std::size_t kNumbersPerThread = std::size_t{1} << 18U;
  const std::size_t worth = rows * classes / kNumbersPerThread + 1;
  const int threads = static_cast<int>(
      std::min(worth, static_cast<std::size_t>(core::resolve_threads(options.threads))));
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows,
                    step = dataset::class_order_step(rows);
  const std::size_t parts = std::min(blocks, static_cast<std::size_t>(threads));
  const core::UnitBins bins(options.bins);
  std::vector<metrics::CellSums<metrics::GapTotals>> of_block(blocks);
  std::vector<dataset::ClearDiagonal> diagonals(parts, dataset::ClearDiagonal(classes));
  std::vector<std::uint32_t> predicted((rows + step - 1) / step);  // of rows that are tabulated
  KeptRows columns(options.draws > 0 ? rows : 0);
  std::atomic<bool> fine = true;
  core::parallel_for(threads, parts, [&](std::size_t part) {
    metrics::CellBlock<metrics::GapTotals> cells(bins.count());
    RowsOfBlock block;
    for (std::size_t b = blocks * part / parts; fine && b < blocks * (part + 1) / parts; ++b) {
      const std::size_t first = b * kBlockRows, count = std::min(kBlockRows, rows - first);
      bool usable = scores.read(first, count, block.confidence, block.top);
      for (std::size_t i = 0; i < count; ++i) {
        usable &= answers.look(first + i, block.top[i], block.agreement[i], block.hit[i]);
      }
      if (!usable) {
        fine = false;
        return;
      }
      for (std::size_t i = (step - first % step) % step; !Answers::kOrderIsChecked && i < count;
           i += step) {
        diagonals[part].add(block.top[i], block.agreement[i]);
        predicted[(first + i) / step] = block.top[i];
      }
      if (options.draws > 0) {
        columns.keep(first, count, block);
      } else {
        of_block[b] = metrics::gap_totals(
            {first, {block.confidence, count}, {block.agreement, count}, {block.hit, count}}, bins,
            cells);
      }
    }
  });
  if (!fine) return std::nullopt;
  if constexpr (!Answers::kOrderIsChecked) {
    // Classes that look permuted are told by whoever reads the data with care.
    for (std::size_t part = 1; part < parts; ++part) diagonals[0].add(diagonals[part]);
    if (!diagonals[0].is_clear()) {
      dataset::CrossTable table(classes);
      for (std::size_t s = 0; s < predicted.size(); ++s) {
        if (diagonals[0].is_clear(predicted[s])) continue;
        answers.tabulate(s * step, predicted[s], table);
      }
      if (!table.keeps_the_diagonal()) return std::nullopt;
    }
  }
  if (options.draws > 0) return metrics::drawn_errors(columns.rows(), bins, options);
  metrics::GapTree tree;
  for (std::size_t b = 0; b < blocks; ++b) tree.push({b, 0, std::move(of_block[b])});
  return metrics::gap_errors(tree.total(), rows);
}

}  // namespace

std::optional<TopErrors> top_errors(const io::NumberArray& probabilities, const Votes& votes,
                                    const MetricOptions& options) {
  const TopScores scores(probabilities, ScoreKind::probs, 1.0);
  if (!scores.usable() || !are_usual(options) || votes.rows() != probabilities.rows) {
    return std::nullopt;
  }
  return errors_of(scores, KnownVotes{&votes}, probabilities.rows, probabilities.cols, options);
}

std::optional<TopErrors> top_errors_of_arrays(const io::DatasetFiles& files, double factor,
                                              bool calibrated, const MetricOptions& options) {
  const ScoreKind kind = files.scores.kind;
  if (!are_plain(files) || !are_usual(options) || (calibrated && kind == ScoreKind::probs)) {
    return std::nullopt;
  }
  const NumberArray& array = *files.scores.given->array;
  const TopScores scores(array, kind, factor);
  if (!scores.usable()) return std::nullopt;
  const std::size_t rows = array.rows, classes = array.cols;
  if (!files.labels.empty()) {
    const auto labels = Labels::read(files, rows, classes);
    return labels ? errors_of(scores, *labels, rows, classes, options) : std::nullopt;
  }
  const auto counts = Counts::read(files, rows, classes);
  return counts ? errors_of(scores, *counts, rows, classes, options) : std::nullopt;
}

}  // namespace credence::report
