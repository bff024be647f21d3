// Colour where a person is watching and has not declined it (https://no-color.org).
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "credence/text.hpp"

namespace credence::cli {

bool is_terminal(std::FILE* stream);
/// Of a terminal; very many where there is none.
std::size_t terminal_columns(std::FILE* stream);
std::size_t terminal_rows(std::FILE* stream);

/// Wraps text in terminal codes, or returns it as it is when `stream` is no colour terminal.
class Paint {
 public:
  explicit Paint(std::FILE* stream);
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string red(std::string_view text) const { return wrap("1;31", text); }
  std::string green(std::string_view text) const { return wrap("1;32", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
  bool on_;
};

}  // namespace credence::cli
