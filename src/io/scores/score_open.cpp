#include "credence/error.hpp"
#include "io/recognise.hpp"
#include "io/scores/score_memory.hpp"
#include "io/scores/score_reader.hpp"

namespace credence::io {

std::unique_ptr<ScoreReader> open_scores(const ScoreFile& file) {
  if (file.given) return open_given_scores(file);
  if (file.path.empty()) throw Error(ErrorCode::usage, "no score file is named");
  if (is_npy_path(file.path)) return open_npy_scores(file.path).reader;
  auto source = open_bytes(file.path);
  switch (recognise(file.path, source)) {
    case Form::npy:
      return open_npy_stream(file.path, std::move(source)).reader;
    case Form::json:
      return open_json_scores(file, TextLines(file.path, std::move(source)));
    case Form::delimited:
      break;
  }
  return open_delimited_scores(file, TextLines(file.path, std::move(source)));
}

}  // namespace credence::io
