#include "credence/finite_scores.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/parallel.hpp"
#include "core/read_ahead.hpp"

namespace credence::io {
namespace {

// Large enough to keep every thread busy, small enough that memory does not depend on the file.
constexpr std::size_t kBlockNumbers = std::size_t{1} << 19U;

/// All rows, if they are fewer.
std::size_t rows_at_once(const ScoreReader& reader) {
  const std::size_t most = kBlockNumbers / std::max<std::size_t>(1, reader.cols());
  return std::max<std::size_t>(1, std::min(most, reader.rows().value_or(most)));
}

}  // namespace

struct FiniteScores::Impl {
  Impl(ScoreReader& the_reader, ScoreFile the_file, RowFilter the_filter)
      : reader(the_reader),
        file(std::move(the_file)),
        filter(std::move(the_filter)),
        path(display_name(file.path)),
        values(rows_at_once(reader), reader.cols()) {}

  bool read(FiniteBlock& block) {
    while (const std::size_t rows = reader.read(values.view(), &block.ids)) {
      const std::size_t kept = keep_wanted(rows, block.ids);
      block.read = done += rows;
      if (kept == 0) continue;
      block.finite = to_finite_logits(Rows(values.data(), kept, values.cols()), file.kind);
      return true;
    }
    filter.check_range(done, path);
    return false;
  }

  /// Checks the rows that are wanted and moves them to the front; returns how many.
  std::size_t keep_wanted(std::size_t rows, std::vector<std::string>& ids) {
    const MutRows block(values.data(), rows, values.cols());
    if (filter.keeps_all()) {
      check_scores(Rows(block), file.kind, path, done);
      return rows;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!filter.keeps(done + i)) continue;
      check_scores(Rows(block.block(i, 1)), file.kind, path, done + i);
      if (kept < i) {
        std::ranges::copy(block.row(i), block.row(kept).begin());
        if (!ids.empty()) ids[kept] = std::move(ids[i]);
      }
      ++kept;
    }
    if (!ids.empty()) ids.resize(kept);
    return kept;
  }

  ScoreReader& reader;
  ScoreFile file;
  RowFilter filter;
  std::string path;
  Matrix<double> values;
  std::size_t done = 0;
  int threads = 1;
  core::ReadAhead<FiniteBlock> ahead;  // the last member: its thread uses the others
};

FiniteScores::FiniteScores(ScoreReader& reader, ScoreFile file, RowFilter filter, int threads)
    : impl_(std::make_unique<Impl>(reader, std::move(file), std::move(filter))) {
  impl_->threads = core::resolve_threads(threads);
  std::error_code ignored;
  const bool in_file =
      !impl_->file.given && std::filesystem::is_regular_file(impl_->file.path, ignored);
  const bool one_block = reader.rows() && *reader.rows() <= impl_->values.rows();
  if (impl_->threads == 1 || !in_file || one_block) return;
  --impl_->threads;
  impl_->ahead.start([impl = impl_.get()](FiniteBlock& block) { return impl->read(block); });
}
FiniteScores::~FiniteScores() = default;

bool FiniteScores::next(FiniteBlock& block) {
  return impl_->ahead.is_running() ? impl_->ahead.next(block) : impl_->read(block);
}

int FiniteScores::threads() const { return impl_->threads; }

}  // namespace credence::io
