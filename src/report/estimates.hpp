// Looking numbers up in results, and saying them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/compare.hpp"

namespace credence::report {

/// The estimate of a metric in a list; nullptr when it is not there.
const Estimate* find(const std::vector<Estimate>& estimates, std::string_view metric);

/// This method minus `reference` in a metric; nullptr when it was not compared with it.
const Estimate* difference(const SplitResult& split, const MethodResult& method,
                           std::string_view reference, std::string_view metric);

/// The candidate (never the oracle) with the best value of a metric; nullptr when none has one.
const MethodResult* best(const SplitResult& split, std::string_view metric);

/// No worse than the best within noise: the interval of its paired difference to the best reaches
/// zero. False for methods without a value, and for the oracle.
bool among_best(const SplitResult& split, const MethodResult& method, std::string_view metric);

/// "1.23 %", and "1.23 % [1.01, 1.44]" with an interval.
std::string percent(const Estimate& estimate);
/// "0.8123 [0.8011, 0.8240]".
std::string number(const Estimate& estimate);

}  // namespace credence::report
