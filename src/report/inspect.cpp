#include "credence/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/methods.hpp"
#include "credence/options.hpp"
#include "io/json/json_text.hpp"

namespace credence::report {
namespace {

using io::Json;
using io::optional_json;

std::size_t top_class(std::span<const float> scores) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::string row_label(const Findings& found, std::size_t row) {
  return found.ids.empty() ? fmt::format("row {}", row)
                           : fmt::format("row {} (id {})", row, found.ids[row]);
}

void add_votes(Findings& found, const Votes& votes) {
  found.evidence = votes.evidence();
  found.ties = votes.ties();
  found.shares = votes.are_shares();
  found.votes = summarise(votes);
  for (const std::size_t row : found.votes->tied_rows) {
    found.problems.push_back(
        fmt::format("{}: {} classes share the most votes; the lowest index "
                    "counts as voted",
                    row_label(found, row), classes_with_most_votes(votes, row)));
  }
}

}  // namespace

Findings inspect(const io::VoteTable& table) {
  Findings found;
  found.rows = table.votes.rows();
  found.class_count = table.votes.classes();
  found.class_names = table.classes;
  found.ids = table.ids;
  found.join.votes_form = table.form;
  found.join.vote_rows = table.votes.rows();
  found.join.annotators = table.annotators;
  found.join.notes = table.notes;
  add_votes(found, table.votes);
  return found;
}

Findings inspect(const io::LoadedDataset& loaded, ScoreKind kind) {
  const Dataset& data = loaded.data;
  Findings found;
  found.rows = data.rows();
  found.class_count = data.classes_count();
  found.class_names = data.classes;
  found.ids = data.ids;
  found.score_kind = std::string(to_string(kind));
  found.join = loaded.join;
  found.clipped = data.clipped;
  found.fingerprint = data.fingerprint();
  if (!data.groups.empty()) {
    found.groups = 1 + *std::max_element(data.groups.begin(), data.groups.end());
  }
  found.predicted.assign(found.class_count, 0);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t top = top_class(data.scores.row(i));
    found.predicted[top]++;
    if (data.votes.rows() > 0) hits += top == data.votes.voted(i);
  }
  if (data.votes.rows() > 0) {
    found.accuracy =
        static_cast<double>(hits) / static_cast<double>(std::max<std::size_t>(1, found.rows));
    add_votes(found, data.votes);
  }
  return found;
}

std::string findings_json(const Findings& found, Speech speech) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  const io::JoinReport& join = found.join;
  Json json{{"rows", found.rows},
            {"classes", found.class_count},
            {"class_names", found.class_names},
            {"evidence", to_string(found.evidence)},
            {"methods", methods_allowed_by(found.evidence)}};
  json["scores"] = found.score_kind.empty() ? Json(nullptr)
                                            : Json{{"kind", found.score_kind},
                                                   {"form", join.scores_form},
                                                   {"rows", join.score_rows},
                                                   {"clipped", found.clipped},
                                                   {"predicted", found.predicted}};
  if (found.votes) {
    json["votes"] = {
        {"form", join.votes_form},
        {"rows", join.vote_rows},
        {"annotators", join.annotators > 0 ? Json(join.annotators) : Json(nullptr)},
        {"shares", found.shares},
        {"per_example",
         {{"min", found.votes->fewest}, {"mean", found.votes->mean}, {"max", found.votes->most}}},
        {"ties", found.ties},
        {"unanimous", found.votes->unanimous},
        {"mean_entropy", found.votes->entropy},
        {"pairwise_agreement", optional_json(found.votes->agreement)},
        {"krippendorff_alpha", optional_json(found.votes->alpha)},
        {"voted", found.votes->voted_counts},
        {"shares_by_class", found.votes->vote_shares}};
  } else {
    json["votes"] = nullptr;
  }
  json["join"] = {{"by", or_null(join.joined_by)},
                  {"classes_matched", or_null(join.classes_matched)},
                  {"rows", join.joined_rows},
                  {"unmatched_scores", join.unmatched_scores},
                  {"unmatched_votes", join.unmatched_votes}};
  json["accuracy"] = optional_json(found.accuracy);
  json["groups"] = found.groups > 0 ? Json(found.groups) : Json(nullptr);
  json["fingerprint"] = or_null(found.fingerprint);
  json["notes"] = render(join.notes, speech);
  json["problem_rows"] = found.problems;
  // Text that is not UTF-8 is replaced rather than refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace credence::report
