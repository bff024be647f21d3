// Resampling rows that are made and scored once more, block by block: nothing is kept of them but
// their sums in every resample.
#include "metrics/bootstrap/bootstrap_rescored.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/parallel.hpp"
#include "credence/bootstrap.hpp"
#include "credence/error.hpp"
#include "metrics/bootstrap/packed_rows.hpp"
#include "metrics/bootstrap/replicates.hpp"
#include "metrics/bootstrap/resample_subject.hpp"
#include "metrics/bootstrap/resample_weights.hpp"
#include "metrics/rows/scored.hpp"

namespace credence {
namespace metrics {
namespace {

/// Lanes 0 weigh every row once; lanes g hold the resamples from (g - 1) * kLanes on.
struct LaneRange {
  std::size_t first, end;
  std::size_t size() const { return end - first; }
};

/// What a block adds to the single sums, and what is the same under other calibrators.
class SharedSums {
 public:
  explicit SharedSums(std::size_t lanes) : added_(lanes * kNumbers) {}

  /// Adds the first evaluation's rows, and remembers what they add.
  void add_first(const PackedRows& rows, const std::uint8_t* weights, std::size_t lanes,
                 double* sums) {
    double* const added = added_.data() + lanes * kNumbers;
    for (std::size_t i = 0; i < kNumbers; ++i) added[i] = -sums[i];
    rows.add_up(weights, sums);
    // Exact: both are multiples of one step.
    for (std::size_t i = 0; i < kNumbers; ++i) added[i] += sums[i];
  }
  /// Adds rows that leave some single sums out, which are those of the first evaluation.
  void add(const PackedRows& rows, const Omitted& shared, const std::uint8_t* weights,
           std::size_t lanes, double* sums) const {
    rows.add_up(weights, sums);
    const double* const added = added_.data() + lanes * kNumbers;
    for (std::size_t s = 0; s < kScalars; ++s) {
      if (!shared[s]) continue;
      for (std::size_t l = 0; l < kLanes; ++l) sums[s * kLanes + l] += added[s * kLanes + l];
    }
  }

 private:
  static constexpr std::size_t kNumbers = kScalars * kLanes;
  std::vector<double> added_;
};

/// A block while all evaluations of it are resampled.
struct BlockAtWork {
  std::size_t number = 0;
  std::vector<std::uint8_t> weights;
  std::optional<SharedSums> shared;
  std::optional<Scored> base;  ///< the rows of the first evaluation
};

/// So many blocks are worked on together, which fetches the sums of all resamples from memory once
/// for them, as long as their weights take no more than this.
constexpr std::size_t kBlocksTogether = 4, kMostWeightBytes = std::size_t{8} << 20U;

class Rescorer {
 public:
  Rescorer(std::span<const Evaluation> evaluations, const Votes& votes, const MakeRowsAgain& make,
           std::span<const std::uint32_t> groups, const BootstrapOptions& options)
      : evaluations_(evaluations),
        votes_(votes),
        make_(make),
        options_(options),
        grouped_(!groups.empty()),
        units_(evaluations.front().rows, groups),
        resamples_(static_cast<std::size_t>(options.resamples)),
        blocks_((votes.rows() + kBlockRows - 1) / kBlockRows),
        metrics_(evaluations.size()) {
    const bool classes = votes.rows() <= kMostCells / votes.classes();
    for (const Evaluation& one : evaluations) layouts_.push_back(one.kept->layout(classes));
    scoring_ = evaluations.front().protocol;
    scoring_.draws = 0;
    scoring_.keep_rows = true;
    scoring_.threads = 1;
    identity_.resize(kBlockRows);
    std::iota(identity_.begin(), identity_.end(), 0U);
  }

  std::vector<Replicates> run(std::size_t most_bytes) {
    std::vector<Replicates> replicates(evaluations_.size());
    const std::size_t all_lanes = 1 + (resamples_ + kLanes - 1) / kLanes;
    std::size_t slots = 0;
    for (const Layout& layout : layouts_) slots = std::max(slots, layout.slots());
    const std::size_t bytes = slots * kLanes * sizeof(double);
    std::size_t lanes_together = std::clamp<std::size_t>(most_bytes / bytes, 1, all_lanes);
    if (grouped_) {
      const std::size_t most = std::max<std::size_t>(most_bytes / (units_.count * kLanes), 1);
      lanes_together = std::min(lanes_together, most);
    }
    const std::size_t together =
        std::clamp<std::size_t>(most_bytes / (bytes * lanes_together), 1, evaluations_.size());
    jobs_ = ((evaluations_.size() + together - 1) / together) *
            ((all_lanes + lanes_together - 1) / lanes_together) * blocks_;
    for (std::size_t first = 0; first < all_lanes; first += lanes_together) {
      const LaneRange lanes{first, std::min(first + lanes_together, all_lanes)};
      draw_units(lanes);
      for (std::size_t e = 0; e < evaluations_.size(); e += together) {
        const std::size_t end = std::min(e + together, evaluations_.size());
        take(lanes, e, end, add_up(lanes, e, end), replicates);
      }
    }
    return replicates;
  }
  std::size_t units() const { return units_.count; }

