#include "experiment/auto/candidates.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

#include "map/about.hpp"

namespace credence::experiment {
namespace {

constexpr std::size_t kAnyClasses = std::numeric_limits<std::size_t>::max();

/// Above, matrices over several kinds of features are left out.
constexpr std::size_t kMatrixClasses = 30, kManyClasses = kMatrixClasses + 1;
/// Above, whatever has numbers for each class takes too many passes.
constexpr std::size_t kMostClasses = 100;

struct CandidateRow {
  std::string_view name;
  MapSpec front;  ///< fitted first; the map reads what it gives
  MapSpec map;
  /// With more classes it costs too much: a pass takes n K times the number of features, K for
  /// each kind of them.
  std::size_t most_classes;
  /// With fewer classes others do the same better.
  std::size_t least_classes = 2;
};

/// The penalties of shrunk matrices were chosen at ten classes and fewer. There are K (K - 1)
/// numbers off the diagonal, and as many more to guard against when there are more classes. Curves
/// have as many numbers for each class as ever, and fewer rows of it.
constexpr double kPenaltyClasses = 10.0;

/// Behind a clip come maps for probabilities that are exactly 0 or 1, as forests and naive Bayes
/// give them.
constexpr std::array kCandidates{
    CandidateRow{"uncalibrated", Identity{}, Identity{}, kAnyClasses},
    CandidateRow{"slts", Identity{}, Temperature{}, kAnyClasses},
    CandidateRow{"floor", Identity{}, Floor{}, kAnyClasses},
    CandidateRow{"adaptive-floor", Identity{}, AdaptiveFloor{}, kAnyClasses},
    CandidateRow{"ridge-both 1000", Temperature{}, RidgeBoth{1000.0}, kMatrixClasses},
    CandidateRow{"ridge-sharp 100", Temperature{}, RidgeSharp{100.0}, 15},
    CandidateRow{"ridge-sharp 10", Temperature{}, RidgeSharp{10.0}, 15},
    CandidateRow{"channel-log 1000", Temperature{}, ChannelLog{1000.0}, kMatrixClasses},
    CandidateRow{"channel-both 100", Temperature{}, ChannelBoth{100.0}, kMatrixClasses},
    CandidateRow{"channel-both 10", Temperature{}, ChannelBoth{10.0}, 15},
    CandidateRow{"clip", Identity{}, Clip{}, kAnyClasses},
    CandidateRow{"clip then ridge-both 100", Clip{}, RidgeBoth{100.0}, kMatrixClasses},
    CandidateRow{"clip then curves 100", Clip{}, Curves{100.0}, kMostClasses},
    CandidateRow{"clip then curves 10", Clip{}, Curves{10.0}, kMostClasses, kManyClasses},
    CandidateRow{"ridge-log 1000", Temperature{}, RidgeLog{1000.0}, kMostClasses, kManyClasses},
    CandidateRow{"ridge-log 100", Temperature{}, RidgeLog{100.0}, kMostClasses, kManyClasses},
};

MapSpec for_classes(MapSpec map, std::size_t classes) {
  const auto k = static_cast<double>(classes);
  const double scale = std::max(1.0, k * (k - 1.0) / (kPenaltyClasses * (kPenaltyClasses - 1.0)));
  std::visit(
      [&]<class M>(M& one) {
        if constexpr (requires { one.tau; } && !std::is_same_v<M, Curves>) one.tau *= scale;
      },
      map);
  return map;
}

}  // namespace

std::vector<MethodSpec> auto_candidates(Automatic kind, std::size_t classes) {
  std::vector<MethodSpec> all;
  for (const CandidateRow& row : kCandidates) {
    if (classes > row.most_classes || classes < row.least_classes) continue;
    if (kind == Automatic::simple && !map::keeps_order(row.map)) continue;
    MethodSpec method;
    method.name = row.name;
    const auto add = [&](const MapSpec& map) {
      const bool learns = !std::holds_alternative<Identity>(map);
      method.stages.push_back(
          {learns ? TargetSpec(Annotators{}) : TargetSpec(NoTarget{}), for_classes(map, classes)});
    };
    if (!std::holds_alternative<Identity>(row.front)) add(row.front);
    add(row.map);
    all.push_back(std::move(method));
  }
  return all;
}

MethodSpec fitted_to(MethodSpec method, Evidence evidence) {
  if (evidence >= Evidence::distributions) return method;
  for (MethodSpec::StageSpec& stage : method.stages) {
    if (std::holds_alternative<Annotators>(stage.target)) stage.target = Voted{};
  }
  return method;
}

}  // namespace credence::experiment
