#include "credence/row_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace credence {
namespace {

/// The rows of a part that wait until they fill blocks.
class GatheredRows {
 public:
  explicit GatheredRows(std::size_t classes) : classes_(classes) {}

  void add(const RowBlock& block, const RowPart& part) {
    for (std::size_t i = 0; i < block.scores.rows(); ++i) {
      if (!part.keeps(block.first + i)) continue;
      const auto row = block.scores.row(i);
      scores_.insert(scores_.end(), row.begin(), row.end());
      if (!block.keys.empty()) keys_.push_back(block.keys[i]);
      if (block.votes != nullptr) {
        const VoteRow votes = block.votes->row(i);
        entry_classes_.insert(entry_classes_.end(), votes.classes.begin(), votes.classes.end());
        entry_weights_.insert(entry_weights_.end(), votes.weights.begin(), votes.weights.end());
        offsets_.push_back(entry_classes_.size());
      }
      ++rows_;
    }
  }

  /// Calls use(block) with the whole blocks that are there, at the end with all rows, and forgets
  /// them.
  template <class Use>
  void give(bool at_end, const Use& use) {
    const std::size_t count = at_end ? rows_ : rows_ / kBlockRows * kBlockRows;
    if (count == 0) return;
    Votes votes;
    if (offsets_.size() > 1) {
      const auto entries = static_cast<std::ptrdiff_t>(offsets_[count]);
      votes = Votes::from_compressed(
          {offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(count) + 1},
          {entry_classes_.begin(), entry_classes_.begin() + entries},
          {entry_weights_.begin(), entry_weights_.begin() + entries}, classes_);
    }
    const std::span<const std::uint64_t> keys(keys_);
    use(RowBlock{first_, Scores(scores_.data(), count, classes_),
                 votes.rows() == 0 ? nullptr : &votes, keys.empty() ? keys : keys.first(count)});
    forget(count);
  }

 private:
  template <class T>
  static void drop(std::vector<T>& from, std::size_t count) {
    from.erase(from.begin(),
               from.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.size())));
  }
  void forget(std::size_t count) {
    if (offsets_.size() > 1) {
      const std::size_t entries = offsets_[count];
      drop(entry_classes_, entries);
      drop(entry_weights_, entries);
      drop(offsets_, count);
      for (std::size_t& offset : offsets_) offset -= entries;
    }
    drop(scores_, count * classes_);
    drop(keys_, count);
    first_ += count;
    rows_ -= count;
  }

  std::size_t classes_, rows_ = 0, first_ = 0;
  std::vector<float> scores_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> entry_classes_;
  std::vector<double> entry_weights_;
};

/// What a solver is told in the end.
struct Answering {
  Solver* solver;
  std::vector<State> pieces;

  void add(const RowBlock& block, int threads) {
    pieces.push_back(accumulate(*solver->next(), block, threads));
    // States stay small: neighbours are put together at once.
    if (pieces.size() == 2) pieces = {merge(std::move(pieces))};
  }
};

}  // namespace

std::vector<RowsInfo> infos_of(RowSource& source, std::span<const RowPart> parts) {
  const RowsInfo whole = source.info();
  std::vector<RowsInfo> infos(parts.size(), whole);
  std::vector<bool> ones(parts.size(), true), shares(parts.size(), false);
  for (RowsInfo& info : infos) info.rows = 0;
  std::vector<GatheredRows> gathered(parts.size(), GatheredRows(whole.classes));
  // Votes tell what evidence they are; together, the rows of a part are what all its blocks allow.
  const auto look = [&](std::size_t p, bool at_end) {
    gathered[p].give(at_end, [&](const RowBlock& block) {
      infos[p].rows += block.scores.rows();
      if (block.votes == nullptr) return;
      const bool are_shares = block.votes->are_shares();
      shares[p] = shares[p] || are_shares;
      ones[p] = ones[p] && (are_shares || block.votes->evidence() == Evidence::annotations);
    });
  };
  source.rewind();
  for (RowBlock block; source.next(block);) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      gathered[p].add(block, parts[p]);
      look(p, false);
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    look(p, true);
    // Scores alone and majority labels stay what they are.
    if (whole.evidence < Evidence::annotations) continue;
    infos[p].evidence = ones[p] && !shares[p] ? Evidence::annotations : Evidence::distributions;
    if (infos[p].rows == 0) infos[p].evidence = Evidence::none;
  }
  return infos;
}

bool pass(std::span<const PartSolver> solvers, RowSource& source, int threads) {
  std::map<const RowPart*, std::vector<Answering>> asking;
  for (const PartSolver& one : solvers) {
    if (one.solver->next() != nullptr) asking[one.part].push_back({one.solver, {}});
  }
  if (asking.empty()) return false;
  std::map<const RowPart*, GatheredRows> gathered;
  for (const auto& [part, answers] : asking) {
    gathered.emplace(part, GatheredRows(source.info().classes));
  }
  const auto answer = [&](std::vector<Answering>& answers, const RowBlock& block) {
    for (Answering& one : answers) one.add(block, threads);
  };
  source.rewind();
  for (RowBlock block; source.next(block);) {
    for (auto& [part, answers] : asking) {
      if (part == nullptr) {
        answer(answers, block);
        continue;
      }
      GatheredRows& rows = gathered.at(part);
      rows.add(block, *part);
      rows.give(false,
                [&answer, &of_part = answers](const RowBlock& blocks) { answer(of_part, blocks); });
    }
  }
  for (auto& [part, answers] : asking) {
    gathered.at(part).give(
        true, [&answer, &of_part = answers](const RowBlock& blocks) { answer(of_part, blocks); });
    for (Answering& one : answers) one.solver->tell(merge(std::move(one.pieces)));
  }
  return true;
}

}  // namespace credence
