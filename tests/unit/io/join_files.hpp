// A pair of files to join, and what went wrong with it.
#pragma once

#include "credence/io.hpp"
#include "unit/io/vote_files.hpp"

namespace credence::io {

class Join : public VoteFiles {
 protected:
  DatasetFiles files_;

  void scores(const std::string& file_path, ScoreKind kind = ScoreKind::logits) {
    files_.scores.path = file_path;
    files_.scores.kind = kind;
  }
  /// Three rows, three classes; row i prefers class i.
  void npy_scores() { scores(npy<float>("s.npy", {5, 0, 1, 0, 5, 1, 0, 1, 5}, 3)); }
  LoadedDataset load(bool keep = false) const {
    return load_dataset(files_, {.keep_probabilities = keep});
  }
  std::string why() const {
    return error_of([&] { load(); }).what();
  }
  std::string way_out() const {
    return error_of([&] { load(); }).hint();
  }
};

}  // namespace credence::io
