// Every target; a new one is added here once.
#pragma once

#include "target/labels.hpp"
#include "target/sampled.hpp"
#include "target/smoothed.hpp"

namespace credence::target {

template <class... All>
constexpr bool all_described(const std::variant<All...>*) {
  return (Described<All> && ...);
}
static_assert(all_described(static_cast<const TargetSpec*>(nullptr)));

}  // namespace credence::target
