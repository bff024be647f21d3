#include "io/bytes/text_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "credence/error.hpp"
#include "io/bytes/file_handle.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 30;

[[noreturn]] void refuse_utf16(const std::string& path) {
  throw Error(ErrorCode::format, fmt::format("{}: the text is UTF-16", path),
              "save it as UTF-8 ('iconv -f UTF-16 -t UTF-8' converts it)");
}

}  // namespace

struct TextLines::Impl {
  std::string path;
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = kChunk;
  std::size_t begin = 0;    // of the line to be returned next
  std::size_t scanned = 0;  // no line end in [begin, scanned)
  std::size_t end = 0;      // of the bytes read so far
  std::size_t number = 0;
  bool at_end = false;

  Impl(const std::string& name, std::unique_ptr<ByteSource> bytes)
      : path(name),
        source(std::move(bytes)),
        buffer(std::make_unique_for_overwrite<char[]>(kChunk)) {
    while (end < 3 && !at_end) fill();
    const std::string_view start(buffer.get(), end);
    if (start.substr(0, 3) == "\xef\xbb\xbf") begin = scanned = 3;
    if (start.substr(0, 2) == "\xff\xfe" || start.substr(0, 2) == "\xfe\xff") refuse_utf16(path);
  }

  // Makes room behind the unfinished line and reads once. Memory grows only with bytes that came.
  void fill() {
    if (begin > 0) {
      std::memmove(buffer.get(), buffer.get() + begin, end - begin);
      scanned -= begin;
      end -= begin;
      begin = 0;
    }
    if (end == capacity) {
      if (end >= kLongestLine) {
        throw Error(ErrorCode::format,
                    fmt::format("{}:{}: a line longer than 1 GiB", path, number + 1),
                    "the file is binary or has no line ends");
      }
      auto larger = std::make_unique_for_overwrite<char[]>(capacity * 2);
      std::memcpy(larger.get(), buffer.get(), end);
      buffer = std::move(larger);
      capacity *= 2;
    }
    const std::size_t got = source->read(buffer.get() + end, capacity - end);
    at_end = got == 0;
    end += got;
  }
};

TextLines::TextLines(const std::string& path) : TextLines(path, open_bytes(path)) {}
TextLines::TextLines(const std::string& path, std::unique_ptr<ByteSource> source)
    : impl_(std::make_unique<Impl>(display_name(path), std::move(source))) {}
TextLines::~TextLines() = default;
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines& TextLines::operator=(TextLines&&) noexcept = default;

bool TextLines::next(std::string_view& line) {
  Impl& in = *impl_;
  for (;;) {
    const char* data = in.buffer.get();
    const void* found = std::memchr(data + in.scanned, '\n', in.end - in.scanned);
    if (found == nullptr && !in.at_end) {
      in.scanned = in.end;
      in.fill();
      continue;
    }
    if (found == nullptr && in.begin == in.end) return false;
    const char* stop = found != nullptr ? static_cast<const char*>(found) : data + in.end;
    std::size_t length = static_cast<std::size_t>(stop - (data + in.begin));
    const std::size_t next_begin = in.begin + length + (found != nullptr ? 1 : 0);
    if (length > 0 && stop[-1] == '\r') --length;
    line = {data + in.begin, length};
    in.begin = in.scanned = next_begin;
    // Otherwise the whole file would be its first line.
    if (++in.number == 1 && line.find('\r') != std::string_view::npos) {
      throw Error(ErrorCode::format, fmt::format("{}: lines end in CR alone", in.path),
                  "end them in LF ('tr \"\\r\" \"\\n\"' converts the file)");
    }
    return true;
  }
}

std::size_t TextLines::number() const { return impl_->number; }
const std::string& TextLines::path() const { return impl_->path; }

std::string read_text(const std::string& path, std::size_t limit) {
  return read_text(open_bytes(path), display_name(path), limit);
}

std::string read_text(std::unique_ptr<ByteSource> source, const std::string& name,
                      std::size_t limit) {
  std::string text;
  for (;;) {
    const std::size_t have = text.size();
    text.resize(have + std::max(have, std::size_t{1} << 16));
    const std::size_t got = source->read(text.data() + have, text.size() - have);
    text.resize(have + got);
    if (got == 0) break;
    if (text.size() > limit) {
      throw Error(ErrorCode::format,
                  fmt::format("{}: longer than the {} bytes that are allowed here", name, limit));
    }
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    refuse_utf16(name);
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string excerpt(std::string_view text) {
  std::string out = "'";
  std::size_t shown = 0;
  while (!text.empty() && shown < 40) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t length = byte < 0x20 || byte == 0x7f ? 0 : utf8_length(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
    ++shown;
  }
  if (!text.empty()) out += "...";
  return out + "'";
}

}  // namespace credence::io
