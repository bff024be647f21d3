// Folds of rows that somebody else has: all fits ask in the same passes.
#include <algorithm>
#include <list>
#include <utility>

#include "credence/error.hpp"
#include "credence/split.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"

namespace credence::experiment {
namespace {

class WorkerFolds final : public FoldWork {
 public:
  WorkerFolds(RowWorker& rows, TaggedFolds folds, const FitOptions& options, PassLimits limits)
      : rows_(rows), folds_(std::move(folds)), options_(options), limits_(std::move(limits)) {
    if (folds_.folds.size() < 2) folds_.folds.clear();
    std::vector<TagSet> parts;
    for (const TagSet& fold : folds_.folds) parts.push_back(folds_.all & ~fold);
    parts.insert(parts.end(), folds_.folds.begin(), folds_.folds.end());
    if (parts.empty()) return;
    without_ = infos_of(rows, parts);
    const auto folds_from = without_.begin() + static_cast<std::ptrdiff_t>(folds_.folds.size());
    only_.assign(folds_from, without_.end());
  }

  RowsInfo info() const override { return folds_.info; }
  std::uint32_t folds() const override { return static_cast<std::uint32_t>(folds_.folds.size()); }
  const std::vector<std::uint32_t>& fold_of_rows() const override { return folds_.of_rows; }

  std::vector<FitOutcome> fit(const std::vector<FitJob>& jobs) override {
    std::vector<FitOutcome> found(jobs.size());
    std::list<RowFit> fits;
    std::vector<RowFit*> of_job(jobs.size(), nullptr), asking;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      try {
        fits.push_back(started(jobs[j]));
        asking.push_back(of_job[j] = &fits.back());
      } catch (const Error& error) {
        found[j].problem = error.what();
      }
    }
    PassLimits own = limits_;
    if (own.after_pass) {
      own.after_pass = [&](std::size_t done, int passes) {
        limits_.after_pass(fits_done_ + done, passes);
      };
    }
    finish(asking, false, rows_, own);
    fits_done_ += jobs.size();
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (of_job[j] == nullptr) continue;
      found[j].problem = of_job[j]->problem;
      if (!of_job[j]->solver) continue;
      found[j].calibrator = of_job[j]->solver->result();
      found[j].curvature = of_job[j]->solver->curvature();
    }
    return found;
  }

  void lose(const std::vector<std::vector<Calibrator>>& by_fold) override {
    std::vector<RowTask> tasks;
    std::vector<std::size_t> fold_of;
    for (std::size_t f = 0; f < folds_.folds.size(); ++f) {
      if (by_fold[f].empty()) continue;
      tasks.push_back({folds_.folds[f], LossesTask{by_fold[f], false}});
      fold_of.push_back(f);
    }
    sums_.assign(folds_.folds.size(), {});
    const std::vector<RowAnswer> answers = rows_.work(tasks);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      sums_[fold_of[i]] =
          PairedLosses(std::get<State>(answers[i]).sums.total(), by_fold[fold_of[i]].size());
    }
  }

  LossTable table(std::uint32_t without) const override { return table_without(sums_, without); }

 private:
  RowFit started(const FitJob& job) const {
    const auto [without, only] = job.rows;
    const RowsInfo& info = job.rows.all()       ? folds_.info
                           : without != kNoFold ? without_[without]
                                                : only_[only];
    const TagSet rows = job.rows.all()       ? folds_.all
                        : without != kNoFold ? folds_.all & ~folds_.folds[without]
                                             : folds_.folds[only];
    FitOptions own = options_;
    own.progress = {};
    own.start = job.start;
    own.start_curvature = job.curvature;
    if (job.front != nullptr) own.fitted = job.front->stages;
    if (job.roughly) own.gradient_tolerance = kFoldTolerance;
    return {fitted_to(*job.method, info.evidence), info, rows, own};
  }

  RowWorker& rows_;
  TaggedFolds folds_;
  const FitOptions& options_;
  PassLimits limits_;
  std::vector<RowsInfo> without_, only_;  ///< each fold
  std::size_t fits_done_ = 0;
  std::vector<PairedLosses> sums_;
};

}  // namespace

TaggedFolds deal_rows(RowWorker& rows) {
  TaggedFolds dealt{rows.info()};
  if (dealt.info.rows < 2 || dealt.info.evidence == Evidence::none) return dealt;
  dealt.of_rows = label_folds(rows.labels(), kAutoFolds, kAutoSeed);
  const std::uint32_t used = *std::ranges::max_element(dealt.of_rows) + 1;
  std::vector<std::uint8_t> tags;
  tags.reserve(dealt.of_rows.size());
  for (const std::uint32_t f : dealt.of_rows) tags.push_back(static_cast<std::uint8_t>(f));
  rows.tag(std::move(tags));
  for (std::uint32_t f = 0; f < used; ++f) {
    dealt.folds.push_back(with_tags({static_cast<std::uint8_t>(f)}));
  }
  return dealt;
}

std::unique_ptr<FoldWork> folds_elsewhere(RowWorker& rows, TaggedFolds folds,
                                          const FitOptions& options, PassLimits limits) {
  return std::make_unique<WorkerFolds>(rows, std::move(folds), options, std::move(limits));
}

}  // namespace credence::experiment
