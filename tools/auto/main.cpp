// Usage: credence_auto_table ROOT PAGE.md, where ROOT holds data/<set>/. Replaces what stands
// between the two marks of the page.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "credence/io.hpp"
#include "tables.hpp"

namespace {

constexpr std::string_view kBegin = "<!-- measured -->\n", kEnd = "<!-- end of measured -->\n";

std::string with_tables(const std::string& page, const std::string& tables) {
  const auto begin = page.find(kBegin), end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error("the page lacks the marks between which the tables go");
  }
  return page.substr(0, begin) + std::string(kBegin) + "\n" + tables + "\n" + page.substr(end);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: credence_auto_table ROOT PAGE.md (ROOT holds data/<set>/)\n");
    return 2;
  }
  try {
    std::ostringstream page;
    page << std::ifstream(argv[2]).rdbuf();
    const std::string tables =
        credence::auto_table::tables(credence::auto_table::measure(argv[1]));
    credence::io::write_text(argv[2], with_tables(page.str(), tables));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
