#include "io/bytes/byte_source.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "credence/error.hpp"
#include "io/bytes/input_guard.hpp"

namespace credence::io {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(FileHandle file, std::string path)
      : path_(std::move(path)), file_(std::move(file)), state_(state_of(file_)) {}

  std::size_t read(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), out, size);
      if (got == 0) check_unchanged(file_, state_, path_);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw_system_error(path_, "cannot read", errno);
    }
  }
  bool should_be_drained() const override { return state_.is_file || file_.get() != STDIN_FILENO; }

 private:
  std::string path_;
  FileHandle file_;
  FileState state_;
};

class PrefixedSource : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* out, std::size_t size) override {
    if (given_ == prefix_.size()) return rest_->read(out, size);
    const std::size_t count = std::min(size, prefix_.size() - given_);
    std::memcpy(out, prefix_.data() + given_, count);
    given_ += count;
    return count;
  }
  bool should_be_drained() const override { return rest_->should_be_drained(); }

 private:
  std::string prefix_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// Several gzip members in a row (pigz, bgzip, cat a.gz b.gz) are one stream; zero padding after the
// last one is allowed, anything else there is corruption. The end is reported only after the last
// checksum and length were found right.
class GzipSource : public ByteSource {
 public:
  GzipSource(std::string path, std::unique_ptr<ByteSource> compressed)
      : path_(std::move(path)),
        compressed_(std::move(compressed)),
        input_(std::make_unique_for_overwrite<char[]>(kChunk)) {
    // 15 + 16: the largest window, gzip wrapper expected.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    const auto wanted = static_cast<uInt>(std::min(size, kChunk));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted && !finished_) {
      if (stream_.avail_in == 0) refill();
      if (between_members_) {
        start_member();
        continue;
      }
      if (stream_.avail_in == 0) corrupt("the gzip stream ends early");
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status != Z_OK) {
        corrupt(fmt::format("corrupt gzip stream ({})",
                            stream_.msg != nullptr ? stream_.msg : "damaged data"));
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
    stream_.avail_in = static_cast<uInt>(compressed_->read(input_.get(), kChunk));
  }

  void start_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
      padded_ = true;
    }
    if (stream_.avail_in == 0) {
      refill();
      finished_ = stream_.avail_in == 0;
      return;
    }
    if (padded_ || *stream_.next_in != 0x1f) corrupt("unexpected bytes after the gzip stream");
    between_members_ = false;
    inflateReset(&stream_);
  }

  [[noreturn]] void corrupt(const std::string& what) const {
    throw Error(ErrorCode::format, fmt::format("{}: {}", path_, what),
                "copy or download the file again ('gzip -t' checks it)");
  }

  std::string path_;
  std::unique_ptr<ByteSource> compressed_;
  std::unique_ptr<char[]> input_;
  z_stream stream_{};
  bool between_members_ = false;
  bool padded_ = false;
  bool finished_ = false;
};

}  // namespace

std::size_t read_fully(ByteSource& source, char* out, std::size_t size) {
  std::size_t have = 0;
  while (have < size) {
    const std::size_t got = source.read(out + have, size - have);
    if (got == 0) break;
    have += got;
  }
  return have;
}

void read_to_end(ByteSource& source) {
  const auto chunk = std::make_unique_for_overwrite<char[]>(kChunk);
  while (source.read(chunk.get(), kChunk) > 0) {
  }
}

std::string peek(std::unique_ptr<ByteSource>& source, std::size_t size) {
  std::string first(size, '\0');
  first.resize(read_fully(*source, first.data(), size));
  source = std::make_unique<PrefixedSource>(first, std::move(source));
  return first;
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  return open_bytes(open_for_reading(path), path);
}

std::unique_ptr<ByteSource> open_bytes(FileHandle file, const std::string& path) {
  const std::string name = display_name(path);
  std::unique_ptr<ByteSource> source = std::make_unique<FileSource>(std::move(file), name);
  std::string first = peek(source, 2);
  if (first == "\x1f\x8b") {
    source = std::make_unique<GzipSource>(name, std::move(source));
    first = peek(source, 1);
  }
  if (first.empty())
    throw Error(ErrorCode::format, fmt::format("{}: the file is empty", name),
                "the program that wrote it may have failed");
  return source;
}

}  // namespace credence::io
