#include <utility>

#include "credence/options.hpp"
#include "credence/report.hpp"

namespace credence::report {

Provenance provenance_of(const io::JoinReport& join, std::string fingerprint,
                         std::vector<std::string> class_names, ScoreKind kind,
                         std::vector<std::string> command) {
  return {.program = std::string("credence ") + CREDENCE_VERSION,
          .command = std::move(command),
          .score_kind = std::string(to_string(kind)),
          .joined_by = join.joined_by,
          .classes_matched = join.classes_matched,
          .fingerprint = std::move(fingerprint),
          .class_names = std::move(class_names),
          .notes = render(join.notes, Speech::command_line)};
}

Provenance provenance_of(const io::LoadedDataset& loaded, ScoreKind kind,
                         std::vector<std::string> command) {
  return provenance_of(loaded.join, loaded.data.fingerprint(), loaded.data.classes, kind,
                       std::move(command));
}

}  // namespace credence::report
