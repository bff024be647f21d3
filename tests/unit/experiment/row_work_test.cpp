// Work on rows that somebody else has gives what the same work on the same rows in memory gives.
#include "credence/row_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "credence/auto_fit.hpp"
#include "credence/compare.hpp"
#include "credence/error.hpp"
#include "credence/methods.hpp"
#include "credence/split.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using ::testing::HasSubstr;

/// Rows cut anywhere, each piece answering for itself through bytes.
class CutRows {
 public:
  CutRows(const Dataset& data, const std::vector<std::size_t>& cuts) {
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = cuts[p]; i < cuts[p + 1]; ++i) chosen.push_back(i);
      pieces_.push_back(data.select(chosen));
    }
    tags_.resize(pieces_.size());
  }

  RowsInPieces::Transport transport() {
    RowsInPieces::Transport transport;
    transport.run = [this](const Bytes& common, const std::vector<Bytes>& own) {
      ++runs;
      std::vector<Bytes> replies;
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        const RowBlock rows{0, pieces_[p].scores, &pieces_[p].votes, {}};
        replies.push_back(answer_piece(common, own[p], rows, tags_[p]));
        // A task that is run twice replies twice alike.
        EXPECT_EQ(replies.back(), answer_piece(common, own[p], rows, tags_[p], 2));
      }
      return replies;
    };
    transport.tag = [this](const auto& tags) { tags_ = tags; };
    return transport;
  }
  std::size_t size() const { return pieces_.size(); }
  Dataset& piece(std::size_t p) { return pieces_[p]; }

  int runs = 0;

 private:
  std::vector<Dataset> pieces_;
  std::vector<std::vector<std::uint8_t>> tags_;
};

std::vector<std::uint8_t> some_tags(std::size_t rows) {
  std::vector<std::uint8_t> tags;
  for (std::size_t i = 0; i < rows; ++i) {
    tags.push_back(static_cast<std::uint8_t>(core::random_bits(3, i, 0) % 3));
  }
  return tags;
}

Dataset with_tag(const Dataset& data, const std::vector<std::uint8_t>& tags, const TagSet& wanted) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (wanted[tags[i]]) chosen.push_back(i);
  }
  return data.select(chosen);
}

/// Every kind of task about two overlapping parts.
std::vector<RowTask> every_task(const Dataset& data) {
  std::vector<RowTask> tasks;
  const Calibrator plain = fit(parse_method("uncalibrated"), data);
  const Calibrator warm = fit(parse_method("slts"), data);
  for (const TagSet& part : {with_tags({1}), with_tags({0, 2})}) {
    Request request;
    request.sums = Request::Sums::curvature;
    request.target = Annotators{};
    request.map = MatrixAffine{};
    const std::size_t k = data.classes_count();
    request.theta.assign(k * k + k, 0.1);
    tasks.push_back({part, request});
    tasks.push_back({part, MetricsTask{warm, {.draws = 7}}});
    tasks.push_back({part, LossesTask{{plain, warm}, true}});
    tasks.push_back({part, VotesTask{}});
  }
  return tasks;
}

/// The answers without what says how rows came: sums alone.
void expect_same(const std::vector<RowAnswer>& found, const std::vector<RowAnswer>& wanted,
                 std::size_t classes) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].index(), wanted[i].index()) << "task " << i;
    if (const auto* sums = std::get_if<EvaluationSums>(&found[i])) {
      EXPECT_EQ(*sums, std::get<EvaluationSums>(wanted[i])) << "task " << i;
      continue;
    }
    const State &a = std::get<State>(found[i]), &b = std::get<State>(wanted[i]);
    EXPECT_EQ(a.sums, b.sums) << "task " << i;
    EXPECT_EQ(a.end_row, b.end_row) << "task " << i;
    if (i % 4 == 3) {
      const AnnotationSums x(a, classes), y(b, classes);
      EXPECT_EQ(x.fewest, y.fewest);
      EXPECT_EQ(x.most, y.most);
    }
  }
}

class Cuts : public ::testing::TestWithParam<std::vector<std::size_t>> {};

