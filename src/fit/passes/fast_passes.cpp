#include "fit/passes/fast_passes.hpp"

#include <algorithm>
#include <cfloat>
#include <type_traits>

#include "core/pool.hpp"
#include "map/all_maps.hpp"

namespace credence::fit_detail {
namespace {

/// Rows multiplied at a time: sums of so many in float32 lose nothing that matters, and are long
/// enough to be worth adding up their lanes.
constexpr std::size_t kFastRows = 256;
static_assert(kBlockRows % kFastRows == 0);
/// Inputs and targets beyond this many bytes are made anew for every pass.
constexpr std::size_t kKeptFast = std::size_t{128} << 20;

template <class M>
constexpr bool kIsMatrix = std::is_same_v<M, MatrixAffine> || std::is_same_v<M, RidgeLog> ||
                           std::is_same_v<M, RidgeBoth> || std::is_same_v<M, RidgeSharp>;
template <class M>
constexpr bool kIsChannel = map::Channelled<M>;
template <class M>
constexpr bool kIsFast = kIsMatrix<M> || kIsChannel<M>;

template <class M>
std::size_t inputs_of(std::size_t classes) {
  if constexpr (std::is_same_v<M, MatrixAffine>) {
    return classes;
  } else {
    return map::Math<M>::remembered(classes);
  }
}

std::vector<float> narrow(Params numbers) {
  std::vector<float> out(numbers.size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<float>(numbers[j]);
  return out;
}

/// Parameters of a pass in float32: weights row by row and biases, and the channel both ways.
struct FastWeights {
  std::vector<float> weights, bias, channel, channel_transposed;
};

template <class M>
class FastMatrix final : public FastPasses {
  using Math = map::Math<M>;

 public:
  FastMatrix(const map::StageInput& input, const Targets& targets, const Spread& spread,
             std::size_t first_block)
      : input_(&input),
        targets_(&targets),
        spread_(spread),
        first_block_(first_block),
        classes_(input.classes()),
        inputs_(inputs_of<M>(classes_)),
        layout_{Math::parameters(classes_)} {
    const std::size_t chunk = (inputs_ + classes_) * kFastRows;
    const std::size_t chunks = (input.rows() + kFastRows - 1) / kFastRows;
    kept_.resize(std::min(chunks, kKeptFast / (chunk * sizeof(float))) * chunk);
    filled_.assign(kept_.size() / chunk, 0);
  }

  BlockSums loss(Params theta, bool with_curvature) override {
    const FastWeights weights = weights_at(theta);
    const std::size_t pairs = Pairs::output_pairs(classes_) * Pairs::input_pairs(inputs_);
    const core::Execution execution = spread_.over(input_->rows() * (classes_ + inputs_));
    return sum_blocks(
        input_->rows(), first_block_, layout_.curvature() + (with_curvature ? pairs : 0), execution,
        [&](std::size_t from, std::size_t count, double* sums) {
          spaces_.borrow([&] { return Space(*this); },
                         [&](Space& space) {
                           for (std::size_t done = 0; done < count; done += kFastRows) {
                             add(weights, from + done, std::min(kFastRows, count - done),
                                 with_curvature, space, sums);
                           }
                         });
        });
  }

 private:
  using Pairs = map::PairProducts<float>;

  struct Space {
    explicit Space(const FastMatrix& of)
        : own((of.inputs_ + of.classes_) * kFastRows),
          p(of.classes_ * kFastRows),
          dv(p.size()),
          said(p.size()),
          lse(kFastRows),
          ones(kFastRows, 1.0f),
          u(of.classes_ * core::tile_rows(of.classes_)),
          features(of.inputs_ * core::tile_rows(of.classes_)) {}
    std::vector<float> own, p, dv, said, lse, ones;
    std::vector<double> u, features;
    std::optional<Pairs> pairs;
  };

  FastWeights weights_at(Params theta) const {
    const std::size_t front = classes_ * inputs_;
    FastWeights out{narrow(theta.first(front)), narrow(theta.subspan(front, classes_)), {}, {}};
    if constexpr (kIsChannel<M>) {
      out.channel = narrow(theta.last(classes_ * classes_));
      out.channel_transposed.resize(out.channel.size());
      for (std::size_t j = 0; j < classes_; ++j) {
        for (std::size_t k = 0; k < classes_; ++k) {
          out.channel_transposed[k * classes_ + j] = out.channel[j * classes_ + k];
        }
      }
    }
    return out;
  }

  /// Inputs and targets of at most kFastRows rows, class by class; rows past the end are zero.
  const float* chunk(std::size_t first, std::size_t rows, Space& space) {
    const std::size_t size = (inputs_ + classes_) * kFastRows, place = first / kFastRows;
    if (place >= filled_.size()) {
      fill(first, rows, space, space.own.data());
      return space.own.data();
    }
    float* const kept = &kept_[place * size];
    if (filled_[place] == 0) {
      fill(first, rows, space, kept);
      filled_[place] = 1;
    }
    return kept;
  }

  void fill(std::size_t first, std::size_t rows, Space& space, float* x) const {
    const std::size_t stride = core::tile_rows(classes_);
    std::fill_n(x, (inputs_ + classes_) * kFastRows, 0.0f);
    for (std::size_t done = 0; done < rows; done += stride) {
      const std::size_t here = std::min(stride, rows - done);
      input_->load(first + done, here, space.u.data());
      const double* made = space.u.data();
      if constexpr (map::Remembering<M>) {
        Math::remember({classes_, stride, made, input_->gauge()}, space.features.data());
        made = space.features.data();
      }
      for (std::size_t a = 0; a < inputs_; ++a) {
        for (std::size_t r = 0; r < here; ++r) {
          x[a * kFastRows + done + r] = static_cast<float>(made[a * stride + r]);
        }
      }
    }
    float* const q = x + inputs_ * kFastRows;
    for (std::size_t r = 0; r < rows; ++r) {
      const TargetRow row = targets_->row(first + r);
      for (std::size_t j = 0; j < row.classes.size(); ++j) {
        q[row.classes[j] * kFastRows + r] = static_cast<float>(row.weights[j] / row.total);
      }
      if (!targets_->has_uniform()) continue;
      const double share = targets_->uniform(first + r) / static_cast<double>(classes_);
      for (std::size_t k = 0; k < classes_; ++k) q[k * kFastRows + r] += static_cast<float>(share);
    }
  }

  void add(const FastWeights& weights, std::size_t first, std::size_t rows, bool with_curvature,
           Space& space, double* sums) {
    const float* const x = chunk(first, rows, space);
    const float* const q = x + inputs_ * kFastRows;
    const core::TileKernels<float>& kernels = core::kernels().f32;
    float* const p = space.p.data();
    kernels.multiply(weights.weights.data(), inputs_, classes_, inputs_, weights.bias.data(), x, p,
                     kFastRows);
    if constexpr (kIsChannel<M>) {
      kernels.wide_softmax(p, classes_, kFastRows, space.lse.data());
      add_channel(weights, q, rows, space, sums);
    } else {
      sums[LossLayout::kLoss] -= agreement(q, p, rows);
      kernels.wide_softmax(p, classes_, kFastRows, space.lse.data());
      for (std::size_t r = 0; r < rows; ++r) {
        sums[LossLayout::kLoss] += static_cast<double>(space.lse[r]);
      }
      clear_past(rows, p);
      for (std::size_t i = 0; i < space.dv.size(); ++i) space.dv[i] = p[i] - q[i];
    }
    double* const gradient = sums + LossLayout::kGradient;
    kernels.multiply_transposed(space.dv.data(), classes_, x, inputs_, kFastRows, gradient, inputs_,
                                false);
    kernels.multiply_transposed(space.dv.data(), classes_, space.ones.data(), 1, kFastRows,
                                gradient + classes_ * inputs_, 1, false);
    if (with_curvature) {
      if (!space.pairs) space.pairs.emplace(classes_, inputs_, kFastRows);
      space.pairs->add(p, x, kFastRows, sums + layout_.curvature());
    }
  }

  /// From p in space.p to dv before the softmax in space.dv; adds the loss and what the channel
  /// gets of the gradient.
  void add_channel(const FastWeights& weights, const float* q, std::size_t rows, Space& space,
                   double* sums) const {
    const core::TileKernels<float>& kernels = core::kernels().f32;
    const std::size_t count = classes_ * kFastRows;
    float* const p = space.p.data();
    float* const said = space.said.data();
    float* const back = space.dv.data();
    kernels.multiply(weights.channel_transposed.data(), classes_, classes_, classes_, nullptr, p,
                     said, kFastRows);
    for (std::size_t i = 0; i < count; ++i) said[i] = std::max(said[i], FLT_MIN);
    std::copy_n(said, count, back);
    kernels.log_positive(back, count);
    sums[LossLayout::kLoss] -= agreement(q, back, rows);
    for (std::size_t i = 0; i < count; ++i) said[i] = 1.0f - q[i] / said[i];
    clear_past(rows, p);
    const std::size_t front = classes_ * (inputs_ + 1);
    kernels.multiply_transposed(p, classes_, said, classes_, kFastRows,
                                sums + LossLayout::kGradient + front, classes_, false);
    kernels.multiply(weights.channel.data(), classes_, classes_, classes_, nullptr, said, back,
                     kFastRows);
    kernels.wide_centre(p, classes_, kFastRows, back);
  }

  /// The sum over rows of q . v; each row in float32.
  double agreement(const float* q, const float* v, std::size_t rows) const {
    float of_row[kFastRows] = {};
    for (std::size_t k = 0; k < classes_; ++k) {
      for (std::size_t r = 0; r < kFastRows; ++r)
        of_row[r] += q[k * kFastRows + r] * v[k * kFastRows + r];
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < rows; ++r) sum += static_cast<double>(of_row[r]);
    return sum;
  }

  /// Rows past the end must not count.
  void clear_past(std::size_t rows, float* p) const {
    for (std::size_t k = 0; rows < kFastRows && k < classes_; ++k) {
      std::fill(p + k * kFastRows + rows, p + (k + 1) * kFastRows, 0.0f);
    }
  }

  const map::StageInput* input_;
  const Targets* targets_;
  Spread spread_;
  std::size_t first_block_, classes_, inputs_;
  LossLayout layout_;
  std::vector<float> kept_;           ///< of the first chunks: inputs, then targets
  std::vector<std::uint8_t> filled_;  ///< by chunk: whether they are there yet
  core::Pool<Space> spaces_;
};

}  // namespace

bool has_fast_passes(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return kIsFast<M>; }, map);
}

std::size_t matrix_inputs(const MapSpec& map, std::size_t classes) {
  return std::visit(
      [&]<class M>(const M&) -> std::size_t {
        if constexpr (kIsFast<M>) return inputs_of<M>(classes);
        return 0;
      },
      map);
}

std::unique_ptr<FastPasses> make_fast_passes(const MapSpec& map, const map::StageInput& input,
                                             const Targets& targets, const Spread& spread,
                                             std::size_t first_block) {
  return std::visit(
      [&]<class M>(const M&) -> std::unique_ptr<FastPasses> {
        if constexpr (kIsFast<M>) {
          return std::make_unique<FastMatrix<M>>(input, targets, spread, first_block);
        } else {
          return nullptr;
        }
      },
      map);
}

}  // namespace credence::fit_detail
