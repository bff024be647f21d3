#include "experiment/rows/fits_in_passes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "credence/error.hpp"

namespace credence::experiment {
namespace {

const Request* asked_by(const RowFit& fit) { return fit.solver ? fit.solver->next() : nullptr; }

/// What an answer takes before its pieces are put together. Of a Hessian, half is sent.
std::size_t answer_bytes(const Request& request, std::size_t nodes, std::size_t rows) {
  if (request.sums == Request::Sums::top_labels) return 4 * sizeof(double) * rows;
  const std::size_t parameters = 1 + request.theta.size();
  const bool square =
      request.sums == Request::Sums::curvature || request.sums == Request::Sums::curvature_fast;
  return nodes * sizeof(double) * (square ? parameters * (1 + parameters) / 2 : parameters);
}

}  // namespace

std::size_t listed_bytes(const MethodSpec& method, std::size_t rows) {
  const bool lists = std::ranges::any_of(method.stages, [](const MethodSpec::StageSpec& stage) {
    return std::holds_alternative<TopLabelIsotonic>(stage.map);
  });
  return lists ? 4 * sizeof(double) * rows : 0;
}

RowFit::RowFit(const MethodSpec& method, const RowsInfo& info, const TagSet& part,
               const FitOptions& options)
    : solver(std::make_unique<Solver>(method, info, options)), rows(part), row_count(info.rows) {}

void finish(std::span<RowFit* const> fits, bool strict, RowWorker& rows, const PassLimits& limits) {
  const std::size_t nodes = rows.nodes();
  for (int passes = 1;; ++passes) {
    std::vector<RowTask> tasks;
    std::vector<RowFit*> asking;
    std::size_t left = limits.sums_bytes;
    for (RowFit* const one : fits) {
      const Request* const request = asked_by(*one);
      if (request == nullptr) continue;
      const std::size_t bytes = answer_bytes(*request, nodes, one->row_count);
      if (bytes > left && !tasks.empty()) continue;
      left -= std::min(left, bytes);
      tasks.push_back({one->rows, *request});
      asking.push_back(one);
    }
    if (tasks.empty()) return;
    std::vector<RowAnswer> answers = rows.work(tasks);
    for (std::size_t i = 0; i < asking.size(); ++i) {
      try {
        asking[i]->solver->tell(std::get<State>(std::move(answers[i])));
      } catch (const Error& error) {
        if (strict || error.code() == ErrorCode::cancelled) throw;
        asking[i]->problem = error.what();
        asking[i]->solver.reset();
      }
    }
    if (!limits.after_pass) continue;
    const auto done =
        std::ranges::count_if(fits, [](const RowFit* one) { return asked_by(*one) == nullptr; });
    limits.after_pass(static_cast<std::size_t>(done), passes);
  }
}

}  // namespace credence::experiment
