#include "fit/objective.hpp"

#include <algorithm>
#include <cmath>

#include "core/pool.hpp"
#include "credence/error.hpp"
#include "fit/class_blocks.hpp"
#include "fit/doubtful_rows.hpp"
#include "fit/matrix_products.hpp"
#include "map/all_maps.hpp"
#include "map/top_label.hpp"

namespace credence::fit_detail {
namespace {

/// The buffers a thread needs for one tile.
template <class M>
struct Buffers {
  std::vector<double> u, p, dv, direction, lse, remembered;
  std::optional<typename map::CurvatureOf<M>::type> curvature;
  explicit Buffers(std::size_t classes)
      : u(classes * core::tile_rows(classes)),
        p(u.size()),
        dv(u.size()),
        direction(u.size()),
        lse(core::tile_rows(classes)) {
    if constexpr (requires { map::Math<M>::kRemembered; }) {
      remembered.resize(map::Math<M>::kRemembered * lse.size());
    }
  }
};

/// Rows past the end of the data must not count.
void clear_padding(std::size_t rows, std::size_t classes, std::size_t stride, double* tile) {
  if (rows == stride) return;
  for (std::size_t k = 0; k < classes; ++k) {
    std::fill(tile + k * stride + rows, tile + (k + 1) * stride, 0.0);
  }
}

template <class M>
class SmoothObjective final : public Objective {
  using Workspace = Buffers<M>;
  using Curvature = typename map::CurvatureOf<M>::type;

 public:
  SmoothObjective(const M& map, const map::StageInput& input, const Targets& targets,
                  const FitOptions& options)
      : Objective(options),
        map_(map),
        input_(&input),
        targets_(targets.written_out()),
        classes_(input.classes()),
        stride_(core::tile_rows(classes_)),
        penalty_(map::Math<M>::penalty(map, classes_)) {}

  std::size_t parameters() const override { return map::Math<M>::parameters(classes_); }
  std::optional<map::Bounds> bounds() const override { return map::Math<M>::bounds(); }

  State evaluate(Params theta, bool with_curvature) override {
    State sum(parameters(), with_curvature ? Curvature::packed_size(classes_) : 0);
    for_each_block(sum, [&](std::size_t first, std::size_t rows, Workspace& work, State& state) {
      accumulate_tile(theta, first, rows, work, state);
    });
    sum.loss += penalty_.value(theta);
    penalty_.add_gradient(theta, sum.gradient.data());
    if (with_curvature) {
      Curvature::unpack(classes_, sum.curvature);
      penalty_.add_curvature(parameters(), sum.curvature.data());
    }
    count_pass();
    return sum;
  }

  void product(Params theta, Params direction, double* out) override {
    State sum(parameters());
    for_each_block(sum, [&](std::size_t first, std::size_t rows, Workspace& work, State& state) {
      const map::Tile tile = predict(theta, first, rows, work);
      map::Math<M>::pushforward(theta, tile, direction, work.dv.data());
      core::kernels().f64.centre(work.p.data(), classes_, work.dv.data());
      map::Math<M>::pullback(theta, tile, work.dv.data(), state.gradient.data());
    });
    std::copy(sum.gradient.begin(), sum.gradient.end(), out);
    penalty_.add_product(direction, out);
    count_pass();
  }

  Product steering_products(Params theta) override {
    if constexpr (std::same_as<M, MatrixAffine>) {
      const auto products = std::make_shared<MatrixProducts>(
          *input_, theta, execution_for(options(), input_->rows() * classes_));
      count_pass();
      return [this, products](Params direction, double* out) {
        products->multiply(direction, out);
        penalty_.add_product(direction, out);
        count_pass();
      };
    } else {
      return [this, theta](Params direction, double* out) { product(theta, direction, out); };
    }
  }

