// JSON lines, and the forms of JSON that annotation projects publish.
#include "io/formats/file_format.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kJsonEndings[] = {".json", ".jsonl", ".ndjson"};

bool starts_with_bracket(std::string_view first) {
  if (first.starts_with("\xef\xbb\xbf")) first.remove_prefix(3);
  const std::size_t start = first.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && (first[start] == '{' || first[start] == '[');
}

std::unique_ptr<ScoreReader> scores_of_json(const ScoreFile& file,
                                            std::unique_ptr<ByteSource> source) {
  return open_json_scores(file, TextLines(file.path, std::move(source)));
}

RawVotes votes_of_json(const VoteFile& file, std::unique_ptr<ByteSource> source) {
  return read_json_votes(TextTwice(file.path, std::move(source)), shown(file));
}

}  // namespace

extern const FileFormat kJsonFormat{.extensions = kJsonEndings,
                                    .looks_like = starts_with_bracket,
                                    .open_scores = scores_of_json,
                                    .read_votes = votes_of_json};

}  // namespace credence::io
