#include "credence/checkpoint.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/bytes.hpp"
#include "credence/error.hpp"
#include "credence/files.hpp"
#include "io/write/atomic_file.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kMark = "credence checkpoint 1";
constexpr std::size_t kLongest = std::size_t{1} << 36;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::uint64_t checksum(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

[[noreturn]] void refuse_other(const std::string& path, std::string_view what) {
  throw Error(ErrorCode::usage, fmt::format("{} is the checkpoint of a fit {}", path, what),
              "repeat that fit to finish it; to begin this one, delete the file or name another");
}

}  // namespace

Checkpoint::Checkpoint(std::string path, std::string fingerprint)
    : path_(std::move(path)), fingerprint_(std::move(fingerprint)) {}

Solver Checkpoint::open(const MethodSpec& method, const RowsInfo& rows, const FitOptions& options) {
  Solver fresh(method, rows, options, true);
  // What a solver saves before it has asked for anything is what it is about.
  about_ = text_of(fresh.save());
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return fresh;
  const std::string stored = read_file(path_, kLongest);
  const std::string what = fmt::format("the checkpoint {}", path_);
  core::ByteReader in(bytes_of(stored), what);
  in.mark(kMark);
  const std::string fingerprint = in.text(), about = in.text();
  passes_ = in.u64();
  const std::string solver = in.text();
  const std::size_t before = stored.size() - std::min(stored.size(), sizeof(std::uint64_t));
  if (in.u64() != checksum(stored.substr(0, before))) in.fail("is not what was written");
  in.finish();
  if (fingerprint != fingerprint_) refuse_other(path_, "to other data");
  if (about != about_) refuse_other(path_, "by another method, or with other options");
  return Solver::resume(bytes_of(solver));
}

void Checkpoint::save(const Solver& solver) {
  const std::string saved = text_of(solver.save());
  core::ByteWriter out;
  out.text(kMark);
  out.text(fingerprint_);
  out.text(about_);
  out.u64(++passes_);
  out.text(saved);
  const std::string body = text_of(out.take());
  core::ByteWriter end;
  end.u64(checksum(body));
  AtomicFile file(path_);
  file.write(body);
  file.write(text_of(end.take()));
  file.commit();
}

void Checkpoint::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace credence::io
