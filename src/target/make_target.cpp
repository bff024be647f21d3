#include <algorithm>
#include <string>

#include "credence/block_sums.hpp"
#include "credence/error.hpp"
#include "credence/target.hpp"
#include "target/about.hpp"

namespace credence {

namespace {

/// Says what is missing and which method does with what there is.
[[noreturn]] void refuse(const TargetSpec& spec, Evidence found) {
  const std::string name(target_name(spec));
  const std::string lacking = "the target '" + name + "' needs " +
                              std::string(to_string(needs(spec))) + ", but the data hold " +
                              std::string(to_string(found));
  switch (found) {
    case Evidence::none:
      throw Error(ErrorCode::evidence, lacking,
                  "give annotations with ‹votes›, or majority labels with ‹labels›; without either "
                  "only 'uncalibrated' is possible");
    case Evidence::voted:
      throw Error(ErrorCode::evidence, lacking,
                  "with majority labels alone use 'ls-ts' (allows for disagreement) or 'ts'");
    default:
      throw Error(ErrorCode::evidence, lacking,
                  "with one annotation per example use 'mcts', which fits the same temperature");
  }
}

}  // namespace

double Targets::at(std::size_t i, std::uint32_t k, std::size_t classes) const {
  const TargetRow found = row(i);
  double q = uniform(i) / static_cast<double>(classes);
  for (std::size_t j = 0; j < found.classes.size(); ++j) {
    if (found.classes[j] == k) q += found.weights[j] / found.total;
  }
  return q;
}

Targets Targets::shares_of(const Votes& votes) {
  Targets out;
  out.votes_ = &votes;
  return out;
}

Targets Targets::written_out() const {
  Targets out;
  out.offsets_.resize(rows() + 1);
  out.classes_.resize(entries());
  out.weights_.resize(entries());
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    const TargetRow found = row(i);
    for (std::size_t j = 0; j < found.classes.size(); ++j, ++at) {
      out.classes_[at] = found.classes[j];
      out.weights_[at] = found.weights[j] / found.total;
    }
    out.offsets_[i + 1] = at;
  }
  out.uniform_ = uniform_;
  return out;
}

void Targets::push(const TargetRow& row) {
  classes_.insert(classes_.end(), row.classes.begin(), row.classes.end());
  for (const double weight : row.weights) weights_.push_back(weight / row.total);
  offsets_.push_back(classes_.size());
}

void Targets::push_one(std::uint32_t label, double weight) {
  classes_.push_back(label);
  weights_.push_back(weight);
  offsets_.push_back(classes_.size());
}

void Targets::reserve(std::size_t rows, std::size_t entries) {
  offsets_.reserve(rows + 1);
  classes_.reserve(entries);
  weights_.reserve(entries);
}

namespace target {

void check_evidence(const TargetSpec& spec, Evidence found) {
  if (found < needs(spec)) refuse(spec, found);
}

}  // namespace target

Targets make_target(const TargetSpec& spec, const Dataset& data, std::uint64_t seed) {
  target::check_evidence(spec, data.evidence());
  const std::vector<std::uint64_t> keys = row_keys(data);
  const target::RowsView rows{0, data.scores, &data.votes, keys};
  std::vector<double> epsilon;
  if (const std::size_t count = target::doubt_sums(spec, data.classes_count()); count > 0) {
    BlockSums sums;
    for (std::size_t first = 0; first < data.rows(); first += kBlockRows) {
      const std::size_t here = std::min(kBlockRows, data.rows() - first);
      std::vector<double> block(count, 0.0);
      target::add_doubt(spec, rows.block(first, here), block.data());
      sums.push(first / kBlockRows, block);
    }
    epsilon = target::epsilon_of(spec, sums.total(), data.rows());
  }
  return target::of_rows(spec, rows, {epsilon, seed});
}

}  // namespace credence
