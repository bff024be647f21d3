#include "io/votes/published/long_tables.hpp"

#include <algorithm>

#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

struct PublishedHeader {
  std::string_view name, example, annotator, label;
};

// DICES has a column 'response' besides, which holds what the machine said.
constexpr PublishedHeader kPublishedHeaders[] = {
    {"DICES", "item_id", "rater_id", "Q_overall"},
    {"POPQUORN", "instance_id", "user_id", "offensiveness"},
    {"POPQUORN", "instance_id", "user_id", "politeness"},
};

std::optional<std::size_t> column_named(const std::vector<std::string>& header,
                                        std::string_view name) {
  const auto at = std::ranges::find_if(
      header, [name](const std::string& cell) { return equal_ignoring_case(cell, name); });
  if (at == header.end()) return std::nullopt;
  return static_cast<std::size_t>(at - header.begin());
}

}  // namespace

std::optional<PublishedTable> find_published_table(const std::vector<std::string>& header) {
  for (const PublishedHeader& known : kPublishedHeaders) {
    const auto example = column_named(header, known.example);
    const auto annotator = column_named(header, known.annotator);
    const auto label = column_named(header, known.label);
    if (!example || !annotator || !label) continue;
    PublishedTable found;
    found.name = known.name;
    found.columns.example = *example;
    found.columns.annotator = annotator;
    found.columns.label = *label;
    return found;
  }
  return std::nullopt;
}

}  // namespace credence::io
