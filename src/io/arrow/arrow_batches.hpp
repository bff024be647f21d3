// A table that arrives in batches, and a place in it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "credence/memory.hpp"
#include "io/arrow/arrow_column.hpp"

namespace credence::io {

/// An interface structure that is given back when it is no longer needed.
template <class T>
class Held {
 public:
  Held() = default;
  explicit Held(const T& taken) : value_(taken) {}
  Held(Held&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Held() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  T* get() { return &value_; }
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

/// A stream that was taken over. What its producer says of a failure is an Error.
class ArrowStream {
 public:
  /// `name` is for messages.
  ArrowStream(ArrowArrayStream* stream, std::string name);
  const ArrowSchema& schema() const { return *schema_; }
  /// The next batch; without `release` at the end.
  Held<ArrowArray> next();
  const std::string& name() const { return name_; }

 private:
  void check(int failure);

  std::string name_;
  Held<ArrowArrayStream> stream_;
  Held<ArrowSchema> schema_;
};

/// Batches in order, once.
class ArrowBatches {
 public:
  virtual ~ArrowBatches() = default;
  virtual const ArrowSchema& schema() const = 0;
  /// The next batch, valid until the one after it is asked for; null at the end.
  virtual const ArrowArray* next() = 0;
  /// "scores.parquet: row 17", for messages about a row that was given already.
  virtual std::string place(std::size_t row) const = 0;
};

std::unique_ptr<ArrowBatches> batches_of(ArrowStream stream);

/// A column as the schema describes it.
struct ArrowField {
  std::string name;
  std::size_t index = 0;  ///< among the columns of the stream
  const ArrowSchema* schema = nullptr;
};
/// The columns that can be read, without the unnamed index of a data frame.
std::vector<ArrowField> readable_fields(const ArrowSchema& schema);
/// Position among `fields` of the column with this name, or, where there is none, of that which
/// differs in case alone; fields.size() for none.
std::size_t find_field(const std::vector<ArrowField>& fields, const std::string& name);
/// The names of those that are cells (`nested` false) or lists, structures and maps.
std::vector<std::string> names_of(const std::vector<ArrowField>& fields, bool nested);

/// Walks through the rows, batch by batch.
class ArrowCursor {
 public:
  explicit ArrowCursor(std::unique_ptr<ArrowBatches> batches);
  const std::vector<ArrowField>& fields() const { return fields_; }
  /// Rows ahead in the batch under way, or in the next one where that is used up; 0 at the end.
  std::size_t ahead();
  /// The column of the batch under way; its next row is `at`.
  ArrowColumn column(std::size_t field) const;
  std::size_t at() const { return at_; }
  void advance(std::size_t rows) {
    at_ += rows;
    row_ += rows;
  }
  /// Number in the table of the row that comes next.
  std::size_t row() const { return row_; }
  std::string place(std::size_t row) const { return batches_->place(row); }

 private:
  std::unique_ptr<ArrowBatches> batches_;
  std::vector<ArrowField> fields_;
  const ArrowArray* batch_ = nullptr;
  std::size_t at_ = 0, row_ = 0;
  bool ended_ = false;
};

}  // namespace credence::io
