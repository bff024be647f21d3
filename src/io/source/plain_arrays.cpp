#include "io/source/plain_arrays.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

#include "core/kernels.hpp"
#include "core/read_ahead.hpp"
#include "credence/block_sums.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/npy/npy_bytes.hpp"
#include "io/scores/score_reader.hpp"

namespace credence::io {
namespace {

/// Bytes of scores that are read at a time: large sequential reads, yet within a cache.
constexpr std::size_t kScoreBytes = std::size_t{4} << 20;

bool is_plain(const NpyScoreFile& file, NpyType type) {
  return file.in_file && file.header.type == type && !file.header.swapped &&
         !file.header.fortran_order && file.header.shape.size() == 2;
}

bool asks_for_more(const DatasetFiles& files) {
  return files.given_votes || files.given_groups || files.given_by || files.given_rows ||
         files.given_skip_rows || files.scores.given || !files.labels.empty() ||
         !files.rows.empty() || !files.skip_rows.empty() || !files.groups.empty() ||
         !files.by.empty() || !files.classes.empty() || !files.score_classes.empty() ||
         !files.vote_classes.empty() || !files.votes_format.empty() || !files.drop_labels.empty() ||
         files.scores.kind == ScoreKind::probs;
}

bool is_npy_file(const std::string& path) {
  std::error_code ignored;
  return path.ends_with(".npy") && std::filesystem::is_regular_file(path, ignored);
}

/// A file that is read from one end to the other, and must not change meanwhile.
struct PlainFile {
  std::string path;
  NpyHeader header;
  FileHandle handle;
  FileState state;

  PlainFile(const std::string& the_path, NpyHeader the_header)
      : path(the_path),
        header(std::move(the_header)),
        handle(open_for_reading(the_path)),
        state(state_of(handle)) {}
  template <class T>
  void read(std::size_t first, std::size_t rows, std::vector<T>& out) const {
    out.resize(rows * header.cols());
    read_at(handle, header.data_offset + first * header.cols() * sizeof(T),
            reinterpret_cast<std::byte*>(out.data()), out.size() * sizeof(T), path);
    if (first + rows == header.rows()) check_unchanged(handle, state, path);
  }
};

/// Every row has a vote.
bool all_voted(const std::vector<std::uint8_t>& counts, std::size_t classes) {
  bool all = true;
  for (std::size_t i = 0; i < counts.size(); i += classes) {
    std::uint8_t any = 0;
    for (std::size_t k = 0; k < classes; ++k) any |= counts[i + k];
    all &= any != 0;
  }
  return all;
}

}  // namespace

struct PlainArrays::Impl {
  PlainFile scores, counts;
  std::size_t next_row = 0;
  std::atomic<bool> unusable = false;
  core::ReadAhead<Block> ahead;  // the last member: its thread uses the others

  Impl(const DatasetFiles& files, NpyHeader of_scores, NpyHeader of_counts)
      : scores(files.scores.path, std::move(of_scores)),
        counts(files.votes, std::move(of_counts)) {}

  bool read(Block& block) {
    const std::size_t classes = scores.header.cols();
    const std::size_t most =
        std::max(kScoreBytes / (sizeof(float) * classes) / kBlockRows, std::size_t{1}) * kBlockRows;
    block.first = next_row;
    block.rows = std::min(most, scores.header.rows() - next_row);
    if (block.rows == 0) return false;
    scores.read(next_row, block.rows, block.scores);
    counts.read(next_row, block.rows, block.counts);
    next_row += block.rows;
    unusable = !core::kernels().all_finite(block.scores.data(), block.scores.size()) ||
               !all_voted(block.counts, classes);
    return !unusable;
  }
};

std::unique_ptr<PlainArrays> PlainArrays::open(const DatasetFiles& files) {
  if (asks_for_more(files) || !is_npy_file(files.scores.path) || !is_npy_file(files.votes)) {
    return nullptr;
  }
  const NpyScoreFile scores = open_npy_scores(files.scores.path);
  const NpyScoreFile counts = open_npy_scores(files.votes);
  const bool plain = is_plain(scores, NpyType::f32) && is_plain(counts, NpyType::u8) &&
                     scores.header.shape == counts.header.shape && scores.header.cols() > 1;
  if (!plain) return nullptr;
  return std::unique_ptr<PlainArrays>(
      new PlainArrays(std::make_unique<Impl>(files, scores.header, counts.header)));
}

PlainArrays::PlainArrays(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PlainArrays::~PlainArrays() = default;

std::size_t PlainArrays::rows() const { return impl_->scores.header.rows(); }
std::size_t PlainArrays::classes() const { return impl_->scores.header.cols(); }
bool PlainArrays::unusable() const { return impl_->unusable; }

bool PlainArrays::next(Block& block) {
  if (!impl_->ahead.is_running()) {
    impl_->ahead.start([impl = impl_.get()](Block& made) { return impl->read(made); });
  }
  return impl_->ahead.next(block);
}

}  // namespace credence::io
