#include "fit/passes/smooth_passes.hpp"

#include <algorithm>

#include "core/pool.hpp"
#include "fit/passes/exact_matrix.hpp"
#include "map/all_maps.hpp"
#include "map/top_label.hpp"

namespace credence::fit_detail {
namespace {

/// Stands for the curvature of a map that has none.
struct NoCurvature {
  explicit NoCurvature(std::size_t) {}
  static std::size_t packed_size(std::size_t) { return 0; }
  template <class... Arguments>
  void add(Arguments&&...) {}
  void flush(double*) {}
};
template <class M>
struct CurvatureFor {
  using type = NoCurvature;
};
template <map::Smooth M>
struct CurvatureFor<M> {
  using type = typename map::CurvatureOf<M>::type;
};

/// The buffers a thread needs for one tile.
template <class M>
struct Buffers {
  std::vector<double> u, p, dv, direction, lse, remembered;
  std::optional<typename CurvatureFor<M>::type> curvature;
  explicit Buffers(std::size_t classes)
      : u(classes * core::tile_rows(classes)),
        p(u.size()),
        dv(u.size()),
        direction(u.size()),
        lse(core::tile_rows(classes)) {
    if constexpr (map::Remembering<M>) {
      remembered.resize(map::Math<M>::remembered(classes) * lse.size());
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
constexpr bool kHasDiagonal = requires(const map::Tile& tile, double* out) {
  map::Math<M>::curvature_diagonal(tile, out, out);
};

template <class M>
class Passes : public SmoothPasses {
  using Workspace = Buffers<M>;
  using Curvature = typename CurvatureFor<M>::type;

 public:
  Passes(const map::StageInput& input, const Targets& targets, const Spread& spread,
         std::size_t first_block)
      : input_(&input),
        given_(&targets),
        spread_(spread),
        first_block_(first_block),
        classes_(input.classes()),
        stride_(core::tile_rows(classes_)),
        layout_{map::Math<M>::parameters(classes_)} {}

  BlockSums loss(Params theta, bool with_curvature) override {
    if (!targets_) targets_ = given_->written_out();
    const std::size_t packed = with_curvature ? Curvature::packed_size(classes_) : 0;
    return for_each_tile(layout_.curvature() + packed, with_curvature,
                         [&](std::size_t first, std::size_t rows, Workspace& work, double* sums) {
                           add_loss(theta, first, rows, work, with_curvature, sums);
                         });
  }

  BlockSums product(Params theta, Params direction) override {
    return for_each_tile(layout_.parameters, false,
                         [&](std::size_t first, std::size_t rows, Workspace& work, double* sums) {
                           const map::Tile tile = predict(theta, first, rows, work);
                           map::Math<M>::pushforward(theta, tile, direction, work.dv.data());
                           core::kernels().f64.centre(work.p.data(), classes_, work.dv.data());
                           map::Math<M>::pullback(theta, tile, work.dv.data(), sums);
                         });
  }

  BlockSums diagonal(Params theta) override {
    if constexpr (kHasDiagonal<M>) {
      return for_each_tile(layout_.parameters, false,
                           [&](std::size_t first, std::size_t rows, Workspace& work, double* sums) {
                             const map::Tile tile = predict(theta, first, rows, work);
                             map::Math<M>::curvature_diagonal(tile, work.p.data(), sums);
                           });
    } else {
      return {};
    }
  }

 private:
  /// Adds up work(first row, rows, workspace, sums) over every tile, block by block.
  template <class Work>
  BlockSums for_each_tile(std::size_t width, bool with_curvature, const Work& work) {
    const core::Execution execution =
        spread_.over(input_->rows() * classes_ * (with_curvature ? 16 : 1));
    return sum_blocks(input_->rows(), first_block_, width, execution,
                      [&](std::size_t from, std::size_t count, double* sums) {
                        spaces_.borrow([&] { return Workspace(classes_); },
                                       [&](Workspace& space) {
                                         if (with_curvature && !space.curvature)
                                           space.curvature.emplace(classes_);
                                         for (std::size_t done = 0; done < count; done += stride_) {
                                           work(from + done, std::min(stride_, count - done), space,
                                                sums);
                                         }
                                         if (with_curvature)
                                           space.curvature->flush(sums + layout_.curvature());
                                       });
                      });
  }

  map::Tile load(std::size_t first, std::size_t rows, Workspace& work) const {
    input_->load(first, rows, work.u.data());
    map::Tile tile{classes_, stride_, work.u.data(), input_->gauge()};
    if constexpr (map::Remembering<M>) {
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

  void add_loss(Params theta, std::size_t first, std::size_t rows, Workspace& work,
                bool with_curvature, double* sums) const {
    const map::Tile tile = load(first, rows, work);
    map::Math<M>::logits(theta, tile, work.p.data());
    work.direction = work.p;  // the logits, which softmax overwrites
    core::kernels().f64.softmax(work.p.data(), classes_, work.lse.data());
    clear_padding(rows, classes_, stride_, work.p.data());
    work.dv = work.p;
    for (std::size_t r = 0; r < rows; ++r) {
      sums[LossLayout::kLoss] += work.lse[r] - subtract_target(first + r, r, work);
    }
    map::Math<M>::pullback(theta, tile, work.dv.data(), sums + LossLayout::kGradient);
    if (with_curvature) {
      work.curvature->add(theta, tile, work.p.data(), work.dv.data(), sums + layout_.curvature());
    }
  }

  /// dv -= q for row i of the data, row r of the tile; returns q . logits.
  double subtract_target(std::size_t i, std::size_t r, Workspace& work) const {
    const double* logits = work.direction.data();
    const TargetRow row = targets_->row(i);
    double dot = 0.0;
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      const std::size_t at = row.classes[j] * stride_ + r;
      dot += row.weights[j] * logits[at];
      work.dv[at] -= row.weights[j];
    }
    if (targets_->has_uniform()) {
      const double share = targets_->uniform(i) / static_cast<double>(classes_);
      double sum = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) {
        sum += logits[k * stride_ + r];
        work.dv[k * stride_ + r] -= share;
      }
      dot += share * sum;
    }
    return dot;
  }

  const map::StageInput* input_;
  const Targets* given_;
  std::optional<Targets> targets_;  ///< once a loss was asked for
  Spread spread_;
  std::size_t first_block_, classes_, stride_;
  LossLayout layout_;
  core::Pool<Workspace> spaces_;
};

/// Loss and gradient by longer products.
template <class M>
class PassesOfMatrix final : public Passes<M> {
 public:
  PassesOfMatrix(const map::StageInput& input, const Targets& targets, const Spread& spread,
                 std::size_t first_block)
      : Passes<M>(input, targets, spread, first_block),
        exact_(input, targets, spread, first_block) {}

  BlockSums loss(Params theta, bool with_curvature) override {
    return with_curvature ? Passes<M>::loss(theta, true) : exact_.loss(theta);
  }

 private:
  ExactMatrix<M> exact_;
};

}  // namespace

std::unique_ptr<SmoothPasses> make_smooth_passes(const MapSpec& map, const map::StageInput& input,
                                                 const Targets& targets, const Spread& spread,
                                                 std::size_t first_block) {
  return std::visit(
      [&]<class M>(const M&) -> std::unique_ptr<SmoothPasses> {
        if constexpr (kIsMatrix<M>) {
          return std::make_unique<PassesOfMatrix<M>>(input, targets, spread, first_block);
        } else if constexpr (map::Differentiable<M>) {
          return std::make_unique<Passes<M>>(input, targets, spread, first_block);
        } else {
          return nullptr;
        }
      },
      map);
}

std::size_t curvature_size(const MapSpec& map, std::size_t classes) {
  return std::visit(
      [&]<class M>(const M&) -> std::size_t { return CurvatureFor<M>::type::packed_size(classes); },
      map);
}

bool has_diagonal(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return kHasDiagonal<M>; }, map);
}

}  // namespace credence::fit_detail
