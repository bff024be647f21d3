// NumPy arrays: .npy, and members of .npz archives.
#include "io/npy/npy.hpp"

#include "io/formats/file_format.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

std::unique_ptr<ScoreReader> scores_of_array(const ScoreFile& file,
                                             std::unique_ptr<ByteSource> source) {
  if (!source) return open_npy_scores(file.path).reader;
  return open_npy_stream(file.path, std::move(source)).reader;
}

RawVotes votes_of_array(const VoteFile& file, std::unique_ptr<ByteSource> source) {
  return source ? read_npy_votes(read_all(*source), shown(file)) : read_npy_votes(file);
}

}  // namespace

extern const FileFormat kNpyFormat{.opens = is_npy_path,
                                   .magic = kNpyMagic,
                                   .open_scores = scores_of_array,
                                   .read_votes = votes_of_array};

}  // namespace credence::io
