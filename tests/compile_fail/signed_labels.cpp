// Labels are class indices; a signed array could carry "unlabelled = -1" past every check.
// refused: vector<int>.*span|no (matching|viable) .*
#include <cstdint>
#include <vector>

#include "credence/dataset.hpp"

#ifdef CREDENCE_MISTAKE
using Label = int;
#else
using Label = std::uint32_t;
#endif

credence::Votes use(const std::vector<Label>& labels) {
  return credence::Votes::from_labels(labels, 3);
}
