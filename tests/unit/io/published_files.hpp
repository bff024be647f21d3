// Votes as data sets and annotation tools publish them, written out in their layouts.
#pragma once

#include <gmock/gmock.h>

#include "credence/io.hpp"
#include "unit/io/vote_files.hpp"

namespace credence::io {

class Published : public VoteFiles {
 protected:
  VoteFile file_;

  VoteTable load(const std::string& file_path) {
    file_.path = file_path;
    return load_votes(file_);
  }
  std::string why(const std::string& name, const std::string& content) {
    return error_of([&] { load(text(name, content)); }).what();
  }
  std::string way_out(const std::string& name, const std::string& content) {
    return error_of([&] { load(text(name, content)); }).hint();
  }
  /// Votes of a row by class, zeros included.
  static std::vector<double> counts(const VoteTable& table, std::size_t row) {
    std::vector<double> all(table.votes.classes(), 0.0);
    const VoteRow found = table.votes.row(row);
    for (std::size_t i = 0; i < found.classes.size(); ++i) {
      all[found.classes[i]] = found.weights[i];
    }
    return all;
  }
  /// Whatever is done to the bytes, an Error is the worst that comes of it.
  void survives(const std::string& name, const std::string& content) {
    test::TempDir folder;
    test::survives_damage(folder, name, content, [this](const std::string& path) { load(path); });
  }
};

}  // namespace credence::io
