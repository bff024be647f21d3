// The readers behind open_scores, one per family of formats.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/io.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {

struct NpyScoreFile {
  std::unique_ptr<ScoreReader> reader;
  NpyHeader header;
  bool in_file = false;  ///< the array stands in a regular file as it is, neither piped nor packed
};
/// A .npy file or a member of an .npz archive.
NpyScoreFile open_npy_scores(const std::string& path);
/// A .npy array from a source that cannot be rewound.
NpyScoreFile open_npy_stream(const std::string& path, std::unique_ptr<ByteSource> source);
std::unique_ptr<ScoreReader> open_json_scores(const ScoreFile& file, TextLines lines);

/// A score as float32; one too large for it is an Error.
float narrow_score(double value, std::size_t row, std::size_t column, const std::string& path);

/// Rows per block so that a block of K columns stays near a mebibyte, whatever K a file has.
constexpr std::size_t block_rows(std::size_t cols) {
  const std::size_t rows = (std::size_t{1} << 17) / (cols == 0 ? 1 : cols);
  return rows == 0 ? 1 : rows > 1024 ? 1024 : rows;
}

/// Names under which files keep ids, the surest first.
inline constexpr std::string_view kIdNames[] = {
    "uid",      "id",       "example_id",    "guid",      "item_id",
    "task_id",  "image_id", "question_id",   "sample_id", "instance_id",
    "example",  "item",     "task",          "image",     "sample",
    "instance", "filename", "file_name",     "file",      "path",
    "name",     "key",      "example_index", "index",     "unnamed: 0",
};

}  // namespace credence::io
