#include "provenance.hpp"

#include "invocation.hpp"

namespace credence::cli {

report::Provenance provenance(const DatasetOptions& options, const io::LoadedDataset& loaded) {
  report::Provenance origin;
  origin.program = std::string("credence ") + CREDENCE_VERSION;
  origin.command = invocation();
  origin.score_kind = std::string(to_string(score_file(options).kind));
  origin.joined_by = loaded.join.joined_by;
  origin.classes_matched = loaded.join.classes_matched;
  origin.fingerprint = loaded.data.fingerprint();
  origin.class_names = loaded.data.classes;
  origin.notes = loaded.join.notes;
  return origin;
}

}  // namespace credence::cli
