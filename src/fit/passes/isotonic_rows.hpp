// Isotonic steps of rows that are all in memory. A first look in float32 tells the order of most
// rows by confidence; confidences in double are computed where the order is not certain and a step
// may begin, and nowhere else. The result has the bits of the fit to a list of all rows.
#pragma once

#include <span>
#include <vector>

#include "credence/target.hpp"
#include "dataset/first_look.hpp"
#include "fit/passes/rough_order.hpp"
#include "fit/passes/spread.hpp"
#include "fit/passes/top_rows.hpp"
#include "map/pipeline.hpp"
#include "map/step_pools.hpp"

namespace credence::fit_detail {

class IsotonicRows {
 public:
  /// Whether these rows and this map are for this class; the others are listed.
  static bool serve(const MapSpec& map, const map::StageInput& input);

  /// Takes the first look, unless `look` is one at these scores. Input and targets must outlive
  /// this object.
  IsotonicRows(const map::StageInput& input, const Targets& targets, const Spread& spread,
               const FirstLook* look = nullptr);

  map::TopLabelFit fit(const TopLabelIsotonic& map);

 private:
  /// Rows in their order, with their confidences from `at` on.
  struct KnownRun {
    RowRun run;
    std::size_t at;
  };

  std::vector<RoughRow> list_roughly(const FirstLook* look);
  template <class Body>
  void for_each_exact(std::span<const std::uint32_t> rows, const Body& body) const;

  /// Where a step may begin.
  struct Turns {
    std::vector<std::size_t> places;
    std::vector<RowRun> runs;  ///< or inside of these
  };

  std::vector<map::Pool> pools_of_groups() const;
  Turns turns_below(std::span<const map::Pool> pools) const;
  std::vector<map::Pool> pools_between(std::span<const std::size_t> places) const;
  std::vector<RowRun> runs_at_edges(std::span<const map::Pool> pools) const;
  void find_edges(std::span<map::Pool> pools) const;
  std::vector<RowRun> runs_at_thresholds(std::span<const double> theta) const;
  double loss(std::span<const double> theta) const;

  void learn(std::vector<RowRun> runs);
  const KnownRun* known_at(std::size_t place) const;
  std::span<const double> confidences(const KnownRun& known) const;
  std::size_t rows_below(double threshold) const;

  const map::StageInput* input_;
  TargetAt target_;
  core::Execution execution_;
  std::vector<std::uint64_t> whole_;  ///< targets by row, and then by place
  map::WholeSum squares_ = 0;         ///< of all targets
  RoughOrder order_;
  std::vector<KnownRun> known_;  ///< by place
  std::vector<double> confidences_;
};

}  // namespace credence::fit_detail
