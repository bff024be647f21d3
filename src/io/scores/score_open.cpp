#include "credence/error.hpp"
#include "io/formats/file_format.hpp"
#include "io/scores/score_memory.hpp"
#include "io/scores/two_classes.hpp"

namespace credence::io {

std::unique_ptr<ScoreReader> open_scores(const ScoreFile& file) {
  if (file.given) return with_two_classes(open_given_scores(file), file);
  if (file.path.empty()) throw Error(ErrorCode::usage, "no score file is named");
  std::unique_ptr<ByteSource> source;
  const FileFormat& format = recognise(file.path, source);
  return with_two_classes(format.open_scores(file, std::move(source)), file);
}

}  // namespace credence::io