  Preconditioner preconditioner(Params theta) override {
    if constexpr (std::same_as<M, MatrixAffine>) {
      count_pass();
      if (classes_ > kMostClassBlocks) return doubtful_rows().at(theta);
      return class_block_preconditioner(
          *input_, theta, penalty_, execution_for(options(), input_->rows() * classes_).threads);
    } else {
      return diagonal_preconditioner(theta);
    }
  }

  std::vector<double> curvature_diagonal(Params theta) override {
    std::vector<double> diagonal = data_diagonal(theta);
    for (std::size_t j = 0; j < penalty_.diagonal.size(); ++j) diagonal[j] += penalty_.diagonal[j];
    return diagonal;
  }

 private:
  /// Runs work(first row, rows, workspace, state) for every tile; `sum` becomes the mean over rows.
  template <class Work>
  void for_each_block(State& sum, const Work& work) {
    const bool with_curvature = !sum.curvature.empty();
    const std::size_t rows = input_->rows();
    const std::size_t state_bytes = sizeof(double) * (sum.gradient.size() + sum.curvature.size());
    const core::Execution execution =
        execution_for(options(), rows * classes_ * (with_curvature ? 16 : 1));
    core::ordered_blocks(
        (rows + kBlockRows - 1) / kBlockRows, execution, state_bytes, [zero = sum] { return zero; },
        [&](std::size_t block, State& state) {
          state.clear();
          spaces_.borrow([&] { return Workspace(classes_); },
                         [&](Workspace& space) {
                           if (with_curvature && !space.curvature)
                             space.curvature.emplace(classes_);
                           const std::size_t end = std::min(rows, (block + 1) * kBlockRows);
                           for (std::size_t first = block * kBlockRows; first < end;
                                first += stride_) {
                             work(first, std::min(stride_, end - first), space, state);
                           }
                           if (with_curvature) space.curvature->flush(state.curvature.data());
                         });
        },
        [&](const State& state) { sum.merge(state); });
    const double scale = 1.0 / static_cast<double>(rows);
    sum.loss *= scale;
    for (double& g : sum.gradient) g *= scale;
    for (double& h : sum.curvature) h *= scale;
  }

  map::Tile load(std::size_t first, std::size_t rows, Workspace& work) const {
    input_->load(first, rows, work.u.data());
    map::Tile tile{classes_, stride_, work.u.data(), input_->gauge()};
    if constexpr (requires { map::Math<M>::kRemembered; }) {
      map::Math<M>::remember(tile, work.remembered.data());
      tile.remembered = work.remembered.data();
    }
    return tile;
  }

  /// Fills work.u and work.p = softmax(f(u)), with padding cleared.
  map::Tile predict(Params theta, std::size_t first, std::size_t rows, Workspace& work) const {
    const map::Tile tile = load(first, rows, work);
    map::Math<M>::logits(theta, tile, work.p.data());
    core::kernels().f64.softmax(work.p.data(), classes_, work.lse.data());
    clear_padding(rows, classes_, stride_, work.p.data());
    return tile;
  }

  void accumulate_tile(Params theta, std::size_t first, std::size_t rows, Workspace& work,
                       State& state) const {
    const map::Tile tile = load(first, rows, work);
    map::Math<M>::logits(theta, tile, work.p.data());
    work.direction = work.p;  // the logits, which softmax overwrites
    core::kernels().f64.softmax(work.p.data(), classes_, work.lse.data());
    clear_padding(rows, classes_, stride_, work.p.data());
    work.dv = work.p;
    for (std::size_t r = 0; r < rows; ++r) {
      state.loss += work.lse[r] - subtract_target(first + r, r, work);
    }
    map::Math<M>::pullback(theta, tile, work.dv.data(), state.gradient.data());
    if (!state.curvature.empty()) {
      work.curvature->add(theta, tile, work.p.data(), work.dv.data(), state.curvature.data());
    }
  }

