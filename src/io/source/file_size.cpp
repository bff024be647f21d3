#include "io/source/file_size.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "credence/row_files.hpp"
#include "io/arrow/table_files.hpp"
#include "io/npy/npy.hpp"
#include "io/npy/npz.hpp"
#include "io/scores/score_reader.hpp"

namespace credence::io {
namespace {

// A row of votes holds an offset, its total and its majority label, and twelve bytes for each class
// that somebody chose: seldom more than four.
constexpr std::size_t kVoteRow = 20 + 12 * 4;
// What a fit or an evaluation keeps of each row besides: targets, or what it sorts.
constexpr std::size_t kWorkRow = 64;
// Of text: a count takes two characters, and sixteen bytes while it is read.
constexpr std::size_t kVoteText = 3;
// gzip makes a table of numbers about a third of its size.
constexpr std::size_t kUnpacked = 3;

std::size_t number_in(const char* path) {
  std::ifstream in(path);
  std::size_t value = 0;
  return in >> value ? value : std::numeric_limits<std::size_t>::max();
}

std::size_t free_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string name; in >> name;) {
    std::size_t kilobytes = 0;
    if (name == "MemAvailable:" && in >> kilobytes) return kilobytes * 1024;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::size_t{1} << 30;
}

std::size_t rows_of_table(const std::string& path) {
  const std::string file = split_table_path(path).file;
  return reader_of(file)->rows(file).value_or(0);
}

/// Of `rows` rows of numbers that are read, and what is done with them.
std::size_t memory_of_rows(std::size_t rows, std::size_t cols, bool keep_probabilities) {
  const std::size_t number = sizeof(float) + (keep_probabilities ? sizeof(double) : 0);
  return rows * (cols * number + kWorkRow);
}

}  // namespace

std::string in_bytes(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size >= 1e9) return fmt::format("{:.1f} GB", 1e-9 * size);
  if (size >= 1e6) return fmt::format("{:.0f} MB", 1e-6 * size);
  return fmt::format("{:.0f} kB", 1e-3 * size);
}

std::size_t unpacked_size(const std::string& path) {
  struct stat info {};
  const std::string file = split_npz_path(path).file;
  if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  const auto size = static_cast<std::size_t>(info.st_size);
  return file.ends_with(".gz") ? kUnpacked * size : size;
}

std::size_t votes_in_memory(const std::string& path) {
  if (is_npy_path(path) && unpacked_size(path) != 0) {
    return kVoteRow * open_npy_scores(path).header.rows();
  }
  if (is_table_path(path)) return kVoteRow * rows_of_table(path);
  return kVoteText * unpacked_size(path);
}

std::size_t available_memory() {
  std::size_t most = free_memory();
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    most = std::min<std::size_t>(most, limit.rlim_cur);
  }
  // Control groups, version 2 and 1; "max" is no number, and no limit.
  most = std::min(most, number_in("/sys/fs/cgroup/memory.max"));
  return std::min(most, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

std::size_t memory_to_load(const DatasetFiles& files, bool keep_probabilities) {
  const std::string& scores = files.scores.path;
  if (files.scores.given) return 0;
  const std::size_t size = unpacked_size(scores);
  const bool is_table = is_table_path(scores);
  if (size == 0 && !is_table) return 0;
  const std::string& votes = files.votes.empty() ? files.labels : files.votes;
  std::size_t wanted = files.given_votes ? 0 : votes_in_memory(votes);
  if (is_npy_path(scores)) {
    const NpyHeader header = open_npy_scores(scores).header;
    return wanted + memory_of_rows(header.rows(), header.cols(), keep_probabilities);
  }
  if (is_table) {
    const auto reader = open_scores(files.scores);
    return wanted + memory_of_rows(reader->rows().value_or(0), reader->cols(), keep_probabilities);
  }
  // A score of text is about as long as what is kept of it.
  return wanted + size * (keep_probabilities ? 2 : 1);
}

}  // namespace credence::io
