// Where results came from, for the files that hold them.
#pragma once

#include "credence/report.hpp"
#include "options/dataset_options.hpp"

namespace credence::cli {

report::Provenance provenance(const DatasetOptions& options, const io::LoadedDataset& loaded);

}  // namespace credence::cli
