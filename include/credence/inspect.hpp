// What was understood of the data, before anything is fitted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/io.hpp"
#include "credence/options.hpp"

namespace credence::report {

struct VoteSummary {
  double fewest = 0, mean = 0, most = 0;  ///< votes per example
  double entropy = 0;                     ///< mean H(pi) / log K
  /// Probability that two different annotators of one example agree, averaged over the examples
  /// with two votes or more; empty when the number of voters is unknown or always 1.
  std::optional<double> agreement;
  std::optional<double> alpha;  ///< Krippendorff's, of the same examples
  std::size_t unanimous = 0;
  std::vector<std::size_t> tied_rows;     ///< the first few
  std::vector<std::size_t> voted_counts;  ///< examples voted k
  std::vector<double> vote_shares;        ///< mean of pi[.,k]
};

VoteSummary summarise(const Votes& votes);

/// How many classes share the most votes of example i.
std::size_t classes_with_most_votes(const Votes& votes, std::size_t i);

/// What was found; the parts that a missing file leaves out are empty.
struct Findings {
  std::size_t rows = 0, class_count = 0;
  std::vector<std::string> class_names, ids;
  std::string score_kind;
  io::JoinReport join;
  Evidence evidence = Evidence::none;
  std::size_t ties = 0, clipped = 0, groups = 0;
  bool shares = false;
  std::optional<VoteSummary> votes;
  std::optional<double> accuracy;
  std::vector<std::size_t> predicted;  ///< examples predicted k
  std::string fingerprint;
  std::vector<std::string> problems;
};

/// Votes alone.
Findings inspect(const io::VoteTable& table);
/// Scores, with or without votes.
Findings inspect(const io::LoadedDataset& loaded, ScoreKind kind);

/// Everything, as the program's `inspect` prints it; `speech` is that of the notes.
std::string findings_json(const Findings& found, Speech speech = Speech::command_line);

}  // namespace credence::report
