// A ridge map and what annotators say for each class, fitted together.
#pragma once

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

/// More classes would need a table that no number of rows fills.
inline constexpr std::size_t kMostChannelClasses = 100;

/// Where the fit of a channel begins: parameters of its ridge map, and of the channel row by row.
struct ChannelStart {
  std::vector<double> front, channel;
};

/// `front` is the same problem for the ridge map alone, whose curvature leads the way. Both must
/// outlive the task. Ends in a local optimum, no higher than the start.
core::Task<Minimum> fit_channel(const Problem& problem, const Problem& front, ChannelStart start);

}  // namespace credence::fit_detail
