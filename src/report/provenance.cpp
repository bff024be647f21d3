#include <utility>

#include "credence/options.hpp"
#include "credence/report.hpp"

namespace credence::report {

Provenance provenance_of(const io::LoadedDataset& loaded, ScoreKind kind,
                         std::vector<std::string> command) {
  return {.program = std::string("credence ") + CREDENCE_VERSION,
          .command = std::move(command),
          .score_kind = std::string(to_string(kind)),
          .joined_by = loaded.join.joined_by,
          .classes_matched = loaded.join.classes_matched,
          .fingerprint = loaded.data.fingerprint(),
          .class_names = loaded.data.classes,
          .notes = render(loaded.join.notes, Speech::command_line)};
}

}  // namespace credence::report
