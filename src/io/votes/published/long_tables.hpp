// Long tables that data sets publish, whose columns have names that say nothing in general.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/votes/vote_forms.hpp"

namespace credence::io {

struct PublishedTable {
  std::string_view name;  ///< of the data set
  LongColumns columns;
};

/// DICES (item_id, rater_id, Q_overall) and POPQUORN (instance_id, user_id, offensiveness or
/// politeness); empty for other headers.
std::optional<PublishedTable> find_published_table(const std::vector<std::string>& header);

}  // namespace credence::io
