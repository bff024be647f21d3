// Small files for the tests of votes and joins, gone when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "credence/error.hpp"

namespace credence::io {

class VoteFiles : public testing::Test {
 protected:
  VoteFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "credence-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~VoteFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string text(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::string gzip(const std::string& name, const std::string& content) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return path(name);
  }

  /// A version 1.0 .npy file of a 1-D (cols = 0) or 2-D array in C order.
  template <class T>
  std::string npy(const std::string& name, const std::vector<T>& values, std::size_t cols) const {
    const std::string kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
    const std::string shape =
        cols == 0 ? "(" + std::to_string(values.size()) + ",)"
                  : "(" + std::to_string(values.size() / cols) + ", " + std::to_string(cols) + ")";
    std::string header = "{'descr': '<" + kind + std::to_string(sizeof(T)) +
                         "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize((10 + header.size() + 64) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    std::ofstream file(path(name), std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 255)
         << static_cast<char>(header.size() >> 8) << header;
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

/// The error that `f` must throw.
template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorCode::usage, "");
}

}  // namespace credence::io
