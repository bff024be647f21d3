// What `auto` chooses from. Candidates are data: a new map becomes one by a row of the table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/methods.hpp"

namespace credence::experiment {

/// The candidates for so many classes and this kind of choice. The first two are the scores as they
/// are and one temperature.
std::vector<MethodSpec> auto_candidates(Automatic kind, std::size_t classes);

/// The method fitted to what these rows know: the annotators' shares, or the labels where there is
/// one for each row, which are then the same.
MethodSpec fitted_to(MethodSpec method, Evidence evidence);

}  // namespace credence::experiment
