// One column of scores for two classes, as a sigmoid gives it.
#pragma once

#include <memory>

#include "credence/io.hpp"

namespace credence::io {

/// A reader of one column becomes one of two classes, whose second the column is about: p becomes
/// [1 - p, p], a logit z [0, z], a log-probability l [log(1 - exp(l)), l]. Others stay as they are.
std::unique_ptr<ScoreReader> with_two_classes(std::unique_ptr<ScoreReader> reader,
                                              const ScoreFile& file);

/// True for names as a reader of one column gives them: those of its class alone.
inline bool is_single_name(const std::vector<std::string>& names) { return names.size() == 1; }

/// The names of both classes, with that of the column second, when it is one of the two `known`;
/// otherwise none.
std::vector<std::string> two_names(const std::vector<std::string>& single,
                                   const std::vector<std::string>& known);
/// Tells that the column has the name of the second of the two.
std::string single_name_note(const std::vector<std::string>& names, const std::string& path);

}  // namespace credence::io
