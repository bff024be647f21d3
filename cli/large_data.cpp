#include "large_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "credence/error.hpp"
#include "text/output.hpp"

namespace credence::cli {
namespace {

std::string size_text(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size >= 1e9 ? fmt::format("{:.1f} GB", 1e-9 * size)
                     : fmt::format("{:.0f} MB", 1e-6 * size);
}

}  // namespace

std::size_t memory_of(const std::string& text) {
  if (text.empty()) return io::available_memory();
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, value);
  std::string unit(at, end);
  if (unit.ends_with("iB")) unit.resize(unit.size() - 2);
  if (unit.ends_with('B')) unit.pop_back();
  const std::string_view units = "KMGT";
  const std::size_t power = unit.size() == 1 ? units.find(unit[0]) : std::string_view::npos;
  if (failure != std::errc() || power == std::string_view::npos || !(value > 0.0)) {
    throw Error(ErrorCode::usage, fmt::format("--memory: '{}' is not a size", text),
                "write a number and K, M, G or T, for example 500M or 2G");
  }
  const double bytes = value * std::pow(1024.0, static_cast<double>(power + 1));
  if (bytes < 1048576.0 || bytes > 0x1p60) {
    throw Error(ErrorCode::usage, fmt::format("--memory: {} is out of range", text),
                "give at least 1M");
  }
  return static_cast<std::size_t>(bytes);
}

bool needs_passes(const io::DatasetFiles& files, const std::string& given_memory,
                  std::size_t memory, bool keep_probabilities) {
  const bool all_at_once = !files.rows.empty() || !files.skip_rows.empty() ||
                           !files.groups.empty() || files.allow_unmatched;
  if (all_at_once && given_memory.empty()) return false;
  return io::memory_to_load(files, keep_probabilities) > memory;
}

std::string note_on_passes(const io::DatasetFiles& files, std::size_t memory,
                           bool keep_probabilities) {
  return fmt::format(
      "in memory the data would take about {}, and {} are allowed: the files are read again in "
      "every pass",
      size_text(io::memory_to_load(files, keep_probabilities)), size_text(memory));
}

void leave_out_intervals_unless(bool asked, BootstrapOptions& options) {
  if (asked) return;
  options.resamples = 0;
  print_notes(
      {"no intervals: resampling takes far longer than scoring; --resamples 1000 asks for "
       "them"});
}

std::string RowRate::text(std::size_t rows, std::size_t all) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const double rate = static_cast<double>(rows) / std::max(passed.count(), 1e-3);
  const std::string speed = rate >= 1e6
                                ? fmt::format("{:.1f} million rows/s", 1e-6 * rate)
                                : fmt::format("{} rows/s", grouped(static_cast<std::size_t>(rate)));
  if (all == 0) return fmt::format("{} rows, {}", grouped(rows), speed);
  const double left = static_cast<double>(all - std::min(rows, all)) / std::max(rate, 1e-3);
  return fmt::format("{:.0f} % of {} rows, {}, {:.0f} s left",
                     100.0 * static_cast<double>(rows) / static_cast<double>(all), grouped(all),
                     speed, left);
}

std::unique_ptr<io::FileRows> open_rows(const io::DatasetFiles& files, std::size_t memory,
                                        bool keep_probabilities, bool check_in_first_pass) {
  const std::string what = fmt::format("checking {}", io::display_name(files.scores.path));
  Progress progress(what);
  const RowRate rate;
  io::RowFileOptions options{.memory = memory,
                             .keep_probabilities = keep_probabilities,
                             .check_in_first_pass = check_in_first_pass};
  options.progress = [&](std::size_t rows, std::size_t all) {
    progress.update(fmt::format("{}: {}", what, rate.text(rows, all)));
    return true;
  };
  return std::make_unique<io::FileRows>(files, options);
}

WatchedRows::WatchedRows(RowSource& rows, Progress& progress, std::string what)
    : rows_(rows), progress_(progress), what_(std::move(what)), all_(rows.info().rows) {}

bool WatchedRows::next(RowBlock& block) {
  if (!rows_.next(block)) return false;
  done_ += block.scores.rows();
  progress_.update(fmt::format("{}: pass {}, {}", what_, pass_, rate_.text(done_, all_)));
  return true;
}

void WatchedRows::rewind() {
  rows_.rewind();
  done_ = 0;
  ++pass_;
  rate_ = RowRate();
}

}  // namespace credence::cli
