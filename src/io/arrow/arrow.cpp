// Tables of pandas, polars and pyarrow, by the Arrow C stream interface.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "credence/error.hpp"
#include "io/arrow/arrow_column.hpp"
#include "io/bytes/text_lines.hpp"

namespace credence::io {
namespace {

/// An interface structure that is given back when it is no longer needed.
template <class T>
class Held {
 public:
  Held() = default;
  explicit Held(const T& taken) : value_(taken) {}
  Held(Held&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Held& operator=(Held&&) = delete;
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

// Data frames keep an index without a name as a column with this name. It numbers rows of a frame,
// not examples, and rows are joined by position without it.
constexpr std::string_view kUnnamedIndex = "__index_level_";

class ArrowTable : public Table {
 public:
  ArrowTable(ArrowArrayStream* stream, const std::string& name) : name_(name) {
    Held<ArrowArrayStream> held(*stream);
    stream->release = nullptr;  // it is ours now
    check(held->get_schema(held.get(), schema_.get()), *held);
    read_schema();
    for (;;) {
      Held<ArrowArray> batch;
      check(held->get_next(held.get(), batch.get()), *held);
      if (batch->release == nullptr) break;
      add(std::move(batch));
    }
  }

  std::size_t rows() const override { return first_rows_.back(); }
  const std::vector<std::string>& names() const override { return names_; }
  bool is_number(std::size_t column) const override {
    const ArrowSchema& schema = *schema_->children[columns_[column]];
    if (schema.dictionary != nullptr) return false;
    const ArrowKind kind = read_arrow_type(schema.format)->kind;
    return kind == ArrowKind::number || kind == ArrowKind::bits;
  }
  std::string_view text(std::size_t row, std::size_t column, std::string& buffer) const override {
    const std::size_t batch = batch_of(row);
    return at(batch, column).text(row - first_rows_[batch], buffer);
  }
  void numbers(std::size_t column, std::size_t first, std::size_t count, double* out,
               std::size_t stride) const override {
    for (std::size_t i = 0; i < count;) {
      const std::size_t batch = batch_of(first + i);
      const ArrowColumn from = at(batch, column);
      const std::size_t end = std::min(first + count, first_rows_[batch + 1]);
      for (; first + i < end; ++i) out[i * stride] = from.number(first + i - first_rows_[batch]);
    }
  }

 private:
  void check(int failure, ArrowArrayStream& stream) const {
    if (failure == 0) return;
    const char* const why = stream.get_last_error(&stream);
    throw Error(ErrorCode::data, fmt::format("{}: the table could not be read: {}", name_,
                                             why == nullptr ? "no reason given" : why));
  }

  void read_schema() {
    if (std::string_view(schema_->format) != "+s") {
      throw Error(ErrorCode::data, fmt::format("{}: a table with named columns is wanted", name_),
                  "give a data frame, or an array");
    }
    for (std::int64_t c = 0; c < schema_->n_children; ++c) {
      const ArrowSchema& column = *schema_->children[c];
      const std::string name = column.name == nullptr ? std::string() : std::string(column.name);
      if (name.starts_with(kUnnamedIndex)) continue;
      const ArrowSchema& values = column.dictionary == nullptr ? column : *column.dictionary;
      if (!read_arrow_type(values.format) || !read_arrow_type(column.format)) {
        throw Error(ErrorCode::data,
                    fmt::format("{}: column {} holds neither numbers nor text (Arrow type '{}')",
                                name_, excerpt(name), values.format),
                    "leave the column out, or turn it into numbers or text");
      }
      names_.push_back(name);
      columns_.push_back(static_cast<std::size_t>(c));
    }
  }

  void add(Held<ArrowArray> batch) {
    first_rows_.push_back(first_rows_.back() + static_cast<std::size_t>(batch->length));
    batches_.push_back(std::make_unique<Held<ArrowArray>>(std::move(batch)));
  }

  std::size_t batch_of(std::size_t row) const {
    const auto after = std::ranges::upper_bound(first_rows_, row);
    return static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  }
  ArrowColumn at(std::size_t batch, std::size_t column) const {
    const ArrowArray& rows = **batches_[batch];
    return {*schema_->children[columns_[column]], *rows.children[columns_[column]],
            static_cast<std::size_t>(rows.offset)};
  }

  std::string name_;
  Held<ArrowSchema> schema_;
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;  ///< of the stream
  std::vector<std::unique_ptr<Held<ArrowArray>>> batches_;
  std::vector<std::size_t> first_rows_{0};
};

}  // namespace

std::shared_ptr<const Table> import_arrow(ArrowArrayStream* stream, const std::string& name) {
  if (stream == nullptr || stream->release == nullptr) {
    throw Error(ErrorCode::data, fmt::format("{}: the table has been used up already", name),
                "give the data frame itself");
  }
  return std::make_shared<ArrowTable>(stream, name);
}

}  // namespace credence::io