TEST_P(Cuts, AnswerAsTheChosenRowsInMemoryDo) {
  const auto set = testing_data::make_synthetic(7000, 4);
  const std::vector<std::uint8_t> tags = some_tags(7000);
  const std::vector<RowTask> tasks = every_task(set.data);
  std::vector<RowAnswer> wanted;
  for (const RowTask& task : tasks) {
    const Dataset part = with_tag(set.data, tags, task.rows);
    wanted.push_back(answer(task, {0, part.scores, &part.votes, {}}));
  }
  CutRows cut(set.data, GetParam());
  RowsInPieces pieces(cut.size(), cut.transport());
  pieces.tag(tags);
  expect_same(pieces.work(tasks), wanted, 4);
  const int before = cut.runs;
  expect_same(pieces.work(tasks), wanted, 4);
  EXPECT_EQ(cut.runs, before + 1) << "rows at the ends of pieces are fetched once";

  DatasetRows source(set.data);
  SourceWorker worker(source, 2);
  worker.tag(tags);
  expect_same(worker.work(tasks), wanted, 4);
}

INSTANTIATE_TEST_SUITE_P(Anywhere, Cuts,
                         ::testing::Values(std::vector<std::size_t>{0, 7000},
                                           std::vector<std::size_t>{0, 1, 2, 1500, 1501, 7000},
                                           std::vector<std::size_t>{0, 3072, 6144, 7000},
                                           std::vector<std::size_t>{0, 700, 1400, 2100, 2800, 3500,
                                                                    4200, 4900, 5600, 6300, 7000}));

TEST(RowTasks, ComeBackFromBytesAndDamagedOnesAreRefused) {
  const auto set = testing_data::make_synthetic(300, 3);
  for (const RowTask& task : every_task(set.data)) {
    std::vector<std::byte> bytes = to_bytes(task);
    EXPECT_EQ(to_bytes(row_task_from_bytes(bytes)), bytes);
    bytes.resize(bytes.size() - 1);
    EXPECT_THROW(row_task_from_bytes(bytes), Error);
    const RowAnswer found = answer(task, {0, set.data.scores, &set.data.votes, {}});
    EXPECT_EQ(to_bytes(row_answer_from_bytes(to_bytes(found))), to_bytes(found));
  }
}

TEST(RowsInPieces, RefuseRowsThatChangedMeanwhile) {
  const auto set = testing_data::make_synthetic(3000, 3);
  CutRows cut(set.data, {0, 1000, 3000});
  RowsInPieces pieces(cut.size(), cut.transport());
  cut.piece(1) = testing_data::make_synthetic(2000, 3, 9).data;
  const std::vector<RowTask> tasks{{all_tags(), VotesTask{}}};
  try {
    pieces.work(tasks);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("piece 1"));
  }
}

TEST(SplitAndFold, GivesTheRowsOfTheSplitAndTheFoldsInMemoryHoweverFewAreHeld) {
  const auto set = testing_data::make_synthetic(5003, 6);
  RowLabels labels(6);
  for (const std::uint32_t label : set.data.votes.voted()) labels.push_back(label);
  for (const double share : {0.5, 0.3}) {
    const Split split = stratified_split(set.data.votes, share, 11);
    const std::vector<std::uint32_t> folds = make_folds(set.data.select(split.calibration), 5, 11);
    std::vector<std::uint8_t> wanted(set.data.rows(), 0);
    for (std::size_t j = 0; j < split.calibration.size(); ++j) {
      wanted[split.calibration[j]] = static_cast<std::uint8_t>(1 + folds[j]);
    }
    for (const std::size_t most : {10000, 1000, 37}) {
      EXPECT_EQ(split_and_fold(labels, share, 5, 11, most), wanted) << most << " at a time";
    }
  }
}

