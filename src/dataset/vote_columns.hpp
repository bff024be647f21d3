// The parts of Votes, for whoever has checked the rows and summed them up while taking them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/dataset.hpp"
#include "dataset/vote_facts.hpp"

namespace credence::dataset {

/// Compressed rows as Votes::from_compressed takes them, with the summary of each.
struct VoteColumns {
  std::size_t class_count = 0;
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> classes;
  std::vector<double> weights, totals;
  std::vector<std::uint32_t> voted;
  VoteKind kind{.whole = true};

  Votes votes(bool voted_only) &&;
};

}  // namespace credence::dataset
