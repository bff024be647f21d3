// Usage: credence_paper ROOT PAGE.md, where ROOT holds data/<set>/.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "credence/io.hpp"
#include "page.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: credence_paper ROOT PAGE.md (ROOT holds data/<set>/)\n");
    return 2;
  }
  try {
    credence::io::write_text(argv[2], credence::paper::page(credence::paper::measure(argv[1])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
