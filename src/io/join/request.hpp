// What is asked of scores and votes that are to be joined, whether they are read whole or in
// pieces.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/io.hpp"

namespace credence::io {

/// Throws Error(usage) for options that contradict each other.
void check_request(const DatasetFiles& files);

/// Names of the `columns` columns of scores, or none; `in_file` are those that the file has. The
/// name of a single column, which stands for one of two classes, goes to `single`; without it, it
/// is an Error.
std::vector<std::string> names_of_columns(const DatasetFiles& files, std::size_t columns,
                                          const std::vector<std::string>& in_file,
                                          std::vector<std::string>& notes,
                                          std::vector<std::string>* single = nullptr);

/// One list of names was given for scores and votes.
bool one_list_given(const DatasetFiles& files);

/// The votes to be read beside scores of `classes` classes.
VoteFile votes_beside(const DatasetFiles& files, std::size_t classes,
                      const std::vector<std::string>& score_classes);

}  // namespace credence::io
