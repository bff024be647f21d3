// Small files for the tests of votes and joins, gone when the test ends.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "unit/io/files.hpp"

namespace credence::io {

using test::error_of;

class VoteFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string text(const std::string& name, const std::string& content) const {
    return folder_.write(name, content);
  }
  std::string gzip(const std::string& name, const std::string& content) const {
    return folder_.write(name, test::gzip(content));
  }

  /// A version 1.0 .npy file of a 1-D (cols = 0) or 2-D array in C order.
  template <class T>
  std::string npy(const std::string& name, const std::vector<T>& values, std::size_t cols) const {
    const std::string kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
    const std::string shape =
        cols == 0 ? "(" + std::to_string(values.size()) + ",)"
                  : "(" + std::to_string(values.size() / cols) + ", " + std::to_string(cols) + ")";
    return folder_.write(name, test::npy("<" + kind + std::to_string(sizeof(T)), shape,
                                         test::raw(std::span<const T>(values))));
  }

 private:
  test::TempDir folder_;
};

}  // namespace credence::io
