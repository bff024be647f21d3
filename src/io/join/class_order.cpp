#include "io/join/class_order.hpp"

#include <fmt/format.h>

#include "credence/class_order.hpp"
#include "credence/error.hpp"
#include "credence/options.hpp"
#include "credence/text.hpp"
#include "dataset/score_trace.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

/// The names of the classes in the order that the columns look like.
std::vector<std::string> likely_names(const ClassOrder& order, const Dataset& data) {
  std::vector<std::string> names;
  for (const std::uint32_t k : order.looks_like) {
    names.push_back(data.classes.empty() ? fmt::format("class{}", k) : data.classes[k]);
  }
  return names;
}

std::vector<std::string> numbered_names(std::size_t classes) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < classes; ++k) names.push_back(fmt::format("class{}", k));
  return names;
}

std::string joined_names(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

void check_class_order(const DatasetFiles& files, LoadedDataset& loaded) {
  const Dataset& data = loaded.data;
  if (data.votes.rows() == 0 || data.rows() == 0) return;
  const ClassOrder order = loaded.trace
                               ? likely_class_order(data, loaded.trace->predicted_classes())
                               : likely_class_order(data);
  if (!order.decisive) return;

  const std::string& how = loaded.join.classes_matched;
  const bool assumed = how == "assumed" || how == "by position";
  const std::vector<std::string> likely = likely_names(order, data);
  const std::string votes = display_name(files.votes.empty() ? files.labels : files.votes);
  const std::string found = fmt::format(
      "the classes of {} and {} look permuted: {:.1f} % of annotators agree with the predictions "
      "of {} examples, but {:.1f} % would if the columns of the scores were {} (chance alone "
      "explains {:.1f} points at most)",
      display_name(files.scores.path), votes, 100.0 * order.agreement, grouped_digits(order.rows),
      100.0 * order.best_agreement, list_names(likely), 100.0 * order.chance_gain);
  if (!assumed || files.assume_order) {
    loaded.join.order_doubt =
        found + (assumed ? "; the order assumed is kept" : "; the names given are kept");
    loaded.join.notes.push_back(loaded.join.order_doubt);
    return;
  }
  // With names on one side only, that side's names say which column is which.
  const std::string names =
      data.classes.empty()
          ? fmt::format("‹score_classes={}› and ‹vote_classes={}›", joined_names(likely),
                        joined_names(numbered_names(data.classes_count())))
          : fmt::format("‹score_classes={}›", joined_names(likely));
  throw Error(ErrorCode::data, found,
              fmt::format("their order was assumed; give it: {} if that is what they are. "
                          "‹assume_order› keeps the order as assumed",
                          data.classes_count() <= 20
                              ? names
                              : std::string("‹score_classes=FILE› with a name per column,")));
}

}  // namespace credence::io
