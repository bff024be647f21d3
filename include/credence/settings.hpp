// The numbers of a method that a user may set, whatever its name.
#pragma once

#include <optional>

#include "credence/methods.hpp"

namespace credence {

/// Empty: as the method has it.
struct MethodSettings {
  std::optional<int> draws;          ///< of the sampled target
  std::optional<double> epsilon;     ///< of fixed smoothing
  std::optional<double> lambda, mu;  ///< of the matrix map
  std::optional<double> tau;         ///< of the ridge maps
  std::optional<int> bins;           ///< of the histogram map
  std::optional<double> step_prior;  ///< of the isotonic and histogram maps
};

/// Sets an option on every stage that has it. One that no stage has, or a value that makes no
/// sense, is an Error(usage): the user expected it to change something.
MethodSpec with_settings(MethodSpec method, const MethodSettings& settings);

/// An Error(evidence) when `data` do not suffice for the method; it names what `origin` holds and
/// the methods that do work.
void require_evidence(const MethodSpec& method, Evidence found, const std::string& origin);
inline void require_evidence(const MethodSpec& method, const Dataset& data,
                             const std::string& origin) {
  require_evidence(method, data.evidence(), origin);
}

/// "log_probs" or "raw", as files and Python name it.
std::string_view to_string(Gauge gauge);

}  // namespace credence
