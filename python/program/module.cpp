// credence._program: the command line, as the program has it. A module of its own, loaded when it is
// asked for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "program.hpp"

namespace {

/// Runs the command line of these words, the first of which is the name of the program. The signals
/// of the process are the program's from here on, so that Ctrl-C ends it as it ends the program.
int run_words(const std::vector<nanobind::bytes>& given) {
  std::vector<std::string> words;
  for (const nanobind::bytes& word : given) words.emplace_back(word.c_str(), word.size());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const nanobind::gil_scoped_release release;
  return credence::cli::run_program(static_cast<int>(words.size()), pointers.data());
}

}  // namespace

NB_MODULE(_program, module) {
  module.doc() = "The command line of Credence. Run 'credence' or 'python -m credence'.";
  nanobind::set_leak_warnings(false);  // as in bindings/module.cpp
  credence::python::bind_tables(module);
  module.def("main", &run_words, nanobind::arg("words"));
}
