// Stops data whose classes look swapped.
#pragma once

#include "credence/io.hpp"

namespace credence::io {

/// An Error where the order of the classes was assumed and another one agrees decisively better
/// with the annotators; a note where it was given by names, or where the caller insists.
void check_class_order(const DatasetFiles& files, LoadedDataset& loaded);

}  // namespace credence::io