/// The sum over rows of a difference squared is what a list of differences gives.
TEST(PairedLosses, GiveMeansAndPairedErrorsOfTheRows) {
  const auto set = testing_data::make_synthetic(2500, 3);
  const Calibrator plain = fit(parse_method("uncalibrated"), set.data);
  const Calibrator warm = fit(parse_method("slts"), set.data);
  const RowAnswer found = answer({all_tags(), LossesTask{{plain, warm}, false}},
                                 {0, set.data.scores, &set.data.votes, {}});
  const PairedLosses losses(std::get<State>(found).sums.total(), 2);
  MetricOptions options;
  options.keep_rows = true;
  std::vector<double> gap;
  const Evaluation before = score(plain, set.data, options), after = score(warm, set.data, options);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < 2500; ++i) {
    gap.push_back(examples(before).nll[i] - examples(after).nll[i]);
    sum += gap.back();
  }
  for (const double one : gap) squares += (one - sum / 2500) * (one - sum / 2500);
  const auto [mean, error] = losses.lead(1, 0);
  // Logarithms and the order of additions differ in the last digits.
  EXPECT_NEAR(mean, sum / 2500, 1e-13);
  EXPECT_NEAR(error, std::sqrt(squares / 2499 / 2500), 1e-11);
  EXPECT_NEAR(losses.of(0).mean, *before["nll"], 1e-13);
}

void expect_same_parts(const Calibrator& found, const Calibrator& wanted) {
  const auto ours = found.parts(), theirs = wanted.parts();
  ASSERT_EQ(ours.size(), theirs.size()) << wanted.method;
  for (std::size_t m = 0; m < theirs.size(); ++m) {
    EXPECT_EQ(ours[m].weight, theirs[m].weight) << wanted.method;
    ASSERT_EQ(ours[m].stages.size(), theirs[m].stages.size()) << wanted.method;
    for (std::size_t t = 0; t < theirs[m].stages.size(); ++t) {
      EXPECT_EQ(ours[m].stages[t].theta, theirs[m].stages[t].theta) << wanted.method;
    }
  }
}

void expect_same_estimates(const std::vector<Estimate>& found,
                           const std::vector<Estimate>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t m = 0; m < wanted.size(); ++m) {
    EXPECT_EQ(found[m].value, wanted[m].value) << wanted[m].name;
    // Only all rows together give equally filled bins an interval.
    if (wanted[m].name.starts_with("aece")) continue;
    EXPECT_EQ(found[m].low, wanted[m].low) << wanted[m].name;
    EXPECT_EQ(found[m].high, wanted[m].high) << wanted[m].name;
  }
}

void expect_same_comparison(const Comparison& found, const Comparison& wanted) {
  ASSERT_EQ(found.splits.size(), wanted.splits.size());
  for (std::size_t s = 0; s < wanted.splits.size(); ++s) {
    const SplitResult &a = found.splits[s], &b = wanted.splits[s];
    EXPECT_EQ(a.recommended, b.recommended);
    EXPECT_EQ(a.candidate, b.candidate);
    EXPECT_EQ(a.why, b.why);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.decisions, b.decisions);
    EXPECT_EQ(a.calibration_rows, b.calibration_rows);
    ASSERT_EQ(a.methods.size(), b.methods.size());
    for (std::size_t j = 0; j < b.methods.size(); ++j) {
      const MethodResult &x = a.methods[j], &y = b.methods[j];
      EXPECT_EQ(x.name, y.name);
      expect_same_parts(x.calibrator, y.calibrator);
      EXPECT_EQ(x.cross_validation.nll, y.cross_validation.nll) << y.name;
      EXPECT_EQ(x.cross_validation.standard_error, y.cross_validation.standard_error) << y.name;
      EXPECT_EQ(x.changed_predictions, y.changed_predictions) << y.name;
      for (const Metric& metric : metric_table()) {
        EXPECT_EQ(x.evaluation[metric.name], y.evaluation[metric.name])
            << y.name << " " << metric.name;
      }
      expect_same_estimates(x.estimates, y.estimates);
      ASSERT_EQ(x.differences.size(), y.differences.size());
      for (std::size_t r = 0; r < y.differences.size(); ++r) {
        expect_same_estimates(x.differences[r], y.differences[r]);
      }
    }
    EXPECT_EQ(a.resampled_units, b.resampled_units);
  }
  ASSERT_EQ(found.final_calibrators.size(), wanted.final_calibrators.size());
  for (std::size_t j = 0; j < wanted.final_calibrators.size(); ++j) {
    expect_same_parts(found.final_calibrators[j], wanted.final_calibrators[j]);
  }
  EXPECT_EQ(found.calibration.votes_per_example, wanted.calibration.votes_per_example);
  EXPECT_EQ(found.evaluation.mean_entropy, wanted.evaluation.mean_entropy);
  EXPECT_EQ(found.evaluation.agreement.krippendorff_alpha,
            wanted.evaluation.agreement.krippendorff_alpha);
  EXPECT_EQ(found.warnings, wanted.warnings);
}

