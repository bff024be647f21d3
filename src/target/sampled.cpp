#include "target/sampled.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include "core/random.hpp"
#include "credence/error.hpp"

namespace credence {

/// Rows that repeat an id count on from the first one, or they would all draw alike.
std::vector<std::uint64_t> row_keys(const Dataset& data) {
  std::vector<std::uint64_t> keys;
  std::unordered_map<std::uint64_t, std::uint64_t> seen;
  keys.reserve(data.ids.size());
  seen.reserve(data.ids.size());
  for (const std::string& id : data.ids) {
    const std::uint64_t key = core::row_of_name(id);
    keys.push_back(key + seen[key]++);
  }
  return keys;
}

}  // namespace credence

namespace credence::target {

Targets About<Sampled>::of_rows(const Sampled& spec, const RowsView& rows, const Sources& sources) {
  if (spec.draws < 1) {
    throw Error(ErrorCode::usage, "a sampled target needs at least 1 draw per example, got " +
                                      std::to_string(spec.draws));
  }
  // A stream of its own: data simulated from the same seed must not be correlated with the draws.
  const std::uint64_t stream = core::mix64(sources.seed ^ 0x73616d706c6564ULL);
  const Votes& votes = *rows.votes;
  Targets out;
  out.reserve(votes.rows(), votes.rows());
  std::vector<std::uint32_t> classes;
  std::vector<double> counts;
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    // The id where ids are known, so that the same examples in another order draw the same.
    const std::uint64_t key = rows.keys.empty() ? rows.first + i : rows.keys[i];
    std::vector<double> hits(row.classes.size(), 0.0);
    for (int s = 0; s < spec.draws; ++s) {
      // Inverse of the cumulative votes; the last class catches what rounding leaves over.
      double left = core::uniform(stream, key, static_cast<std::uint64_t>(s)) * votes.total(i);
      std::size_t j = 0;
      while (j + 1 < hits.size() && left >= row.weights[j]) left -= row.weights[j++];
      hits[j] += 1.0;
    }
    classes.clear();
    counts.clear();
    for (std::size_t j = 0; j < hits.size(); ++j) {
      if (hits[j] == 0.0) continue;
      classes.push_back(row.classes[j]);
      counts.push_back(hits[j]);
    }
    out.push({classes, counts, static_cast<double>(spec.draws)});
  }
  return out;
}

}  // namespace credence::target
