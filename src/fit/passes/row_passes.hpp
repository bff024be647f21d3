// Answers the requests of a solver from rows in memory.
#pragma once

#include <memory>
#include <optional>

#include "credence/solver.hpp"
#include "fit/passes/fast_passes.hpp"
#include "fit/passes/matrix_products.hpp"
#include "fit/passes/smooth_passes.hpp"
#include "fit/passes/spread.hpp"
#include "map/pipeline.hpp"

namespace credence::fit_detail {

/// Keeps what one answer can spare the next: targets, shifts of the rows, predictions.
class RowPasses {
 public:
  /// Where these are `all` rows, what takes all rows is solved here, from a first look at them if
  /// there has been one.
  RowPasses(const RowBlock& rows, const Spread& spread, bool all = false,
            const FirstLook* look = nullptr)
      : rows_(rows), spread_(spread), is_all_(all), look_(look) {}
  /// All rows, with targets made by hand, whatever target a request names. They must outlive this
  /// object.
  RowPasses(Scores scores, const Targets& targets, const Spread& spread)
      : rows_{0, scores, nullptr, {}}, given_(&targets), spread_(spread), is_all_(true) {}

  State answer(const Request& request);

 private:
  /// What belongs to one target and one map behind the same stages.
  struct Prepared {
    Request about;  ///< whose sums and parameters mean nothing
    Targets made;
    std::optional<map::StageInput> input;
    std::unique_ptr<SmoothPasses> smooth;
    std::unique_ptr<FastPasses> fast;
    std::optional<MatrixProducts> products;
    std::vector<double> products_at;
  };
  Prepared& prepare(const Request& request);
  const Targets& targets(const Prepared& prepared) const {
    return given_ != nullptr ? *given_ : prepared.made;
  }
  std::size_t first_block() const { return rows_.first / kBlockRows; }

  SmoothPasses& smooth(Prepared& prepared) const;
  FastPasses& fast(Prepared& prepared) const;
  BlockSums steering_product(const Request& request, Prepared& prepared);
  BlockSums model_doubt(const Request& request) const;
  BlockSums frequencies(const Prepared& prepared) const;
  BlockSums sizes(const Request& request, Prepared& prepared) const;
  BlockSums histogram(const Request& request, Prepared& prepared) const;
  void list_rows(const Request& request, const Prepared& prepared, State& state) const;
  void list_top_labels(Prepared& prepared, State& state) const;

  RowBlock rows_;
  const Targets* given_ = nullptr;
  Spread spread_;
  bool is_all_;
  const FirstLook* look_ = nullptr;
  std::unique_ptr<Prepared> prepared_;
};

/// Rows as they come in the answer to Request::Sums::rows.
struct SampleRows {
  Matrix<float> scores;
  Targets targets;
};
SampleRows decode_rows(const State& state, std::size_t classes);

}  // namespace credence::fit_detail