TEST(CompareElsewhere, HasTheBitsOfTheComparisonInMemory) {
  const auto set = testing_data::make_synthetic(5200, 4);
  CompareOptions options;
  options.bootstrap.resamples = 40;
  options.oracle = options.final_fit = true;
  options.seeds = {42, 7};
  options.metrics.draws = 10;
  const Comparison wanted = compare(set.data, options);
  ASSERT_NE(wanted.splits.front().find("auto"), nullptr);
  DatasetRows source(set.data);
  SourceWorker worker(source, 2);
  expect_same_comparison(compare(worker, options), wanted);
  CutRows cut(set.data, {0, 900, 3333, 5200});
  RowsInPieces pieces(cut.size(), cut.transport());
  expect_same_comparison(compare(pieces, options), wanted);
}

TEST(CompareElsewhere, HasTheSameBitsWhereFitsWaitForEachOther) {
  const auto set = testing_data::make_synthetic(1500, 3);
  CompareOptions options;
  options.bootstrap.resamples = 33;
  options.methods = {"dirichlet-soft", "auto", "auto-single"};
  options.metrics.draws = 10;
  RowsElsewhere little;
  little.sums_bytes = 1000;
  DatasetRows source(set.data);
  SourceWorker worker(source);
  expect_same_comparison(compare(worker, options, little), compare(set.data, options));
}

TEST(CompareElsewhere, RefusesMoreFoldsThanTwoKindsOfThemLeaveTagsFor) {
  const auto set = testing_data::make_synthetic(1500, 3);
  CompareOptions options;
  options.bootstrap.resamples = 0;
  options.methods = {"ts", "auto"};
  options.folds = 52;
  DatasetRows source(set.data);
  SourceWorker worker(source);
  EXPECT_THROW(compare(worker, options), Error);
  options.methods = {"ts"};
  EXPECT_EQ(compare(worker, options).splits.size(), 1U);
}

TEST(AutoElsewhere, HasTheBitsOfTheChoiceInMemoryInPiecesOfAnyLength) {
  const auto set = testing_data::make_synthetic(3300, 4);
  const Calibrator wanted = fit_auto(parse_method("auto"), set.data).calibrator;
  struct Way {
    std::vector<std::size_t> cuts;
    std::size_t bytes;  ///< with few, a fit with a matrix waits for the others
  };
  for (const Way& way : {Way{{0, 3300}, 100'000}, Way{{0, 7, 900, 2333, 3300}, kSumsBytes},
                         Way{{0, 1024, 2048, 2050, 3300}, 100'000}}) {
    CutRows cut(set.data, way.cuts);
    RowsInPieces pieces(cut.size(), cut.transport());
    const Calibrator found = fit_auto(parse_method("auto"), pieces, {}, {}, way.bytes).calibrator;
    expect_same_parts(found, wanted);
    EXPECT_EQ(found.selection->nll, wanted.selection->nll);
    EXPECT_EQ(found.selection->harm, wanted.selection->harm);
  }
}

TEST(CompareElsewhere, LeavesOutStepsThatDoNotFitAndSaysSo) {
  const auto set = testing_data::make_synthetic(1500, 3);
  CompareOptions options;
  options.bootstrap.resamples = 0;
  options.methods = {"ts", "ir-soft"};
  DatasetRows source(set.data);
  SourceWorker worker(source);
  RowsElsewhere little;
  little.sums_bytes = 1000;
  const Comparison found = compare(worker, options, little);
  EXPECT_EQ(found.splits.front().find("ir-soft"), nullptr);
  EXPECT_NE(found.splits.front().find("ts"), nullptr);
  EXPECT_THAT(found.warnings.front(), HasSubstr("left out: ir-soft"));
}

TEST(CompareElsewhere, RefusesWhatNeedsAllRowsAtOnce) {
  const auto set = testing_data::make_synthetic(300, 3);
  DatasetRows source(set.data);
  SourceWorker worker(source);
  CompareOptions options;
  options.refits = 10;
  EXPECT_THROW(compare(worker, options), Error);
}

}  // namespace
}  // namespace credence
