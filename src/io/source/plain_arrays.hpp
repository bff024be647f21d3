// Scores and counts of votes that stand in .npy files as they are used: rows are handed on without
// being rewritten. For what is asked often of large data, and needs neither ids nor fingerprints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "credence/io.hpp"
#include "credence/matrix.hpp"

namespace credence::io {

class PlainArrays {
 public:
  /// Some rows, whole blocks but for the last of all.
  struct Block {
    std::size_t first = 0;
    std::vector<float> scores;
    std::vector<std::uint8_t> counts;
    std::size_t rows = 0;
  };

  /// Null unless both are .npy files in C order, of float32 and of one-byte counts, with as many
  /// rows and columns, and nothing has to be chosen, named or matched.
  static std::unique_ptr<PlainArrays> open(const DatasetFiles& files);
  ~PlainArrays();
  PlainArrays(const PlainArrays&) = delete;
  PlainArrays& operator=(const PlainArrays&) = delete;

  std::size_t rows() const;
  std::size_t classes() const;
  /// The next rows, read ahead; the memory of `block` is used again. A score that is not finite or
  /// an example without votes ends it with false and unusable(): whoever reads all values says
  /// which it is.
  bool next(Block& block);
  bool unusable() const;

 private:
  struct Impl;
  explicit PlainArrays(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::io
