// Loss and gradient in float32 of maps with a channel: what annotators say for each class is not
// linear in the parameters, so the votes are kept beside the inputs.
#pragma once

#include <cfloat>

#include "core/pool.hpp"
#include "fit/passes/fast_inputs.hpp"
#include "fit/passes/fast_passes.hpp"
#include "fit/passes/matrix_chunk.hpp"

namespace credence::fit_detail {

template <class M>
class FastChannel final : public FastPasses {
 public:
  FastChannel(const map::StageInput& input, const Targets& targets, const Spread& spread,
              std::size_t first_block)
      : input_(&input),
        targets_(&targets),
        spread_(spread),
        first_block_(first_block),
        classes_(input.classes()),
        inputs_(inputs_of<M>(classes_)),
        layout_{map::Math<M>::parameters(classes_)},
        blocks_((input.rows() + kBlockRows - 1) / kBlockRows,
                sizeof(float) * chunk_at(kBlockRows, inputs_ + classes_)) {}

  BlockSums loss(Params theta, bool) override {
    const ChannelWeights weights = weights_at(theta);
    return sum_blocks(input_->rows(), first_block_, layout_.curvature(),
                      spread_.over(input_->rows() * (classes_ + inputs_)),
                      [&](std::size_t from, std::size_t count, double* sums) {
                        spaces_.borrow(
                            [&] { return Space(*this); },
                            [&](Space& space) { add(weights, from, count, space, sums); });
                      });
  }

 private:
  /// The matrix and its biases, and the channel both ways.
  struct ChannelWeights {
    std::vector<float> front, channel, transposed;
  };

  struct Space {
    explicit Space(const FastChannel& of)
        : inputs(*of.input_),
          chunk(of.classes_, of.inputs_, kFastStride),
          back(chunk.size()),
          said(chunk.size()) {}
    MatrixInputs<M> inputs;
    MatrixChunk<float> chunk;
    std::vector<float> back, said;
    FastBlock own;
  };

  ChannelWeights weights_at(Params theta) const {
    const std::size_t size = classes_ * classes_;
    ChannelWeights out{narrow(theta.first(theta.size() - size)), narrow(theta.last(size)),
                       std::vector<float>(size)};
    for (std::size_t j = 0; j < classes_; ++j) {
      for (std::size_t k = 0; k < classes_; ++k) {
        out.transposed[k * classes_ + j] = out.channel[j * classes_ + k];
      }
    }
    return out;
  }

  void add(const ChannelWeights& weights, std::size_t first, std::size_t rows, Space& space,
           double* sums) {
    const FastBlock& block = blocks_.get(first / kBlockRows, space.own, [&](FastBlock& to) {
      load_block(space.inputs, inputs_, first, rows, to,
                 [](std::size_t, std::size_t, const double*) {});
      fill_shares(first, rows, to.shares);
    });
    for (std::size_t done = 0; done < rows; done += kFastRows) {
      const std::size_t here = std::min(kFastRows, rows - done);
      const float* const x = &block.x[chunk_at(done, inputs_)];
      space.chunk.logits({classes_, inputs_, weights.front.data()}, x);
      space.chunk.softmax(here);
      add_channel(weights, &block.shares[chunk_at(done, classes_)], here, space, sums);
      space.chunk.add_gradient(space.back.data(), x, sums + LossLayout::kGradient);
    }
  }

  /// Targets class by class, in chunks as the inputs are.
  void fill_shares(std::size_t first, std::size_t rows, std::vector<float>& shares) const {
    shares.assign((rows + kFastRows - 1) / kFastRows * classes_ * kFastStride, 0.0f);
    for (std::size_t r = 0; r < rows; ++r) {
      float* const q = &shares[chunk_at(r, classes_) + r % kFastRows];
      const TargetRow row = targets_->row(first + r);
      for (std::size_t j = 0; j < row.classes.size(); ++j) {
        q[row.classes[j] * kFastStride] = static_cast<float>(row.weights[j] / row.total);
      }
      if (!targets_->has_uniform()) continue;
      const double share = targets_->uniform(first + r) / static_cast<double>(classes_);
      for (std::size_t k = 0; k < classes_; ++k) q[k * kFastStride] += static_cast<float>(share);
    }
  }

  /// From p to dv before the softmax, in space.back; adds the loss and what the channel gets of the
  /// gradient.
  void add_channel(const ChannelWeights& weights, const float* q, std::size_t rows, Space& space,
                   double* sums) const {
    const core::TileKernels<float>& kernels = core::kernels().f32;
    const std::size_t count = space.chunk.size();
    const float* const p = space.chunk.data();
    float* const said = space.said.data();
    float* const back = space.back.data();
    kernels.multiply(weights.transposed.data(), classes_, classes_, classes_, nullptr, p, said,
                     kFastStride);
    for (std::size_t i = 0; i < count; ++i) said[i] = std::max(said[i], FLT_MIN);
    std::copy_n(said, count, back);
    kernels.log_positive(back, count);
    sums[LossLayout::kLoss] -= agreement(q, back, rows);
    for (std::size_t i = 0; i < count; ++i) said[i] = 1.0f - q[i] / said[i];
    const std::size_t front = classes_ * (inputs_ + 1);
    kernels.multiply_transposed(p, classes_, said, classes_, kFastStride,
                                sums + LossLayout::kGradient + front, classes_, false);
    kernels.multiply(weights.channel.data(), classes_, classes_, classes_, nullptr, said, back,
                     kFastStride);
    kernels.wide_centre(p, classes_, kFastStride, back);
  }

  /// The sum over rows of q . v; each row in float32.
  double agreement(const float* q, const float* v, std::size_t rows) const {
    float of_row[kFastRows] = {};
    for (std::size_t k = 0; k < classes_; ++k) {
      for (std::size_t r = 0; r < kFastRows; ++r)
        of_row[r] += q[k * kFastStride + r] * v[k * kFastStride + r];
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < rows; ++r) sum += static_cast<double>(of_row[r]);
    return sum;
  }

  const map::StageInput* input_;
  const Targets* targets_;
  Spread spread_;
  std::size_t first_block_, classes_, inputs_;
  LossLayout layout_;
  FastBlocks blocks_;
  core::Pool<Space> spaces_;
};

}  // namespace credence::fit_detail
