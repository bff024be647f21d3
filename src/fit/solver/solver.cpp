#include "credence/solver.hpp"

#include "core/random.hpp"
#include "credence/error.hpp"
#include "fit/solver/desk.hpp"
#include "fit/solver/solver_log.hpp"
#include "fit/stage_fit.hpp"
#include "target/about.hpp"

namespace credence {
namespace {

using fit_detail::Desk;
using fit_detail::Problem;
using fit_detail::SolverLog;

/// Parameters worth beginning at: those of a minimum that was reached.
std::vector<double> good_start(const Calibrator& start, std::size_t place, const MethodSpec& method,
                               std::size_t classes) {
  const bool fits = start.stages.size() == method.stages.size() && start.class_count == classes &&
                    start.stages[place].map.index() == method.stages[place].map.index();
  if (!fits) {
    throw Error(ErrorCode::usage,
                "a fit of '" + method.name + "' with " + std::to_string(classes) +
                    " classes cannot start from a calibrator of '" + start.method + "' with " +
                    std::to_string(start.class_count) + " classes",
                "start from a fit of the same method to the same classes");
  }
  const Stage& stage = start.stages[place];
  const bool reached =
      stage.report.stop == Stop::converged || stage.report.stop == Stop::rounding_floor;
  return reached ? stage.theta : std::vector<double>{};
}

/// Everything a fit is about, so that states of another fit are recognised.
std::uint64_t label_of(const MethodSpec& method, const RowsInfo& rows, const FitOptions& options) {
  std::uint64_t label = core::row_of_name(method.name);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(rows.rows), static_cast<std::uint64_t>(rows.classes),
        options.seed, static_cast<std::uint64_t>(options.gauge)}) {
    label = core::mix64(label ^ part);
  }
  return label;
}

/// The smoothing weights that a target takes from all rows, or none.
core::Task<std::vector<double>> smoothing_weights(const Problem& problem) {
  if (target::doubt_sums(problem.about.target, problem.classes) == 0) {
    co_return std::vector<double>{};
  }
  Request request = problem.about;
  request.sums = Request::Sums::model_doubt;
  problem.desk->put(std::move(request));
  const State state = co_await *problem.desk;
  co_return target::epsilon_of(problem.about.target, state.sums.total(), problem.rows);
}

/// Stages that are done already are not fitted again.
core::Task<Calibrator> fit_method(SolverLog& log, Desk& desk,
                                  std::shared_ptr<const FitCurvature>& curvature) {
  const MethodSpec& method = log.method;
  const RowsInfo& info = log.rows;
  const FitOptions& options = log.options;
  Calibrator calibrator;
  calibrator.method = method.name;
  calibrator.gauge = options.gauge;
  calibrator.classes = info.class_names;
  calibrator.class_count = info.classes;
  calibrator.stages = log.done;
  for (std::size_t place = log.done.size(); place < method.stages.size(); ++place) {
    const MethodSpec::StageSpec& spec = method.stages[place];
    target::check_evidence(spec.target, info.evidence);
    std::vector<double> near;
    if (options.start != nullptr) near = good_start(*options.start, place, method, info.classes);
    Problem problem{{}, info.rows, info.classes, &options, &desk};
    problem.about.gauge = options.gauge;
    problem.about.seed = options.seed;
    problem.about.target = spec.target;
    problem.about.map = spec.map;
    problem.about.front = calibrator.stages;
    problem.about.epsilon = co_await smoothing_weights(problem);
    Stage stage = co_await fit_detail::fit_stage(problem, near, &curvature);
    calibrator.stages.push_back(std::move(stage));
    log.done = calibrator.stages;
    log.requests = desk.count();
    log.answers.clear();
  }
  co_return calibrator;
}

}  // namespace

RowsInfo info_of(const Dataset& data) {
  return {data.rows(), data.classes_count(), data.evidence(), data.classes};
}

struct Solver::Impl {
  SolverLog log;
  bool resumable;
  Desk desk;
  std::shared_ptr<const FitCurvature> curvature;
  core::Task<Calibrator> task;
  std::optional<Calibrator> result;

  Impl(SolverLog the_log, bool is_resumable)
      : log(std::move(the_log)),
        resumable(is_resumable),
        desk(label_of(log.method, log.rows, log.options)),
        task(fit_method(log, desk, curvature)) {
    desk.count_from(log.requests);
    if (log.start) log.options.start = &*log.start;
  }
  /// What was answered before goes in again.
  void run() {
    std::vector<fit_detail::Answer> told = log.answers;
    task.start();
    for (fit_detail::Answer& answer : told) {
      if (desk.asked() == nullptr) {
        throw Error(ErrorCode::data, "a solver that was told more than it asked",
                    "it was damaged on its way, or written by another version");
      }
      desk.answer(fit_detail::state_of(std::move(answer)));
    }
    finish_if_done();
  }
  void finish_if_done() {
    if (task.done()) result = task.result();
  }
};

void fit_detail::refuse_automatic(const MethodSpec& method) {
  if (method.automatic == Automatic::no) return;
  throw Error(ErrorCode::usage, "'" + method.name + "' is many fits, which one solver cannot make",
              "fit it without a checkpoint; in C++, with fit_any() of credence/auto_fit.hpp");
}

Solver::Solver(MethodSpec method, RowsInfo rows, const FitOptions& options, bool resumable) {
  fit_detail::refuse_automatic(method);
  SolverLog log;
  log.method = std::move(method);
  log.rows = std::move(rows);
  log.options = options;
  log.done = options.fitted;
  log.options.fitted.clear();
  if (resumable) log.options.start_curvature = nullptr;  // which could not be saved
  if (resumable && options.start != nullptr) log.start = *options.start;
  impl_ = std::make_unique<Impl>(std::move(log), resumable);
  impl_->run();
}
Solver::Solver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Solver Solver::resume(std::span<const std::byte> saved) {
  auto impl = std::make_unique<Impl>(fit_detail::solver_log_from_bytes(saved), true);
  impl->run();
  return Solver(std::move(impl));
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

std::vector<std::byte> Solver::save() const {
  if (!impl_->resumable) {
    throw Error(ErrorCode::usage, "this solver cannot be saved",
                "make it with resumable = true, so that it remembers what it is told");
  }
  return to_bytes(impl_->log);
}

const RowsInfo& Solver::rows() const { return impl_->log.rows; }
const FitOptions& Solver::options() const { return impl_->log.options; }

const Request* Solver::next() const { return impl_->desk.asked(); }

void Solver::tell(State state) {
  const Request* const asked = impl_->desk.asked();
  if (asked == nullptr) throw Error(ErrorCode::usage, "the fit is done and asked for nothing");
  if (state.number != asked->number) {
    throw Error(ErrorCode::data, "a state that answers another request than the one asked",
                "answer what next() returns, once");
  }
  if (state.first_row != 0 || state.end_row != impl_->log.rows.rows) {
    throw Error(ErrorCode::data,
                "a state of rows " + std::to_string(state.first_row) + " to " +
                    std::to_string(state.end_row) + "; wanted all " +
                    std::to_string(impl_->log.rows.rows) + " rows",
                "merge the states of all pieces");
  }
  if (impl_->resumable) impl_->log.answers.push_back(fit_detail::answer_of(state));
  impl_->desk.answer(std::move(state));
  impl_->finish_if_done();
}

std::shared_ptr<const FitCurvature> Solver::curvature() const { return impl_->curvature; }

Calibrator Solver::result() const {
  if (!impl_->result) throw Error(ErrorCode::usage, "the fit is not done");
  return *impl_->result;
}

}  // namespace credence
