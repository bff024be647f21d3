// Whole score files in memory, in place where the file allows it.
#include <fmt/core.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "credence/error.hpp"
#include "io/npy/npy.hpp"
#include "io/npy/npy_bytes.hpp"
#include "io/scores/score_memory.hpp"
#include "io/scores/score_reader.hpp"
#include "io/scores/two_classes.hpp"

namespace credence::io {
namespace {

/// float64 as float32, at the speed of memory; false where one does not fit.
bool narrow(const double* from, std::size_t size, float* to) {
  bool fits = true;
  for (std::size_t i = 0; i < size; ++i) {
    fits &= !(std::abs(from[i]) > static_cast<double>(FLT_MAX)) || std::isinf(from[i]);
    to[i] = static_cast<float>(from[i]);
  }
  return fits;
}

template <class T>
MatrixView<const T> set_view(ScoreTable& table, MatrixView<const T> view) {
  table.rows = view.rows();
  table.cols = view.cols();
  if constexpr (std::is_same_v<T, float>) table.f32 = view;
  if constexpr (std::is_same_v<T, double>) table.f64 = view;
  return view;
}

template <class T>
ScoreTable borrow(const NumberArray& array, std::shared_ptr<const void> owner) {
  ScoreTable table;
  table.owner = std::move(owner);
  table.form = "NumPy array";
  set_view<T>(table, {reinterpret_cast<const T*>(array.data), array.rows, array.cols});
  return table;
}

template <class T>
ScoreTable collect(ScoreReader& reader, const std::string& path) {
  ScoreTable table;
  const std::size_t cols = reader.cols();
  GrowingArray<T> values;
  Matrix<double> block(block_rows(cols), cols);
  std::vector<std::string> ids;
  std::size_t rows = 0;
  for (;;) {
    const std::size_t count = reader.read(block.view(), &ids);
    if (count == 0) break;
    T* const out = values.room(count * cols);
    if constexpr (std::is_same_v<T, double>) {
      std::copy_n(block.data(), count * cols, out);
    } else if (!narrow(block.data(), count * cols, out)) {
      for (std::size_t i = 0; i < count * cols; ++i) {
        narrow_score(block.data()[i], rows + i / cols, i % cols, path);  // refuses the first
      }
    }
    values.added(count * cols);
    rows += count;
    std::move(ids.begin(), ids.end(), std::back_inserter(table.ids));
  }
  if (rows == 0) throw Error(ErrorCode::format, fmt::format("{}: no rows", path));
  table.owner = values.release();
  table.classes = reader.classes();
  table.notes = reader.notes();
  table.form = reader.form();
  table.unnamed_ids = reader.ids_are_unnamed();
  table.one_column = reader.is_one_column();
  set_view<T>(table, {static_cast<const T*>(table.owner.get()), rows, cols});
  return table;
}

/// Empty where a number does not fit, which is to be told.
std::optional<ScoreTable> narrow_whole(const NumberArray& array) {
  const std::size_t size = array.rows * array.cols;
  const auto to = std::make_shared_for_overwrite<float[]>(size);
  if (!narrow(reinterpret_cast<const double*>(array.data), size, to.get())) return std::nullopt;
  ScoreTable table;
  table.owner = to;
  table.form = "NumPy array";
  set_view<float>(table, {to.get(), array.rows, array.cols});
  return table;
}

/// Arrays that can be used in place are; everything else is converted block by block.
ScoreTable load_given_scores(const ScoreFile& file, LoadAs precision) {
  const Given& given = *file.given;
  const bool exact = precision == LoadAs::as_stored;
  const auto reader = open_scores(file);
  if (given.array && given.array->rows != 0 && given.array->cols > 1) {
    ScoreTable table;
    if (given.array->is_plain(NumberType::f32)) table = borrow<float>(*given.array, file.given);
    if (given.array->is_plain(NumberType::f64)) {
      if (exact) {
        table = borrow<double>(*given.array, file.given);
      } else if (auto narrowed = narrow_whole(*given.array)) {
        table = std::move(*narrowed);
      }
    }
    table.ids = given.ids;
    if (table.rows != 0) return table;
  }
  const bool narrow =
      given.array && size_of(given.array->type) <= sizeof(float) && is_floating(given.array->type);
  return exact && !narrow ? collect<double>(*reader, file.path)
                          : collect<float>(*reader, file.path);
}

}  // namespace

float narrow_score(double value, std::size_t row, std::size_t column, const std::string& path) {
  if (std::abs(value) > static_cast<double>(FLT_MAX) && std::isfinite(value)) {
    throw Error(ErrorCode::data,
                fmt::format("{}: row {}, column {} (counted from 0): {} is too large for float32",
                            path, row, column, value),
                "scores of that size are not logits; check how they were computed");
  }
  return static_cast<float>(value);
}

ScoreTable load_scores(const ScoreFile& file, LoadAs precision) {
  const std::string path = display_name(file.path);
  if (file.given) return load_given_scores(file, precision);
  if (!is_npy_path(file.path)) {
    const auto reader = open_scores(file);
    return precision == LoadAs::float32 ? collect<float>(*reader, path)
                                        : collect<double>(*reader, path);
  }
  NpyScoreFile opened = open_npy_scores(file.path);
  const NpyType type = opened.header.type;
  const bool one_column = opened.header.cols() == 1;
  opened.reader = with_two_classes(std::move(opened.reader), file);
  if (opened.in_file && !opened.header.swapped && !one_column) {
    const bool f64 = type == NpyType::f64 && precision == LoadAs::as_stored;
    if (type == NpyType::f32 || f64) {
      const NpyArray array(file.path);
      if (array.is_plain_f32()) return borrow<float>(array.numbers(), array.owner());
      if (array.is_plain_f64()) return borrow<double>(array.numbers(), array.owner());
    }
  }
  const bool exact_in_float32 = type == NpyType::f32 || type == NpyType::f16;
  return precision == LoadAs::float32 || exact_in_float32 ? collect<float>(*opened.reader, path)
                                                          : collect<double>(*opened.reader, path);
}

}  // namespace credence::io
