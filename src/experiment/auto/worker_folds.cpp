// Folds of rows that somebody else has: all fits ask in the same passes.
#include <algorithm>
#include <optional>

#include "credence/error.hpp"
#include "credence/split.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"

namespace credence::experiment {
namespace {

class WorkerFolds final : public FoldWork {
 public:
  WorkerFolds(RowWorker& rows, const FitOptions& options) : rows_(rows), options_(options) {
    const RowsInfo whole = rows.info();
    if (whole.rows < 2 || whole.evidence == Evidence::none) {
      infos_ = {whole};
      return;
    }
    fold_ = label_folds(rows.labels(), kAutoFolds, kAutoSeed);
    folds_ = *std::ranges::max_element(fold_) + 1;
    std::vector<std::uint8_t> tags;
    for (const std::uint32_t f : fold_) tags.push_back(static_cast<std::uint8_t>(f));
    rows.tag(std::move(tags));
    std::vector<TagSet> parts;
    for (std::uint32_t f = 0; f < folds_; ++f) parts.push_back(rows_without(f));
    infos_ = infos_of(rows, parts);
    infos_.push_back(whole);
  }

  RowsInfo info() const override { return infos_.back(); }
  std::uint32_t folds() const override { return folds_; }
  const std::vector<std::uint32_t>& fold_of_rows() const override { return fold_; }

  std::vector<FitOutcome> fit(const std::vector<FitJob>& jobs) override {
    std::vector<FitOutcome> found(jobs.size());
    std::vector<std::optional<Solver>> solvers(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const FitJob& job = jobs[j];
      FitOptions own = options_;
      own.progress = {};
      own.start = job.start;
      if (job.without != kNoFold) own.gradient_tolerance = kFoldTolerance;
      const RowsInfo& info = job.without == kNoFold ? infos_.back() : infos_[job.without];
      tried(found[j],
            [&] { solvers[j].emplace(fitted_to(*job.method, info.evidence), info, own); });
      if (!found[j].problem.empty()) solvers[j].reset();
    }
    while (answer_all(jobs, solvers, found)) {
    }
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (solvers[j]) found[j].calibrator = solvers[j]->result();
    }
    return found;
  }

  void lose(const std::vector<std::vector<Calibrator>>& by_fold) override {
    std::vector<RowTask> tasks;
    for (std::uint32_t f = 0; f < folds_; ++f) {
      tasks.push_back({with_tags({static_cast<std::uint8_t>(f)}), LossesTask{by_fold[f], false}});
    }
    sums_.clear();
    for (const RowAnswer& answered : rows_.work(tasks)) {
      sums_.emplace_back(std::get<State>(answered).sums.total(), by_fold.front().size());
    }
  }

  LossTable table(std::uint32_t without) const override { return table_without(sums_, without); }

 private:
  static TagSet rows_without(std::uint32_t fold) { return all_tags().reset(fold); }

  template <class Step>
  static void tried(FitOutcome& outcome, const Step& step) {
    try {
      step();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      outcome.problem = error.what();
    }
  }

  /// One pass for all that still ask; a fit that fails leaves the others alone.
  bool answer_all(const std::vector<FitJob>& jobs, std::vector<std::optional<Solver>>& solvers,
                  std::vector<FitOutcome>& found) {
    std::vector<RowTask> tasks;
    std::vector<std::size_t> asking;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (!solvers[j] || solvers[j]->next() == nullptr) continue;
      const std::uint32_t without = jobs[j].without;
      tasks.push_back(
          {without == kNoFold ? all_tags() : rows_without(without), *solvers[j]->next()});
      asking.push_back(j);
    }
    if (tasks.empty()) return false;
    std::vector<RowAnswer> answers = rows_.work(tasks);
    for (std::size_t i = 0; i < asking.size(); ++i) {
      const std::size_t j = asking[i];
      tried(found[j], [&] { solvers[j]->tell(std::get<State>(std::move(answers[i]))); });
      if (!found[j].problem.empty()) solvers[j].reset();
    }
    return true;
  }

  RowWorker& rows_;
  const FitOptions& options_;
  std::uint32_t folds_ = 0;
  std::vector<std::uint32_t> fold_;
  std::vector<RowsInfo> infos_;  ///< without each fold; of all rows last
  std::vector<PairedLosses> sums_;
};

}  // namespace

std::unique_ptr<FoldWork> folds_elsewhere(RowWorker& rows, const FitOptions& options) {
  return std::make_unique<WorkerFolds>(rows, options);
}

}  // namespace credence::experiment
