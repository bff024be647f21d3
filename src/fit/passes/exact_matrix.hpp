// Loss and gradient of matrix maps in double, which decide where a fit ends.
#pragma once

#include "core/pool.hpp"
#include "fit/passes/entry_list.hpp"
#include "fit/passes/matrix_chunk.hpp"
#include "fit/passes/matrix_maps.hpp"
#include "fit/passes/smooth_passes.hpp"

namespace credence::fit_detail {

/// Rows multiplied at a time: long enough to be worth adding up the lanes of their sums.
inline constexpr std::size_t kExactRows = 256;
static_assert(kBlockRows % kExactRows == 0);
/// From a class to the next: no power of two, as in fit/passes/fast_inputs.hpp.
inline constexpr std::size_t kExactStride = kExactRows + 16;

template <class M>
class ExactMatrix {
 public:
  /// The input and targets must outlive it; rows count from `first_block`.
  ExactMatrix(const map::StageInput& input, const Targets& targets, const Spread& spread,
              std::size_t first_block)
      : input_(&input),
        targets_(&targets),
        spread_(spread),
        first_block_(first_block),
        classes_(input.classes()),
        inputs_(inputs_of<M>(classes_)) {}

  /// [loss, gradient].
  BlockSums loss(Params theta) {
    const MatrixWeights<double> weights{classes_, inputs_, theta.data()};
    const LossLayout layout{theta.size()};
    return sum_blocks(input_->rows(), first_block_, layout.curvature(),
                      spread_.over(input_->rows() * (classes_ + inputs_)),
                      [&](std::size_t from, std::size_t count, double* sums) {
                        spaces_.borrow([&] { return Space(*this); },
                                       [&](Space& space) {
                                         for (std::size_t done = 0; done < count;
                                              done += kExactRows) {
                                           add(weights, from + done,
                                               std::min(kExactRows, count - done), space, sums);
                                         }
                                       });
                      });
  }

 private:
  using Entries = std::vector<EntryList::Entry>;

  struct Space {
    explicit Space(const ExactMatrix& of)
        : inputs(*of.input_),
          x(of.inputs_ * kExactStride),
          agreed(kExactRows),
          chunk(of.classes_, of.inputs_, kExactStride) {}
    MatrixInputs<M> inputs;
    std::vector<double> x, agreed;
    MatrixChunk<double> chunk;
    EntryList entries;
  };

  void add(const MatrixWeights<double>& weights, std::size_t first, std::size_t rows, Space& space,
           double* sums) const {
    load(first, rows, space);
    MatrixChunk<double>& chunk = space.chunk;
    chunk.logits(weights, space.x.data());
    const auto& entries = space.entries.list(*targets_, first, rows);
    agree(entries, first, rows, space);
    const double* const lse = chunk.softmax(rows);
    for (std::size_t r = 0; r < rows; ++r) sums[LossLayout::kLoss] += lse[r] - space.agreed[r];
    subtract_targets(entries, first, rows, space);
    chunk.add_gradient(chunk.data(), space.x.data(), sums + LossLayout::kGradient);
  }

  /// Rows past the end stay what they were, and count for nothing.
  void load(std::size_t first, std::size_t rows, Space& space) const {
    const std::size_t stride = space.inputs.stride();
    for (std::size_t done = 0; done < rows; done += stride) {
      const double* const tile = space.inputs.load(first + done, std::min(stride, rows - done));
      for (std::size_t a = 0; a < inputs_; ++a) {
        std::copy_n(tile + a * stride, stride, &space.x[a * kExactStride + done]);
      }
    }
  }

  /// q . logits of every row.
  void agree(const Entries& entries, std::size_t first, std::size_t rows, Space& space) const {
    const double* const v = space.chunk.data();
    std::fill(space.agreed.begin(), space.agreed.end(), 0.0);
    for (const EntryList::Entry& entry : entries) {
      space.agreed[entry.row] += entry.share * v[entry.label * kExactStride + entry.row];
    }
    for (std::size_t r = 0; targets_->has_uniform() && r < rows; ++r) {
      double all = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) all += v[k * kExactStride + r];
      space.agreed[r] += targets_->uniform(first + r) / static_cast<double>(classes_) * all;
    }
  }

  /// Probabilities become p - q.
  void subtract_targets(const Entries& entries, std::size_t first, std::size_t rows,
                        Space& space) const {
    double* const p = space.chunk.data();
    for (const EntryList::Entry& entry : entries) {
      p[entry.label * kExactStride + entry.row] -= entry.share;
    }
    for (std::size_t r = 0; targets_->has_uniform() && r < rows; ++r) {
      const double share = targets_->uniform(first + r) / static_cast<double>(classes_);
      for (std::size_t k = 0; k < classes_; ++k) p[k * kExactStride + r] -= share;
    }
  }

  const map::StageInput* input_;
  const Targets* targets_;
  Spread spread_;
  std::size_t first_block_, classes_, inputs_;
  core::Pool<Space> spaces_;
};

}  // namespace credence::fit_detail
