// How a fit ended, as files and as people say it.
#include <algorithm>
#include <array>

#include "credence/calibrator.hpp"

namespace credence {
namespace {

struct StopNames {
  Stop stop;
  std::string_view word, words;
};

constexpr std::array kStopNames{
    StopNames{Stop::converged, "converged", "converged"},
    StopNames{Stop::rounding_floor, "rounding_floor", "rounding floor"},
    StopNames{Stop::at_bound, "at_bound", "at a bound"},
    StopNames{Stop::iteration_limit, "iteration_limit", "iteration limit"},
    StopNames{Stop::no_minimiser, "no_minimiser", "no finite minimiser"},
    StopNames{Stop::no_progress, "no_progress", "no further progress"},
    StopNames{Stop::direct, "direct", "direct"},
};
static_assert(kStopNames.size() == kStops.size());

const StopNames& names_of(Stop stop) {
  return *std::ranges::find(kStopNames, stop, &StopNames::stop);
}

}  // namespace

std::string_view to_string(Stop stop) { return names_of(stop).word; }
std::string_view in_words(Stop stop) { return names_of(stop).words; }

}  // namespace credence
