// Tables that others write for us, under a temporary name of ours.
#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/arrow/table_files.hpp"
#include "io/write/table_writer.hpp"

namespace credence::io {
namespace {

class TableFile final : public StagedTable {
 public:
  TableFile(const std::string& path, bool float64, const std::vector<std::string>& classes)
      : file_(path) {
    if (!file_.can_patch()) {
      throw Error(ErrorCode::usage,
                  fmt::format("{}: a Parquet file is not written to a pipe", file_.path()),
                  "name a file, or write .csv or .jsonl");
    }
    writer_ = writer_of(path)->create(file_.temporary(), path, float64, classes);
  }
  void write(Rows rows, const std::vector<std::string>& ids) override { writer_->write(rows, ids); }

 private:
  void complete() override {
    writer_->commit();
    file_.finish();
  }
  void publish() override { file_.commit(); }

  AtomicFile file_;
  std::unique_ptr<TableWriter> writer_;
};

}  // namespace

std::unique_ptr<StagedTable> create_table_file(const std::string& path, bool float64,
                                               const std::vector<std::string>& classes) {
  return std::make_unique<TableFile>(path, float64, classes);
}

}  // namespace credence::io
