// Folds of rows in memory: fits run side by side, a thread each.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "credence/split.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/rows/loss_sums.hpp"

namespace credence::experiment {
namespace {

class MemoryFolds final : public FoldWork {
 public:
  MemoryFolds(const Dataset& data, const FitOptions& options, const AutoProgress& progress,
              std::size_t fits)
      : data_(data),
        options_(options),
        progress_(progress),
        fits_(static_cast<double>(fits)),
        threads_(core::resolve_threads(options.threads)),
        many_(data.rows() >= kManyRows) {
    deal();
    if (folds_ < 2 || many_) return;
    judge_.resize(folds_);
    core::parallel_for(threads_, folds_, [&](std::size_t f) { judge_[f] = rows_of(f, true); });
  }

  RowsInfo info() const override { return info_of(data_); }
  std::uint32_t folds() const override { return folds_; }
  const std::vector<std::uint32_t>& fold_of_rows() const override { return fold_; }
  bool has_groups() const override { return !data_.groups.empty(); }
  std::vector<std::string> notes() const override { return notes_; }

  std::vector<FitOutcome> fit(const std::vector<FitJob>& jobs) override {
    // Few rows: fits side by side, a thread each, the last ones first, which take longest; only a
    // few fits of them one after the other, by all threads. So are fits of many rows, and these are
    // held for one fit at a time.
    std::vector<FitOutcome> found(jobs.size());
    std::vector<Dataset> learn(many_ ? 0 : folds_);
    if (!many_) make_learn(jobs, learn);
    Dataset own_rows;
    FoldRows are;
    const bool by_all = many_ || (jobs.size() < kFewJobs && data_.scores.size() >= kManyNumbers);
    core::parallel_for(by_all ? 1 : threads_, jobs.size(), [&](std::size_t i) {
      const std::size_t j = many_ ? i : jobs.size() - 1 - i;
      const FitJob& job = jobs[j];
      const auto [without, only] = job.rows;
      if (many_ && !job.rows.all() && are != job.rows) {
        own_rows = {};
        own_rows = without != kNoFold ? rows_of(without, false) : rows_of(only, true);
        are = job.rows;
      }
      const Dataset& rows = job.rows.all()       ? data_
                            : many_              ? own_rows
                            : without != kNoFold ? learn[without]
                                                 : judge_[only];
      FitOptions own = options_;
      own.threads = by_all ? threads_ : 1;
      own.progress = {};
      own.start = job.start;
      own.start_curvature = job.curvature;
      if (job.front != nullptr) own.fitted = job.front->stages;
      if (job.roughly) own.gradient_tolerance = kFoldTolerance;
      try {
        found[j].calibrator =
            credence::fit(fitted_to(*job.method, rows.evidence()), rows, own, found[j].curvature);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::cancelled) throw;
        found[j].problem = error.what();
      }
      step();
    });
    return found;
  }

  void lose(const std::vector<std::vector<Calibrator>>& by_fold) override {
    std::size_t m = 0;
    for (const auto& of_fold : by_fold) m = std::max(m, of_fold.size());
    if (data_.groups.empty()) {
      sums_.assign(folds_, {});
      core::parallel_for(threads_, folds_, [&](std::size_t f) {
        if (by_fold[f].empty()) return;
        const Dataset own = many_ ? rows_of(f, true) : Dataset{};
        const Dataset& judge = many_ ? own : judge_[f];
        const RowTask task{all_tags(), LossesTask{by_fold[f], false}};
        const RowAnswer answered = answer(task, {0, judge.scores, &judge.votes});
        sums_[f] = PairedLosses(std::get<State>(answered).sums.total(), m);
      });
      return;
    }
    nll_.assign(m, std::vector<double>(data_.rows()));
    core::parallel_for(threads_, folds_ * m, [&](std::size_t piece) {
      const std::size_t f = piece / m, c = piece % m;
      const Dataset held = many_ ? rows_of(f, true) : Dataset{};
      const Dataset& judge = many_ ? held : judge_[f];
      std::vector<double> own(judge.rows());
      row_losses(by_fold[f][c], judge.scores, judge.votes, 0, own, {});
      std::size_t next = 0;
      for (std::size_t i = 0; i < fold_.size(); ++i) {
        if (fold_[i] == f) nll_[c][i] = own[next++];
      }
    });
  }

  LossTable table(std::uint32_t without) const override {
    if (!data_.groups.empty()) return table_of(nll_, fold_, data_.groups, without);
    return table_without(sums_, without);
  }

 private:
  /// From so many on, a pass is work enough for all threads.
  static constexpr std::size_t kManyRows = 65536;
  /// So few fits side by side would soon wait for the longest of them, and of so many numbers
  /// threads can share each.
  static constexpr std::size_t kFewJobs = 6, kManyNumbers = std::size_t{1} << 18U;

  /// A fold, or all rows but the fold.
  Dataset rows_of(std::size_t fold, bool inside) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < fold_.size(); ++i) {
      if ((fold_[i] == fold) == inside) rows.push_back(i);
    }
    return data_.select(rows);
  }

  void make_learn(const std::vector<FitJob>& jobs, std::vector<Dataset>& learn) const {
    core::parallel_for(threads_, folds_, [&](std::size_t f) {
      const auto wants = [&](const FitJob& job) { return job.rows.without == f; };
      if (std::ranges::any_of(jobs, wants)) learn[f] = rows_of(f, false);
    });
  }

  void deal() {
    const bool votes = data_.votes.rows() > 0;
    if (!votes || data_.rows() < 2) return;
    fold_ = make_folds(data_, kAutoFolds, kAutoSeed);
    std::uint32_t used = *std::ranges::max_element(fold_) + 1;
    if (used < 2 && !data_.groups.empty()) {
      notes_.push_back(
          "all rows are of one group: rows were held out one by one, which shows less "
          "of how new groups differ");
      RowLabels labels(data_.classes_count());
      for (const std::uint32_t label : data_.votes.voted()) labels.push_back(label);
      fold_ = label_folds(labels, kAutoFolds, kAutoSeed);
      used = *std::ranges::max_element(fold_) + 1;
    }
    folds_ = used;
  }

  void step() {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    if (!progress_(std::min(1.0, static_cast<double>(++done_) / fits_))) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

  const Dataset& data_;
  const FitOptions& options_;
  const AutoProgress& progress_;
  double fits_;
  int threads_;
  bool many_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::uint32_t folds_ = 0;
  std::vector<std::uint32_t> fold_;
  std::vector<std::string> notes_;
  std::vector<Dataset> judge_;  ///< the rows of each fold, where they are few
  std::vector<PairedLosses> sums_;
  std::vector<std::vector<double>> nll_;
};

}  // namespace

std::unique_ptr<FoldWork> folds_in_memory(const Dataset& data, const FitOptions& options,
                                          const AutoProgress& progress, std::size_t fits) {
  return std::make_unique<MemoryFolds>(data, options, progress, fits);
}

}  // namespace credence::experiment
