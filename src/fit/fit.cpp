// Drivers: they answer what solvers ask from rows in memory, or from a source of rows.
#include "credence/fit.hpp"

#include <string>
#include <variant>

#include "credence/error.hpp"
#include "credence/row_parts.hpp"
#include "credence/solver.hpp"
#include "fit/passes/row_passes.hpp"
#include "fit/stage_fit.hpp"

namespace credence {

Stage fit_stage(const MapSpec& map, const Dataset& data, const Targets& targets,
                const FitOptions& options) {
  if (!std::holds_alternative<Identity>(map) && targets.rows() != data.rows()) {
    throw Error(ErrorCode::data, "there are " + std::to_string(data.rows()) +
                                     " rows of scores but targets for " +
                                     std::to_string(targets.rows()));
  }
  fit_detail::Desk desk;
  fit_detail::Problem problem{{}, data.rows(), data.classes_count(), &options, &desk};
  problem.about.map = map;
  problem.about.gauge = options.gauge;
  fit_detail::RowPasses rows(data.scores, targets, problem.spread());
  return fit_detail::run_with(fit_detail::fit_stage(problem, {}), desk, rows);
}

Calibrator fit(const MethodSpec& method, const Dataset& data, const FitOptions& options) {
  std::shared_ptr<const FitCurvature> unused;
  return fit(method, data, options, unused);
}

Calibrator fit(const MethodSpec& method, const Dataset& data, const FitOptions& options,
               std::shared_ptr<const FitCurvature>& curvature) {
  fit_detail::refuse_automatic(method);
  Solver solver(method, info_of(data), options);
  const std::vector<std::uint64_t> keys = row_keys(data);
  fit_detail::RowPasses rows({0, data.scores, &data.votes, keys},
                             {options.threads, options.chunk_rows}, true, data.first_look.get());
  while (const Request* request = solver.next()) solver.tell(rows.answer(*request));
  curvature = solver.curvature();
  return solver.result();
}

bool wants_first_look(const MethodSpec& method) {
  return method.automatic == Automatic::no && !method.stages.empty() &&
         std::holds_alternative<TopLabelIsotonic>(method.stages.front().map);
}

DatasetRows::DatasetRows(const Dataset& data) : data_(&data), keys_(row_keys(data)) {}

bool DatasetRows::next(RowBlock& rows) {
  if (given_ || data_->rows() == 0) return false;
  given_ = true;
  rows = {0, data_->scores, data_->votes.rows() == 0 ? nullptr : &data_->votes, keys_};
  return true;
}

bool pass(std::span<Solver* const> solvers, RowSource& source, int threads) {
  std::vector<PartSolver> all;
  for (Solver* const solver : solvers) all.push_back({solver});
  return pass(all, source, threads);
}

std::vector<Calibrator> fit(std::span<const MethodSpec> methods, RowSource& source,
                            const FitOptions& options) {
  std::vector<Solver> solvers;
  for (const MethodSpec& method : methods) solvers.emplace_back(method, source.info(), options);
  std::vector<Solver*> asked;
  for (Solver& solver : solvers) asked.push_back(&solver);
  while (pass(asked, source, options.threads)) {
  }
  std::vector<Calibrator> fitted;
  for (const Solver& solver : solvers) fitted.push_back(solver.result());
  return fitted;
}

}  // namespace credence
