// Loss and gradient of matrix maps in float32.
//
// With p = softmax(W x + c) the loss of a row is log sum exp(W x + c) - q . (W x + c). The second
// part is linear in W and c: its gradient, sum q (x, 1)^T, is the same at all parameters. So it is
// found once for each block, and passes read no votes.
#pragma once

#include "core/pool.hpp"
#include "fit/passes/entry_list.hpp"
#include "fit/passes/fast_inputs.hpp"
#include "fit/passes/fast_passes.hpp"
#include "fit/passes/matrix_chunk.hpp"

namespace credence::fit_detail {

template <class M>
class FastMatrix final : public FastPasses {
 public:
  FastMatrix(const map::StageInput& input, const Targets& targets, const Spread& spread,
             std::size_t first_block)
      : input_(&input),
        targets_(&targets),
        spread_(spread),
        first_block_(first_block),
        classes_(input.classes()),
        inputs_(inputs_of<M>(classes_)),
        layout_{classes_ * (inputs_ + 1)},
        blocks_(
            (input.rows() + kBlockRows - 1) / kBlockRows,
            sizeof(float) * chunk_at(kBlockRows, inputs_) + sizeof(double) * layout_.parameters) {}

  BlockSums loss(Params theta, bool with_curvature) override {
    const std::vector<float> weights = narrow(theta);
    const std::size_t pairs = Pairs::output_pairs(classes_) * Pairs::input_pairs(inputs_);
    const core::Execution execution = spread_.over(input_->rows() * (classes_ + inputs_));
    return sum_blocks(
        input_->rows(), first_block_, layout_.curvature() + (with_curvature ? pairs : 0), execution,
        [&](std::size_t from, std::size_t count, double* sums) {
          spaces_.borrow(
              [&] { return Space(*this); },
              [&](Space& space) { add(weights, from, count, with_curvature, space, sums); });
        });
  }

 private:
  using Pairs = map::PairProducts<float>;

  struct Space {
    explicit Space(const FastMatrix& of)
        : inputs(*of.input_), chunk(of.classes_, of.inputs_, kFastStride) {}
    MatrixInputs<M> inputs;
    MatrixChunk<float> chunk;
    EntryList entries;
    FastBlock own;
    std::optional<Pairs> pairs;
  };

  void add(const std::vector<float>& theta, std::size_t first, std::size_t rows,
           bool with_curvature, Space& space, double* sums) {
    const FastBlock& block = blocks_.get(first / kBlockRows, space.own,
                                         [&](FastBlock& to) { fill(first, rows, space, to); });
    const MatrixWeights<float> weights{classes_, inputs_, theta.data()};
    if (with_curvature && !space.pairs) space.pairs.emplace(classes_, inputs_, kFastStride);
    for (std::size_t done = 0; done < rows; done += kFastRows) {
      const std::size_t here = std::min(kFastRows, rows - done);
      const float* const x = &block.x[chunk_at(done, inputs_)];
      space.chunk.logits(weights, x);
      const float* const lse = space.chunk.softmax(here);
      for (std::size_t r = 0; r < here; ++r) {
        sums[LossLayout::kLoss] += static_cast<double>(lse[r]);
      }
      space.chunk.add_gradient(space.chunk.data(), x, sums + LossLayout::kGradient);
      if (with_curvature) {
        space.pairs->add(space.chunk.data(), x, kFastStride, sums + layout_.curvature());
      }
    }
    for (std::size_t j = 0; j < layout_.parameters; ++j) {
      sums[LossLayout::kLoss] -= static_cast<double>(theta[j]) * block.products[j];
      sums[LossLayout::kGradient + j] -= block.products[j];
    }
  }

  /// The inputs of a block, and the sum over its rows of q (x, 1)^T.
  void fill(std::size_t first, std::size_t rows, Space& space, FastBlock& to) const {
    std::vector<double> even(inputs_ + 1, 0.0);  // of what every class gets alike
    std::vector<double>& sums = to.products;
    sums.assign(layout_.parameters, 0.0);
    const std::size_t stride = space.inputs.stride(), biases = classes_ * inputs_;
    const auto add = [&](double weight, const double* x, double* weights, double& bias) {
      for (std::size_t a = 0; a < inputs_; ++a) weights[a] += weight * x[a * stride];
      bias += weight;
    };
    load_block(
        space.inputs, inputs_, first, rows, to,
        [&](std::size_t done, std::size_t here, const double* tile) {
          for (const EntryList::Entry& entry : space.entries.list(*targets_, first + done, here)) {
            add(entry.share, tile + entry.row, &sums[entry.label * inputs_],
                sums[biases + entry.label]);
          }
          for (std::size_t r = 0; targets_->has_uniform() && r < here; ++r) {
            add(targets_->uniform(first + done + r) / static_cast<double>(classes_), tile + r,
                even.data(), even[inputs_]);
          }
        });
    for (std::size_t k = 0; targets_->has_uniform() && k < classes_; ++k) {
      for (std::size_t a = 0; a < inputs_; ++a) sums[k * inputs_ + a] += even[a];
      sums[biases + k] += even[inputs_];
    }
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