  /// dv -= q for row i of the data, row r of the tile; returns q . logits.
  double subtract_target(std::size_t i, std::size_t r, Workspace& work) const {
    const double* logits = work.direction.data();
    const TargetRow row = targets_.row(i);
    double dot = 0.0;
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      const std::size_t at = row.classes[j] * stride_ + r;
      dot += row.weights[j] * logits[at];
      work.dv[at] -= row.weights[j];
    }
    if (targets_.has_uniform()) {
      const double share = targets_.uniform(i) / static_cast<double>(classes_);
      double sum = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) {
        sum += logits[k * stride_ + r];
        work.dv[k * stride_ + r] -= share;
      }
      dot += share * sum;
    }
    return dot;
  }

  static constexpr bool kHasDiagonal = requires(const map::Tile& tile, double* out) {
    map::Math<M>::curvature_diagonal(tile, out, out);
  };

  /// The diagonal of the Hessian without the penalty.
  std::vector<double> data_diagonal(Params theta) {
    if constexpr (kHasDiagonal) {
      State sum(parameters());
      for_each_block(sum, [&](std::size_t first, std::size_t rows, Workspace& work, State& state) {
        const map::Tile tile = predict(theta, first, rows, work);
        map::Math<M>::curvature_diagonal(tile, work.p.data(), state.gradient.data());
      });
      count_pass();
      return std::move(sum.gradient);
    } else {
      return std::vector<double>(parameters(), 1.0);
    }
  }

  Preconditioner diagonal_preconditioner(Params theta) {
    std::vector<double> diagonal = data_diagonal(theta);
    if constexpr (kHasDiagonal) {
      const double floor = 1e-8 * max_norm(diagonal) + 1e-300;
      for (double& number : diagonal) number = 1.0 / std::max(number, floor);
    }
    return [diagonal = std::move(diagonal)](const double* in, double* out) {
      for (std::size_t j = 0; j < diagonal.size(); ++j) out[j] = diagonal[j] * in[j];
    };
  }

  const DoubtfulRows& doubtful_rows() {
    if (!doubtful_rows_) {
      const int threads = execution_for(options(), input_->rows() * classes_).threads;
      doubtful_rows_ = std::make_unique<DoubtfulRows>(*input_, penalty_, threads);
      count_pass();
    }
    return *doubtful_rows_;
  }

  M map_;
  const map::StageInput* input_;
  Targets targets_;
  std::size_t classes_, stride_;
  map::Quadratic penalty_;
  core::Pool<Workspace> spaces_;
  std::unique_ptr<DoubtfulRows> doubtful_rows_;  ///< made when first wanted; matrix map only
};

}  // namespace

void State::clear() {
  loss = 0.0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::fill(curvature.begin(), curvature.end(), 0.0);
}

void State::merge(const State& block) {
  loss += block.loss;
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += block.gradient[j];
  for (std::size_t j = 0; j < curvature.size(); ++j) curvature[j] += block.curvature[j];
}

void Objective::announce(double loss, double gradient_norm) {
  progress_.loss = loss;
  progress_.gradient_norm = gradient_norm;
}

void Objective::count_pass() {
  progress_.pass = ++passes_;
  if (options_->progress && !options_->progress(progress_)) {
    throw Error(ErrorCode::cancelled, "the fit was stopped");
  }
}

core::Execution execution_for(const FitOptions& options, std::size_t scores) {
  constexpr std::size_t kParallelScores = std::size_t{1} << 18;
  core::Execution execution;
  execution.threads = scores < kParallelScores ? 1 : core::resolve_threads(options.threads);
  execution.blocks_per_task = (options.chunk_rows + kBlockRows - 1) / kBlockRows;
  return execution;
}

std::unique_ptr<Objective> make_objective(const MapSpec& map, const map::StageInput& input,
                                          const Targets& targets, const FitOptions& options) {
  return std::visit(
      [&]<class M>(const M& m) -> std::unique_ptr<Objective> {
        if constexpr (map::Smooth<M>) {
          return std::make_unique<SmoothObjective<M>>(m, input, targets, options);
        } else {
          return nullptr;
        }
      },
      map);
}

double max_norm(Params x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace credence::fit_detail