 private:
  std::size_t numbers(std::size_t e) const { return layouts_[e].slots() * kLanes; }

  /// The weights of groups in these lanes.
  void draw_units(const LaneRange& lanes) {
    if (!grouped_) return;
    unit_weights_.resize(lanes.size());
    core::parallel_for(core::resolve_threads(options_.threads), lanes.size(), [&](std::size_t l) {
      if (lanes.first + l == 0) {
        unit_weights_[l].assign(units_.count * kLanes, 1);
      } else {
        draw_weights(options_.seed, lanes.first + l - 1, units_.count, unit_weights_[l]);
      }
    });
  }

  /// [((e - first) lanes + lane) ...] sums of the evaluations [first, end) over all rows.
  std::vector<std::vector<double>> add_up(const LaneRange& lanes, std::size_t first,
                                          std::size_t end) {
    const int threads = core::resolve_threads(options_.threads);
    const std::size_t parts = std::min(static_cast<std::size_t>(threads), blocks_);
    std::vector<std::vector<std::vector<double>>> sums(parts);
    core::parallel_for(threads, parts, [&](std::size_t p) {
      for (std::size_t e = first; e < end; ++e) {
        sums[p].emplace_back(lanes.size() * numbers(e), 0.0);
      }
      add_blocks(lanes, first, blocks_ * p / parts, blocks_ * (p + 1) / parts, sums[p]);
    });
    core::parallel_for(threads, end - first, [&](std::size_t e) {
      for (std::size_t p = 1; p < parts; ++p) credence::add_sums(sums[p][e], sums[0][e]);
    });
    return std::move(sums[0]);
  }

  void add_blocks(const LaneRange& lanes, std::size_t first, std::size_t begin, std::size_t end,
                  std::vector<std::vector<double>>& sums) {
    const std::size_t bytes = lanes.size() * kBlockRows * kLanes;
    const std::size_t together =
        std::clamp<std::size_t>(kMostWeightBytes / bytes, 1, kBlocksTogether);
    std::vector<BlockAtWork> some(std::min(together, end - begin));
    for (BlockAtWork& one : some) {
      one.weights.resize(bytes);
      one.shared.emplace(lanes.size());
    }
    std::optional<BlockDraws> draws;
    for (std::size_t block = begin; block < end; block += some.size()) {
      some.resize(std::min(some.size(), end - block));
      for (std::size_t b = 0; b < some.size(); ++b) {
        if (!grouped_ && (block + b - begin) % kBlocksDrawn == 0) {
          draws.emplace(options_.seed, resamples_, units_.count, block + b,
                        std::min(block + b + kBlocksDrawn, end));
        }
        some[b].number = block + b;
        fill_weights(lanes, block + b, draws, some[b].weights);
      }
      add_together(lanes, first, some, sums);
      for (std::size_t b = 0; b < some.size(); ++b) report();
    }
  }

  void fill_weights(const LaneRange& lanes, std::size_t block,
                    const std::optional<BlockDraws>& draws, std::vector<std::uint8_t>& weights) {
    const std::size_t first = block * kBlockRows;
    const std::size_t rows = std::min(kBlockRows, votes_.rows() - first);
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      std::uint8_t* const out = weights.data() + l * kBlockRows * kLanes;
      if (grouped_) {
        for (std::size_t i = 0; i < rows; ++i) {
          const std::size_t unit = units_.of_row[first + i];
          std::copy_n(unit_weights_[l].data() + unit * kLanes, kLanes, out + i * kLanes);
        }
      } else if (lanes.first + l == 0) {
        std::fill_n(out, rows * kLanes, std::uint8_t{1});
      } else {
        const std::size_t r = (lanes.first + l - 1) * kLanes;
        draws->draw(block, r, std::min(kLanes, resamples_ - r), out);
      }
    }
  }

