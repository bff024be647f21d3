#include <fmt/format.h>

#include "credence/error.hpp"
#include "io/votes/published/long_tables.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {

RawVotes read_table_votes(CellTable& table, const VoteFile& file) {
  require_form_of(file, "a table");
  if (!file.format.empty()) return read_grid(table, file);
  const auto published = find_published_table(table.header());
  const bool id_given = !file.id_field.empty() && find_name(table.header(), file.id_field);
  if (published && file.votes_field.empty() && !id_given) {
    RawVotes raw = read_long_table(table, published->columns, file);
    raw.table.notes.push_back(
        fmt::format("{} has the columns of {}: the answers to '{}' are read (‹votes_field› names "
                    "another column)",
                    file.path, published->name, table.header()[published->columns.label]));
    return raw;
  }
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
