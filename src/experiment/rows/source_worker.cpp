#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "experiment/rows/part_rows.hpp"

namespace credence {
namespace experiment {

void GrowingAnswer::add(RowAnswer next) {
  if (auto* const sums = std::get_if<EvaluationSums>(&next); sums != nullptr && !empty()) {
    gather_resamples(*sums, std::get<EvaluationSums>(held_.front().answer));
  }
  held_.push_back({std::move(next), 0});
  while (held_.size() > 1 && held_[held_.size() - 2].level == held_.back().level) {
    Held right = std::move(held_.back());
    held_.pop_back();
    Held& left = held_.back();
    std::vector<RowAnswer> both;
    both.push_back(std::move(left.answer));
    both.push_back(std::move(right.answer));
    left = {merge_answers(std::move(both)), left.level + 1};
  }
}

RowAnswer GrowingAnswer::take() {
  std::vector<RowAnswer> all;
  for (Held& held : held_) all.push_back(std::move(held.answer));
  held_.clear();
  return merge_answers(std::move(all));
}

std::vector<PartTasks> by_part(std::span<const RowTask> tasks) {
  std::vector<PartTasks> parts;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto found = std::ranges::find(parts, tasks[i].rows, &PartTasks::rows);
    if (found == parts.end()) found = parts.insert(found, {tasks[i].rows, {}});
    found->tasks.push_back(i);
  }
  return parts;
}

void answer_block(std::span<const RowTask> all, const PartTasks& part, const RowBlock& rows,
                  int threads, std::span<GrowingAnswer> answers) {
  const auto team = static_cast<std::size_t>(threads);
  const std::size_t count = part.tasks.size();
  // As many tasks as go evenly on the threads run side by side; the rest share out their blocks.
  const std::size_t together = count / team * team;
  core::parallel_for(threads, together, [&](std::size_t j) {
    answers[part.tasks[j]].add(answer(all[part.tasks[j]], rows, 1));
  });
  for (std::size_t j = together; j < count; ++j) {
    answers[part.tasks[j]].add(answer(all[part.tasks[j]], rows, threads));
  }
}

}  // namespace experiment

RowLabels SourceWorker::labels() {
  RowLabels all(info().classes);
  all.reserve(info().rows);
  source_->rewind();
  for (RowBlock block; source_->next(block);) {
    for (const std::uint32_t label : block.votes->voted()) all.push_back(label);
  }
  return all;
}

std::vector<RowAnswer> SourceWorker::work(std::span<const RowTask> tasks) {
  const int threads = core::resolve_threads(threads_);
  const std::vector<experiment::PartTasks> parts = experiment::by_part(tasks);
  std::vector<experiment::GrowingAnswer> answers(tasks.size());
  std::vector<dataset::GatheredRows> gathered(parts.size(),
                                              dataset::GatheredRows(source_->info().classes));
  const auto give = [&](std::size_t p, bool at_end) {
    gathered[p].give(at_end, [&](std::size_t first, Scores scores, const Votes* votes,
                                 std::span<const std::uint64_t> keys) {
      experiment::answer_block(tasks, parts[p], {first, scores, votes, keys}, threads, answers);
    });
  };
  source_->rewind();
  for (RowBlock block; source_->next(block);) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (experiment::takes_all(parts[p].rows, tags_)) {
        experiment::answer_block(tasks, parts[p], block, threads, answers);
        continue;
      }
      gathered[p].add(block.scores, block.votes, block.keys, [&](std::size_t i) {
        return parts[p].rows[tags_.empty() ? 0 : tags_[block.first + i]];
      });
      give(p, false);
    }
  }
  std::vector<RowAnswer> results;
  for (std::size_t p = 0; p < parts.size(); ++p) give(p, true);
  for (experiment::GrowingAnswer& one : answers) {
    if (one.empty()) throw Error(ErrorCode::data, "a task is about tags that no row has");
    results.push_back(one.take());
  }
  return results;
}

}  // namespace credence
