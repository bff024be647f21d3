// What a calibrator needs: fewer rows, fewer votes, fewer draws, other smoothing, over seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/compare.hpp"
#include "credence/dataset.hpp"
#include "credence/metrics.hpp"

namespace credence {

enum class Study {
  size,       ///< share of the calibration rows that is used
  votes,      ///< votes per calibration example, drawn without replacement from those given
  draws,      ///< annotations drawn per example by mcts, beside slts, its limit
  smoothing,  ///< the rules that need no annotations, beside ts and slts
};
std::string_view to_string(Study study);
/// "size", "votes", "draws" or "smoothing"; anything else is an Error(usage).
Study read_study(std::string_view name);

/// One piece of work: everything at one setting and seed. It depends on nothing else.
struct AblationTask {
  Study study = Study::size;
  double setting = 0.0;  ///< a share, a number of votes or draws; 0 for smoothing
  std::uint64_t seed = 42;
  bool operator==(const AblationTask&) const = default;
};

struct AblationPoint {
  std::string method;
  double temperature = 0.0;                    ///< 0: no single temperature
  std::vector<std::optional<double>> metrics;  ///< on the evaluation rows, as in metric_table()
};

struct AblationResult {
  AblationTask task;
  std::size_t calibration_rows = 0;
  double votes_per_example = 0.0;  ///< on the calibration rows that were used
  std::vector<AblationPoint> points;
};

struct AblateOptions {
  std::vector<Study> studies;  ///< empty: all that the votes allow
  std::vector<std::uint64_t> seeds{42, 43, 44, 45, 46};
  std::vector<double> shares{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0};
  std::vector<int> votes;  ///< empty: 1, 2, 3, 5, 10, 20, 50, ... up to the most any example has
  std::vector<int> draws{1, 5, 20, 50, 200};
  double calibration_share = 0.5;
  Gauge gauge = Gauge::log_probs;
  MetricOptions metrics;
  int threads = 0;                       ///< changes no result
  std::vector<AblationResult> finished;  ///< of an earlier run: these tasks are not done again
  /// Called once per finished task, in any order, never twice at a time.
  std::function<void(const AblationResult&)> on_result = {};
  ProgressFunction progress = {};
};

/// The work in the order in which results are returned. A study that the votes do not allow (votes
/// and draws need counted votes) is an Error(evidence) when it was asked for by name.
std::vector<AblationTask> ablation_tasks(const Dataset& data, const AblateOptions& options);

std::vector<AblationResult> ablate(const Dataset& data, const AblateOptions& options = {});

/// At most m votes of every example, drawn without replacement; draws for m and m + 1 differ by one
/// vote. Shares and fractional weights are an Error(evidence).
Votes subsample_votes(const Votes& votes, int m, std::uint64_t seed);

}  // namespace credence
