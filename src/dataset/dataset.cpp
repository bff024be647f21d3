#include "credence/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"

namespace credence {

std::string_view to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::none:
      return "none";
    case Evidence::voted:
      return "voted";
    case Evidence::annotations:
      return "annotations";
    case Evidence::distributions:
      return "distributions";
  }
  return "none";
}

std::string_view to_string(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::logits:
      return "logits";
    case ScoreKind::log_probs:
      return "log_probs";
    case ScoreKind::probs:
      return "probs";
  }
  return "logits";
}

Dataset Dataset::select(std::span<const std::size_t> rows) const {
  auto copy = std::make_shared<Matrix<float>>(rows.size(), scores.cols());
  Dataset picked;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= scores.rows()) {
      throw Error(ErrorCode::usage,
                  fmt::format("row {} selected; the data have {} rows", rows[i], scores.rows()));
    }
    std::ranges::copy(scores.row(rows[i]), copy->row(i).begin());
    if (!ids.empty()) picked.ids.push_back(ids[rows[i]]);
    if (!groups.empty()) picked.groups.push_back(groups[rows[i]]);
  }
  picked.scores = std::as_const(*copy).view();
  picked.owner = std::move(copy);
  if (votes.rows() != 0) picked.votes = votes.select(rows);
  picked.classes = classes;
  picked.clipped = clipped;
  return picked;
}

Dataset make_dataset(Scores scores, ScoreKind kind, Votes votes, std::vector<std::string> classes) {
  if (scores.rows() == 0) throw Error(ErrorCode::data, "the scores have no rows");
  if (scores.cols() < 2) {
    throw Error(ErrorCode::data,
                fmt::format("the scores have {} column(s); a classifier needs at least two classes",
                            scores.cols()),
                "for a binary model give one column per class");
  }
  if (votes.rows() != 0 && votes.rows() != scores.rows()) {
    throw Error(ErrorCode::data,
                fmt::format("{} rows of scores but {} rows of votes", scores.rows(), votes.rows()));
  }
  if (votes.rows() != 0 && votes.classes() != scores.cols()) {
    throw Error(ErrorCode::data, fmt::format("scores for {} classes but votes for {}",
                                             scores.cols(), votes.classes()));
  }
  if (!classes.empty() && classes.size() != scores.cols()) {
    throw Error(ErrorCode::data,
                fmt::format("{} class names for {} classes", classes.size(), scores.cols()));
  }
  Dataset data;
  const std::size_t to_clip = check_scores(scores, kind);
  if (kind == ScoreKind::probs || to_clip != 0) {
    Conversion finite = to_finite_logits(scores, kind);
    auto owned = std::make_shared<Matrix<float>>(std::move(finite.scores));
    data.clipped = finite.clipped;
    data.scores = std::as_const(*owned).view();
    data.owner = std::move(owned);
  } else {
    data.scores = scores;
  }
  data.votes = std::move(votes);
  data.classes = std::move(classes);
  return data;
}

}  // namespace credence