  void add_together(const LaneRange& lanes, std::size_t first, std::vector<BlockAtWork>& blocks,
                    std::vector<std::vector<double>>& sums) const {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const std::size_t e = first + j;
      std::vector<Omitted> omitted;
      std::vector<PackedRows> rows;
      for (BlockAtWork& block : blocks) {
        Scored again = score_block(e, block.number);
        omitted.push_back(j > 0 ? shared_scalars(again, *block.base) : Omitted{});
        rows.emplace_back(again, layouts_[e], omitted.back(), identity_);
        if (j == 0) block.base.emplace(std::move(again));
      }
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        double* const out = sums[j].data() + l * numbers(e);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
          const std::uint8_t* const weight = blocks[b].weights.data() + l * kBlockRows * kLanes;
          if (j == 0) {
            blocks[b].shared->add_first(rows[b], weight, l, out);
          } else {
            blocks[b].shared->add(rows[b], omitted[b], weight, l, out);
          }
        }
      }
    }
  }

  Scored score_block(std::size_t e, std::size_t block) const {
    const std::size_t first = block * kBlockRows;
    const std::size_t rows = std::min(kBlockRows, votes_.rows() - first);
    const RowsAgain made = make_(e, first, rows);
    Scored again(votes_, scoring_, first, first, rows);
    again.add(made.probabilities.view(), made.certainties.view());
    const Scored& kept = *evaluations_[e].kept;
    const auto from = kept.mass_bin.begin() + static_cast<std::ptrdiff_t>(first);
    again.mass_bin.assign(from, from + static_cast<std::ptrdiff_t>(rows));
    return again;
  }

  /// The replicates of these lanes.
  void take(const LaneRange& lanes, std::size_t first, std::size_t end,
            const std::vector<std::vector<double>>& sums, std::vector<Replicates>& out) {
    core::parallel_for(core::resolve_threads(options_.threads), end - first, [&](std::size_t i) {
      const std::size_t e = first + i;
      const double* of_lanes = sums[i].data();
      for (std::size_t l = lanes.first; l < lanes.end; ++l, of_lanes += numbers(e)) {
        if (l == 0) {
          std::vector<double> plain(layouts_[e].slots());
          for (std::size_t s = 0; s < plain.size(); ++s) plain[s] = of_lanes[s * kLanes];
          metrics_[e].emplace(layouts_[e], evaluations_[e], plain);
          out[e] = Replicates(*metrics_[e], evaluations_[e].kept->summary, options_);
          continue;
        }
        const std::size_t r = (l - 1) * kLanes;
        out[e].take(*metrics_[e], layouts_[e], {of_lanes, numbers(e)}, kLanes, r,
                    std::min(kLanes, resamples_ - r));
      }
    });
  }

  void report() {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    const double share = static_cast<double>(++jobs_done_) / static_cast<double>(jobs_);
    if (!options_.progress(std::min(share, 1.0))) {
      throw Error(ErrorCode::cancelled, "resampling was stopped");
    }
  }

  std::span<const Evaluation> evaluations_;
  const Votes& votes_;
  const MakeRowsAgain& make_;
  const BootstrapOptions& options_;
  bool grouped_;
  Units units_;
  std::size_t resamples_, blocks_, jobs_ = 0, jobs_done_ = 0;
  MetricOptions scoring_;
  std::vector<Layout> layouts_;
  std::vector<std::uint32_t> identity_;
  std::vector<std::vector<std::uint8_t>> unit_weights_;
  std::vector<std::optional<ResampledMetrics>> metrics_;
  std::mutex mutex_;
};

}  // namespace

BootstrapResult bootstrap_rescored(std::span<const Evaluation> evaluations, const Votes& votes,
                                   const MakeRowsAgain& make, std::span<const std::uint32_t> groups,
                                   std::span<const std::size_t> references,
                                   const BootstrapOptions& options, std::size_t most_bytes) {
  check_bootstrap(evaluations.size(), references, options);
  if (!resamples_rescored(options)) {
    refuse_bootstrap("rows that are made again give percentile intervals over examples",
                     "keep the rows for anything else");
  }
  for (const Evaluation& one : evaluations) {
    if (!one.kept || one.rows != votes.rows()) {
      refuse_bootstrap("examples were not kept, or are not those of the votes",
                       "evaluate these votes with MetricOptions::keep_examples");
    }
  }
  check_same_rows(evaluations, groups);
  Rescorer rescorer(evaluations, votes, make, groups, options);
  const std::vector<Replicates> replicates = rescorer.run(most_bytes);
  return estimate(evaluations, replicates, rescorer.units(), references, options);
}

}  // namespace metrics

BootstrapResult bootstrap_rescored(std::span<const Evaluation> evaluations, const Votes& votes,
                                   const MakeRowsAgain& make, std::span<const std::uint32_t> groups,
                                   std::span<const std::size_t> references,
                                   const BootstrapOptions& options) {
  return metrics::bootstrap_rescored(evaluations, votes, make, groups, references, options,
                                     metrics::kMostRescoredBytes);
}

}  // namespace credence
