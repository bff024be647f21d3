// Rows in pieces elsewhere, reached through Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "credence/row_work.hpp"

namespace credence::python {

namespace nb = nanobind;

/// `run(common, own)` has each piece answer, `tag(tags)` keeps the tags of its rows.
class PyRows {
 public:
  PyRows(std::size_t pieces, nb::object run_all, nb::object keep_tags,
         std::vector<std::string> class_names);
  PyRows(const PyRows&) = delete;
  PyRows& operator=(const PyRows&) = delete;
  RowWorker& worker() { return *rows_; }

  nb::object run, tag;

 private:
  std::unique_ptr<RowsInPieces> rows_;
};

}  // namespace credence::python
