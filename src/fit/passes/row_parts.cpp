#include "credence/row_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "dataset/gathered_rows.hpp"

namespace credence {
namespace {

using dataset::GatheredRows;

void add(const RowBlock& block, const RowPart& part, GatheredRows& rows) {
  rows.add(block.scores, block.votes, block.keys,
           [&](std::size_t i) { return part.keeps(block.first + i); });
}

/// Calls use(block) with the whole blocks that are there, at the end with all rows.
template <class Use>
void give(GatheredRows& rows, bool at_end, const Use& use) {
  rows.give(at_end, [&](std::size_t first, Scores scores, const Votes* votes,
                        std::span<const std::uint64_t> keys) {
    use(RowBlock{first, scores, votes, keys});
  });
}

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
    give(gathered[p], at_end, [&](const RowBlock& block) {
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
      add(block, parts[p], gathered[p]);
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
      add(block, *part, rows);
      give(rows, false,
           [&answer, &of_part = answers](const RowBlock& blocks) { answer(of_part, blocks); });
    }
  }
  for (auto& [part, answers] : asking) {
    give(gathered.at(part), true,
         [&answer, &of_part = answers](const RowBlock& blocks) { answer(of_part, blocks); });
    for (Answering& one : answers) one.solver->tell(merge(std::move(one.pieces)));
  }
  return true;
}

}  // namespace credence
