// Tables of pandas, polars and pyarrow, by the Arrow C stream interface.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "credence/error.hpp"
#include "io/arrow/arrow_batches.hpp"
#include "io/bytes/text_lines.hpp"

namespace credence::io {
namespace {

/// All batches, which stay where they are, for any number of readers.
struct KeptBatches {
  ArrowStream stream;
  std::vector<std::unique_ptr<Held<ArrowArray>>> batches;
};

class KeptReader final : public ArrowBatches {
 public:
  explicit KeptReader(std::shared_ptr<const KeptBatches> kept) : kept_(std::move(kept)) {}
  const ArrowSchema& schema() const override { return kept_->stream.schema(); }
  const ArrowArray* next() override {
    return next_ == kept_->batches.size() ? nullptr : &**kept_->batches[next_++];
  }
  std::string place(std::size_t row) const override {
    return fmt::format("{}: row {}", kept_->stream.name(), row);
  }

 private:
  std::shared_ptr<const KeptBatches> kept_;
  std::size_t next_ = 0;
};

class ArrowTable : public Table {
 public:
  explicit ArrowTable(ArrowStream stream)
      : kept_(std::make_shared<KeptBatches>(KeptBatches{std::move(stream), {}})) {
    choose_columns();
    for (;;) {
      Held<ArrowArray> batch = kept_->stream.next();
      if (batch->release == nullptr) break;
      first_rows_.push_back(first_rows_.back() + static_cast<std::size_t>(batch->length));
      kept_->batches.push_back(std::make_unique<Held<ArrowArray>>(std::move(batch)));
    }
  }

  std::size_t rows() const override { return first_rows_.back(); }
  const std::vector<std::string>& names() const override { return names_; }
  bool is_number(std::size_t column) const override {
    const ArrowSchema& schema = *columns_[column].schema;
    return schema.dictionary == nullptr && holds_numbers(schema);
  }
  std::string_view text(std::size_t row, std::size_t column, std::string& buffer) const override {
    const std::size_t batch = batch_of(row);
    return at(batch, column).text(row - first_rows_[batch], buffer);
  }
  void numbers(std::size_t column, std::size_t first, std::size_t count, double* out,
               std::size_t stride) const override {
    while (count > 0) {
      const std::size_t batch = batch_of(first);
      const std::size_t here = std::min(count, first_rows_[batch + 1] - first);
      at(batch, column).numbers(first - first_rows_[batch], here, out, stride);
      first += here;
      count -= here;
      out += here * stride;
    }
  }
  bool has_nested() const override { return has_nested_; }
  std::unique_ptr<ArrowBatches> batches() const override {
    return std::make_unique<KeptReader>(kept_);
  }

 private:
  void choose_columns() {
    for (ArrowField& field : readable_fields(kept_->stream.schema())) {
      if (!holds_cells(*field.schema)) {
        has_nested_ = true;
        continue;
      }
      names_.push_back(field.name);
      columns_.push_back(std::move(field));
    }
    const ArrowSchema& schema = kept_->stream.schema();
    if (has_nested_ || !columns_.empty() || schema.n_children == 0) return;
    const ArrowSchema& first = *schema.children[0];
    throw Error(ErrorCode::data,
                fmt::format("{}: column {} holds neither numbers nor text (Arrow type '{}')",
                            kept_->stream.name(), excerpt(first.name == nullptr ? "" : first.name),
                            first.format),
                "give columns of numbers or text, or lists of them");
  }

  std::size_t batch_of(std::size_t row) const {
    const auto after = std::ranges::upper_bound(first_rows_, row);
    return static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  }
  ArrowColumn at(std::size_t batch, std::size_t column) const {
    const ArrowArray& rows = **kept_->batches[batch];
    return {*columns_[column].schema, *rows.children[columns_[column].index],
            static_cast<std::size_t>(rows.offset)};
  }

  std::shared_ptr<KeptBatches> kept_;
  std::vector<std::string> names_;
  std::vector<ArrowField> columns_;  // with a cell in every row
  bool has_nested_ = false;
  std::vector<std::size_t> first_rows_{0};
};

}  // namespace

std::shared_ptr<const Table> import_arrow(ArrowArrayStream* stream, const std::string& name) {
  return std::make_shared<ArrowTable>(ArrowStream(stream, name));
}

}  // namespace credence::io
