#include "io/arrow/arrow_batches.hpp"

#include <fmt/format.h>

#include <string_view>

#include "credence/error.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

// Data frames keep an index without a name as a column with this name. It numbers rows of a frame,
// not examples, and rows are joined by position without it.
constexpr std::string_view kUnnamedIndex = "__index_level_";

class StreamBatches final : public ArrowBatches {
 public:
  explicit StreamBatches(ArrowStream stream) : stream_(std::move(stream)) {}
  const ArrowSchema& schema() const override { return stream_.schema(); }
  const ArrowArray* next() override {
    batch_ = Held<ArrowArray>();  // before the next one takes as much memory
    batch_ = stream_.next();
    return batch_->release == nullptr ? nullptr : batch_.get();
  }
  std::string place(std::size_t row) const override {
    return fmt::format("{}: row {}", stream_.name(), row);
  }

 private:
  ArrowStream stream_;
  Held<ArrowArray> batch_;
};

bool is_readable(const ArrowSchema& schema) {
  const auto type = value_type(schema);
  return type && (!is_nested(type->kind) || schema.dictionary == nullptr);
}

}  // namespace

ArrowStream::ArrowStream(ArrowArrayStream* stream, std::string name) : name_(std::move(name)) {
  if (stream == nullptr || stream->release == nullptr) {
    throw Error(ErrorCode::data, fmt::format("{}: the table has been used up already", name_),
                "give the data frame itself");
  }
  stream_ = Held<ArrowArrayStream>(*stream);
  stream->release = nullptr;  // it is ours now
  check(stream_->get_schema(stream_.get(), schema_.get()));
  if (std::string_view(schema_->format) != "+s") {
    throw Error(ErrorCode::data, fmt::format("{}: a table with named columns is wanted", name_),
                "give a data frame, or an array");
  }
}

Held<ArrowArray> ArrowStream::next() {
  Held<ArrowArray> batch;
  check(stream_->get_next(stream_.get(), batch.get()));
  return batch;
}

void ArrowStream::check(int failure) {
  if (failure == 0) return;
  const char* const said = stream_->get_last_error(stream_.get());
  const std::string why = said == nullptr ? "no reason given" : said;
  // A producer that reads files names the one at fault.
  if (why.starts_with(name_)) throw Error(ErrorCode::data, why);
  throw Error(ErrorCode::data, fmt::format("{}: the table could not be read: {}", name_, why));
}

std::unique_ptr<ArrowBatches> batches_of(ArrowStream stream) {
  return std::make_unique<StreamBatches>(std::move(stream));
}

std::vector<ArrowField> readable_fields(const ArrowSchema& schema) {
  std::vector<ArrowField> fields;
  for (std::int64_t c = 0; c < schema.n_children; ++c) {
    const ArrowSchema& column = *schema.children[c];
    std::string name = column.name == nullptr ? std::string() : std::string(column.name);
    if (name.starts_with(kUnnamedIndex) || !is_readable(column)) continue;
    fields.push_back({std::move(name), static_cast<std::size_t>(c), &column});
  }
  return fields;
}

std::size_t find_field(const std::vector<ArrowField>& fields, const std::string& name) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (equal_ignoring_case(fields[i].name, name)) return i;
  }
  return fields.size();
}

std::vector<std::string> names_of(const std::vector<ArrowField>& fields, bool nested) {
  std::vector<std::string> names;
  for (const ArrowField& field : fields) {
    if (holds_cells(*field.schema) != nested) names.push_back(field.name);
  }
  return names;
}

ArrowCursor::ArrowCursor(std::unique_ptr<ArrowBatches> batches)
    : batches_(std::move(batches)), fields_(readable_fields(batches_->schema())) {}

std::size_t ArrowCursor::ahead() {
  while (!ended_ && (batch_ == nullptr || at_ == static_cast<std::size_t>(batch_->length))) {
    batch_ = batches_->next();
    at_ = 0;
    ended_ = batch_ == nullptr;  // a stream that has ended is not asked again
  }
  if (ended_) return 0;
  return static_cast<std::size_t>(batch_->length) - at_;
}

ArrowColumn ArrowCursor::column(std::size_t field) const {
  const ArrowField& wanted = fields_[field];
  return {*wanted.schema, *batch_->children[wanted.index],
          static_cast<std::size_t>(batch_->offset)};
}

}  // namespace credence::io
