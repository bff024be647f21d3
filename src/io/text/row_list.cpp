#include <fmt/format.h>

#include <charconv>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {
namespace {

std::vector<std::size_t> read_npy_rows(const std::string& path) {
  const NpyArray array(path);
  if (array.header().type == NpyType::boolean) {
    throw Error(ErrorCode::data, fmt::format("{}: a boolean mask; row numbers are wanted", path),
                "save numpy.flatnonzero(mask) instead");
  }
  std::vector<std::size_t> rows;
  const std::vector<std::int64_t> numbers = array.integers();
  rows.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: entry {} is {}; rows count from 0", path, i, numbers[i]));
    }
    rows.push_back(static_cast<std::size_t>(numbers[i]));
  }
  return rows;
}

}  // namespace

std::vector<std::size_t> read_row_list(const std::string& path) {
  if (is_npy_path(path)) return read_npy_rows(path);
  std::vector<std::size_t> rows;
  TextLines lines(path);
  constexpr std::string_view kSeparators = " \t\r,;";
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with('#')) continue;
    for (;;) {
      const std::size_t first = line.find_first_not_of(kSeparators);
      if (first == std::string_view::npos) break;
      line.remove_prefix(first);
      const std::string_view word = line.substr(0, line.find_first_of(kSeparators));
      std::size_t row = 0;
      const auto result = std::from_chars(word.data(), word.data() + word.size(), row);
      if (result.ec != std::errc() || result.ptr != word.data() + word.size()) {
        throw Error(ErrorCode::data,
                    fmt::format("{}:{}: {} is not a row number; rows are numbered from 0",
                                lines.path(), lines.number(), excerpt(word)));
      }
      rows.push_back(row);
      line.remove_prefix(word.size());
    }
  }
  return rows;
}

}  // namespace credence::io
