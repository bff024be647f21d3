#include <fmt/core.h>

#include "credence/error.hpp"
#include "io/delimited.hpp"
#include "io/npy.hpp"
#include "io/npy_bytes.hpp"
#include "io/score_reader.hpp"

namespace credence::io {
namespace {

bool has_extension(std::string_view path, std::string_view extension) {
  if (path.size() > 3 && equal_ignoring_case(path.substr(path.size() - 3), ".gz")) {
    path.remove_suffix(3);
  }
  return path.size() > extension.size() &&
         equal_ignoring_case(path.substr(path.size() - extension.size()), extension);
}

enum class Form { npy, json, delimited };

// Standard input and names without a telling extension are recognised by how they start.
Form recognise(const std::string& path, std::unique_ptr<ByteSource>& source) {
  for (const auto extension : {".json", ".jsonl", ".ndjson"}) {
    if (has_extension(path, extension)) return Form::json;
  }
  for (const auto extension : {".csv", ".tsv"}) {
    if (has_extension(path, extension)) return Form::delimited;
  }
  std::string first = peek(source, 64);
  if (first.starts_with(kNpyMagic)) return Form::npy;
  if (first.starts_with(kZipMagic)) {
    throw Error(ErrorCode::format,
                fmt::format("{}: a zip archive without the name .npz", display_name(path)),
                "name a file that ends in .npz, and the array in it: file.npz:name");
  }
  if (first.starts_with("\xef\xbb\xbf")) first.erase(0, 3);
  const std::size_t start = first.find_first_not_of(" \t\r\n");
  const bool json = start != std::string::npos && (first[start] == '{' || first[start] == '[');
  return json ? Form::json : Form::delimited;
}

}  // namespace

std::unique_ptr<ScoreReader> open_scores(const ScoreFile& file) {
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
