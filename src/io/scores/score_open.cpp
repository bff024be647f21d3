#include "credence/error.hpp"
#include "io/formats/file_format.hpp"
#include "io/scores/score_memory.hpp"

namespace credence::io {

std::unique_ptr<ScoreReader> open_scores(const ScoreFile& file) {
  if (file.given) return open_given_scores(file);
  if (file.path.empty()) throw Error(ErrorCode::usage, "no score file is named");
  std::unique_ptr<ByteSource> source;
  const FileFormat& format = recognise(file.path, source);
  return format.open_scores(file, std::move(source));
}

}  // namespace credence::io
