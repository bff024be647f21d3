// One layout everywhere: row-major, rows are examples, columns are classes.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence {

/// A non-owning view of a contiguous row-major array.
template <class T>
class MatrixView {
 public:
  constexpr MatrixView() = default;
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols)
      : data_(data), rows_(rows), cols_(cols) {}
  constexpr operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_};
  }

  constexpr std::size_t rows() const { return rows_; }
  constexpr std::size_t cols() const { return cols_; }
  constexpr std::size_t size() const { return rows_ * cols_; }
  constexpr T* data() const { return data_; }
  constexpr std::span<T> row(std::size_t i) const {
    assert(i < rows_);
    return {data_ + i * cols_, cols_};
  }
  constexpr T& operator()(std::size_t i, std::size_t k) const {
    assert(i < rows_ && k < cols_);
    return data_[i * cols_ + k];
  }
  constexpr MatrixView block(std::size_t first, std::size_t count) const {
    assert(first + count <= rows_);
    return {data_ + first * cols_, count, cols_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

/// An owning row-major array; `view()` lends it out.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, T value = T{})
      : values_(rows * cols, value), rows_(rows), cols_(cols) {}
  Matrix(std::vector<T> values, std::size_t rows, std::size_t cols)
      : values_(std::move(values)), rows_(rows), cols_(cols) {
    assert(values_.size() == rows_ * cols_);
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::size_t i, std::size_t k) { return values_[i * cols_ + k]; }
  const T& operator()(std::size_t i, std::size_t k) const { return values_[i * cols_ + k]; }
  std::span<T> row(std::size_t i) { return {values_.data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {values_.data() + i * cols_, cols_}; }
  MatrixView<T> view() { return {values_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, cols_}; }

 private:
  std::vector<T> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

using Scores = MatrixView<const float>;  ///< model scores, as users store them
using Rows = MatrixView<const double>;   ///< a block of probabilities or logits
using MutRows = MatrixView<double>;
using Params = std::span<const double>;  ///< learned numbers of a map

}  // namespace credence
