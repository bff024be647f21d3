#include "credence/ablate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/parallel.hpp"
#include "credence/auto_fit.hpp"
#include "credence/error.hpp"
#include "credence/fit.hpp"
#include "experiment/diagrams.hpp"

namespace credence {
namespace {

constexpr std::array kStudies{Study::size, Study::votes, Study::draws, Study::smoothing};

bool allowed(Study study, const Dataset& data) {
  switch (study) {
    case Study::size:
    case Study::smoothing:
      return data.evidence() >= Evidence::voted;
    case Study::votes:
      return data.evidence() >= Evidence::distributions && experiment::are_counts(data.votes);
    case Study::draws:
      return data.evidence() >= Evidence::distributions;
  }
  return false;
}

std::vector<double> vote_settings(const Dataset& data, const AblateOptions& options) {
  double most = 1.0;
  for (std::size_t i = 0; i < data.votes.rows(); ++i) most = std::max(most, data.votes.total(i));
  std::vector<double> settings;
  if (!options.votes.empty()) {
    for (const int m : options.votes) settings.push_back(m);
    return settings;
  }
  for (double decade = 1.0; decade <= most; decade *= 10.0) {
    for (const double step : {1.0, 2.0, 3.0, 5.0}) {
      if (step * decade < most && (decade == 1.0 || step != 3.0)) settings.push_back(step * decade);
    }
  }
  settings.push_back(most);
  return settings;
}

std::vector<double> settings_of(Study study, const Dataset& data, const AblateOptions& options) {
  switch (study) {
    case Study::size:
      return options.shares;
    case Study::votes:
      return vote_settings(data, options);
    case Study::draws:
      return {options.draws.begin(), options.draws.end()};
    case Study::smoothing:
      break;
  }
  return {0.0};
}

std::vector<std::string_view> methods_of(Study study) {
  switch (study) {
    case Study::size:
      return {"uncalibrated", "ts",      "slts",           "mcts",  "soft-platt",
              "vs",           "ir-soft", "dirichlet-soft", "ls-ts", "auto"};
    case Study::votes:
      return {"ts", "slts", "soft-platt", "vs", "ir-soft", "dirichlet-soft"};
    case Study::draws:
      return {"ts", "mcts", "slts"};
    case Study::smoothing:
      break;
  }
  return {"uncalibrated", "ts", "ls-ts", "cc-ls", "ent-ls", "fixed-ls", "slts"};
}

/// With one vote each, the annotators' distribution is that vote: slts and its kin still have a
/// target, although in general a single vote is too little to call it a distribution.
Calibrator fit_to_votes(const MethodSpec& method, const Dataset& data, const FitOptions& options) {
  const bool single = data.evidence() == Evidence::annotations && method.stages.size() == 1 &&
                      std::holds_alternative<Annotators>(method.stages[0].target);
  if (!single) return fit_any(method, data, options);
  const Targets targets = Targets::shares_of(data.votes);
  Calibrator calibrator;
  calibrator.method = method.name;
  calibrator.gauge = options.gauge;
  calibrator.classes = data.classes;
  calibrator.class_count = data.classes_count();
  calibrator.stages.push_back(fit_stage(method.stages[0].map, data, targets, options));
  calibrator.stages.back().target = method.stages[0].target;
  return calibrator;
}

Dataset with_votes(Dataset data, Votes votes) {
  data.votes = std::move(votes);
  return data;
}

Dataset calibration_part(const AblationTask& task, const Dataset& calibration) {
  switch (task.study) {
    case Study::size: {
      if (task.setting >= 1.0) return calibration;
      // Whole groups would make small shares impossible; the rows of one part are exchangeable.
      const Split split = stratified_split(calibration.votes, task.setting, task.seed);
      return calibration.select(split.calibration);
    }
    case Study::votes:
      return with_votes(calibration, subsample_votes(calibration.votes,
                                                     static_cast<int>(task.setting), task.seed));
    default:
      return calibration;
  }
}

AblationResult run_task(const AblationTask& task, const Dataset& data,
                        const AblateOptions& options) {
  const Split split = make_split(data, options.calibration_share, task.seed);
  const Dataset learn = calibration_part(task, data.select(split.calibration));
  const Dataset judge = data.select(split.evaluation);
  const FitOptions fit_options{.gauge = options.gauge, .seed = task.seed, .threads = 1};
  AblationResult result;
  result.task = task;
  result.calibration_rows = learn.rows();
  result.votes_per_example = summarise_annotations(learn).votes_per_example;
  for (const std::string_view name : methods_of(task.study)) {
    MethodSpec method = parse_method(name);
    const bool drawn =
        !method.stages.empty() && std::holds_alternative<Sampled>(method.stages[0].target);
    if (method.needs() > data.evidence()) continue;
    if (task.study == Study::draws && drawn) {
      std::get<Sampled>(method.stages[0].target).draws = static_cast<int>(task.setting);
    }
    AblationPoint point;
    point.method = method.name;
    const Calibrator calibrator = fit_to_votes(method, learn, fit_options);
    point.temperature = calibrator.temperature();
    MetricOptions metric_options = options.metrics;
    metric_options.threads = 1;
    const Evaluation scores = score(calibrator, judge, metric_options);
    for (const Metric& metric : metric_table()) point.metrics.push_back(scores[metric.name]);
    result.points.push_back(std::move(point));
  }
  return result;
}

}  // namespace

std::string_view to_string(Study study) {
  switch (study) {
    case Study::size:
      return "size";
    case Study::votes:
      return "votes";
    case Study::draws:
      return "draws";
    case Study::smoothing:
      break;
  }
  return "smoothing";
}

Study read_study(std::string_view name) {
  for (const Study study : kStudies) {
    if (to_string(study) == name) return study;
  }
  throw Error(ErrorCode::usage, fmt::format("unknown study '{}'", name),
              "the studies are size, votes, draws and smoothing");
}

std::vector<AblationTask> ablation_tasks(const Dataset& data, const AblateOptions& options) {
  std::vector<AblationTask> tasks;
  for (const Study study : options.studies) {
    if (allowed(study, data)) continue;
    throw Error(ErrorCode::evidence,
                fmt::format("the study of {} needs several counted votes per example; these data "
                            "hold {}",
                            to_string(study), to_string(data.evidence())),
                "the studies of size and smoothing work with majority labels");
  }
  for (const Study study : kStudies) {
    const bool wanted = options.studies.empty()
                            ? allowed(study, data)
                            : std::ranges::find(options.studies, study) != options.studies.end();
    if (!wanted) continue;
    for (const double setting : settings_of(study, data, options)) {
      for (const std::uint64_t seed : options.seeds) tasks.push_back({study, setting, seed});
    }
  }
  return tasks;
}

std::vector<AblationResult> ablate(const Dataset& data, const AblateOptions& options) {
  const std::vector<AblationTask> tasks = ablation_tasks(data, options);
  std::vector<AblationResult> results(tasks.size());
  std::vector<std::size_t> open;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto known = std::ranges::find(options.finished, tasks[t], &AblationResult::task);
    if (known == options.finished.end()) {
      open.push_back(t);
    } else {
      results[t] = *known;
    }
  }
  std::mutex mutex;
  std::size_t done = tasks.size() - open.size();
  core::parallel_for(core::resolve_threads(options.threads), open.size(), [&](std::size_t j) {
    const AblationTask& task = tasks[open[j]];
    AblationResult result = run_task(task, data, options);
    const std::lock_guard lock(mutex);
    if (options.on_result) options.on_result(result);
    results[open[j]] = std::move(result);
    ++done;
    const double share = static_cast<double>(done) / static_cast<double>(tasks.size());
    if (options.progress &&
        !options.progress(share, fmt::format("{} {:g}, seed {}", to_string(task.study),
                                             task.setting, task.seed))) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  });
  return results;
}

}  // namespace credence
