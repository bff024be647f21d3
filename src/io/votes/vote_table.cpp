#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {

RawVotes read_table_votes(CellTable& table, const VoteFile& file) {
  if (const auto columns = find_long_columns(table.header(), file)) {
    return read_long_table(table, *columns, file);
  }
  if (table.cols() == 1) return read_label_column(table, file);
  if (file.labels_only) {
    throw Error(
        ErrorCode::data,
        fmt::format("{}: {} columns{}; ‹labels› takes one label per example", file.path,
                    table.cols(),
                    table.has_header() ? " (" + list_names(table.header()) + ")" : std::string()),
        "give one column of labels, or columns named id and label; counts go with ‹votes›");
  }
  return read_grid(table, file);
}

}  // namespace credence::io
