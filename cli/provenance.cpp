#include "provenance.hpp"

#include "invocation.hpp"

namespace credence::cli {

report::Provenance provenance(const DatasetOptions& options, const io::LoadedDataset& loaded) {
  return report::provenance_of(loaded, score_file(options).kind, invocation());
}

}  // namespace credence::cli
