// Comparing on rows that are read in passes.
#include <utility>

#include "credence/aligned_calibrator.hpp"
#include "credence/comparison_run.hpp"
#include "credence/overlap.hpp"
#include "credence/report.hpp"
#include "dataset/fingerprint.hpp"
#include "io/source/vote_facts.hpp"

namespace credence::report {
namespace {

/// Calls use(block, rows of it that calibrate) for one pass.
template <class Use>
void for_each_calibrating(RowSource& rows, std::span<const std::uint8_t> tags, const Use& use) {
  rows.rewind();
  std::vector<std::size_t> chosen;
  for (RowBlock block; rows.next(block);) {
    chosen.clear();
    for (std::size_t i = 0; i < block.scores.rows(); ++i) {
      if (tags[block.first + i] != 0) chosen.push_back(i);
    }
    if (!chosen.empty()) use(block, chosen);
  }
}

/// What calibrator files record of the rows that calibrate.
io::DataFacts facts_of_calibration(RowSource& rows, std::span<const std::uint8_t> tags) {
  const RowsInfo info = rows.info();
  io::DataFacts facts;
  facts.classes = info.classes;
  facts.class_names = info.class_names;
  for (const std::uint8_t tag : tags) facts.rows += tag != 0 ? 1 : 0;
  Fingerprint print;
  RowSketcher sketch;
  io::VoteFacts votes;
  std::vector<float> gathered;
  for_each_calibrating(rows, tags, [&](const RowBlock& block, const auto& chosen) {
    gathered.clear();
    for (const std::size_t i : chosen) {
      const auto row = block.scores.row(i);
      gathered.insert(gathered.end(), row.begin(), row.end());
    }
    const Scores scores(gathered.data(), chosen.size(), info.classes);
    print.add(scores);
    sketch.add(scores);
    const Votes picked = block.votes->select(chosen);
    print.add(picked);
    votes.add(picked);
  });
  votes.finish(facts);
  facts.fingerprint = fingerprint_of(print.scores(), print.votes(), facts.rows, facts.classes,
                                     facts.rows, facts.class_names);
  facts.sketch = sketch.finish();
  return facts;
}

}  // namespace

ComparisonInPasses run_comparison(RowWorker& rows, RowsElsewhere limits,
                                  const CalibrationFacts& facts_of, const CompareOptions& options,
                                  const Provenance& origin, const std::string& order_doubt) {
  ComparisonInPasses found;
  limits.split_made = [&](std::size_t split, std::span<const std::uint8_t> tags) {
    if (split == 0) found.calibration = facts_of(tags);
  };
  found.run.comparison = compare(rows, options, limits);
  found.calibration.evidence = found.run.comparison.calibration.evidence;
  std::vector<std::string>& warnings = found.run.comparison.warnings;
  if (!order_doubt.empty()) warnings.insert(warnings.begin(), order_doubt);
  found.run.results = results_of(found.run.comparison, origin);
  return found;
}

ComparisonInPasses run_comparison(const io::FileRows& files, RowSource& rows, std::size_t memory,
                                  const CompareOptions& options, const Provenance& origin) {
  SourceWorker worker(rows, options.threads);
  RowsElsewhere limits;
  limits.listed_bytes = memory / 2;
  limits.sums_bytes = memory / 4;
  return run_comparison(
      worker, std::move(limits),
      [&](std::span<const std::uint8_t> tags) { return facts_of_calibration(rows, tags); }, options,
      origin, files.join().order_doubt);
}

std::vector<NamedText> comparison_files(const ComparisonInPasses& found, const io::DataFacts& all,
                                        ScoreKind kind) {
  const std::uint64_t seed = found.run.comparison.splits.front().seed;
  return comparison_files(found.run, io::calibrator_info(found.calibration, kind, seed),
                          [&] { return io::calibrator_info(all, kind, seed); });
}

}  // namespace credence::report
