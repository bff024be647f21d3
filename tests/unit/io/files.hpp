// Files for the tests of readers and writers: made in a directory that vanishes with the test.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"
#include "errors.hpp"

namespace credence::test {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "credence-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// A standard stream that is another file for a while, even where the tests were started with it
/// closed (the file then gets its number at once).
class Redirect {
 public:
  Redirect(int stream, const std::string& path, int flags) : stream_(stream), kept_(::dup(stream)) {
    const int fd = ::open(path.c_str(), flags, 0600);
    if (fd == stream_) return;
    ::dup2(fd, stream_);
    ::close(fd);
  }
  ~Redirect() {
    if (kept_ < 0) {
      ::close(stream_);
      return;
    }
    ::dup2(kept_, stream_);
    ::close(kept_);
  }
  Redirect(const Redirect&) = delete;
  Redirect& operator=(const Redirect&) = delete;

 private:
  int stream_, kept_;
};

template <class T>
std::string raw(std::span<const T> values) {
  std::string bytes(values.size_bytes(), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  return raw(std::span<const T>(values.begin(), values.size()));
}

inline std::string little(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i, value >>= 8) bytes += static_cast<char>(value & 255);
  return bytes;
}

/// A .npy file as NumPy writes it, with any header text.
inline std::string npy_with_header(std::string header, std::string_view data, int version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += little(header.size(), version == 1 ? 2 : 4);
  return bytes + header + std::string(data);
}
inline std::string npy(const std::string& descr, const std::string& shape, std::string_view data,
                       bool fortran = false, int version = 1) {
  return npy_with_header("{'descr': '" + descr + "', 'fortran_order': " +
                             (fortran ? "True" : "False") + ", 'shape': " + shape + ", }",
                         data, version);
}

/// gzip (windowBits 15 + 16) or raw deflate (-15).
inline std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzip(std::string_view text) { return deflated(text, 15 + 16); }

struct ZipEntry {
  std::string name, bytes;
  bool compress = false;
  bool zip64 = false;  ///< sizes in an extra field, as numpy.savez asks for
};

/// A zip archive; sizes stand in the directory, as after streaming.
inline std::string zip(const std::vector<ZipEntry>& entries) {
  std::string archive, directory;
  for (const ZipEntry& entry : entries) {
    const std::string packed = entry.compress ? deflated(entry.bytes, -15) : entry.bytes;
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(entry.bytes.data()),
                                         static_cast<uInt>(entry.bytes.size())));
    const std::string method = little(entry.compress ? 8 : 0, 2);
    const std::string extra = entry.zip64
                                  ? little(1, 2) + little(16, 2) + little(entry.bytes.size(), 8) +
                                        little(packed.size(), 8)
                                  : "";
    const std::string packed_size = little(entry.zip64 ? 0xffffffff : packed.size(), 4);
    const std::string size = little(entry.zip64 ? 0xffffffff : entry.bytes.size(), 4);
    const std::size_t offset = archive.size();
    archive += "PK\x03\x04" + little(45, 2) + little(8, 2) + method + little(0, 4) + little(0, 12) +
               little(entry.name.size(), 2) + little(0, 2) + entry.name + packed;
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2) + little(8, 2) + method +
                 little(0, 4) + little(crc, 4) + packed_size + size + little(entry.name.size(), 2) +
                 little(extra.size(), 2) + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(offset, 4) + entry.name + extra;
  }
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) +
         little(entries.size(), 2) + little(directory.size(), 4) + little(archive.size(), 4) +
         little(0, 2);
}

/// The Error that `call` throws: its code, and its message and hint as one text to search.
struct Caught {
  ErrorCode code{};
  std::string text;
};
template <class Call>
Caught caught(Call call) {
  const Error error = error_of(call);
  return {error.code(), std::string(error.what()) + " | " + error.hint()};
}

/// Calls `open` with every truncation of `bytes` and with every byte replaced by a few others; it
/// may succeed or throw an Error, nothing else.
template <class Open>
void survives_damage(const TempDir& dir, const std::string& name, const std::string& bytes,
                     Open open) {
  const auto attempt = [&](const std::string& damaged) {
    // A new file each time: some file systems flush a file that is overwritten.
    std::filesystem::remove(dir.path(name));
    try {
      open(dir.write(name, damaged));
    } catch (const Error&) {
    }
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    attempt(bytes.substr(0, i));
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      attempt(damaged);
    }
  }
}

}  // namespace credence::test
