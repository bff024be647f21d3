// Tasks and their answers as bytes: docs/solver.md has the layout.
#include "core/bytes.hpp"
#include "core/overloaded.hpp"
#include "credence/row_work.hpp"
#include "experiment/rows/work_bytes.hpp"
#include "fit/solver/spec_bytes.hpp"

namespace credence {
namespace {

using core::ByteReader;
using core::ByteWriter;

constexpr std::string_view kTaskMark = "credence task 2", kAnswerMark = "credence answer 1";

void write_calibrator(const Calibrator& calibrator, ByteWriter& out) {
  out.text(calibrator.method);
  out.u8(static_cast<std::uint8_t>(calibrator.gauge));
  out.u64(calibrator.class_count);
  out.u64(calibrator.members.size());
  for (const WeightedStages& part : calibrator.parts()) {
    out.f64(part.weight);
    out.u64(part.stages.size());
    for (const Stage& stage : part.stages) {
      fit_detail::write_spec(stage.target, out);
      fit_detail::write_spec(stage.map, out);
      out.numbers(stage.theta);
    }
  }
}
std::vector<Stage> read_stages(ByteReader& in) {
  std::vector<Stage> stages(in.length(40));
  for (Stage& stage : stages) {
    stage.target = fit_detail::read_target(in);
    stage.map = fit_detail::read_map(in);
    stage.theta = in.numbers();
  }
  return stages;
}
Calibrator read_calibrator(ByteReader& in) {
  Calibrator calibrator;
  calibrator.method = in.text();
  calibrator.gauge = fit_detail::read_enum(in, Gauge::raw);
  calibrator.class_count = in.u64();
  calibrator.members.resize(in.length(16));
  for (Member& member : calibrator.members) {
    member.weight = in.f64();
    member.stages = read_stages(in);
  }
  if (!calibrator.is_pool()) {
    in.f64();
    calibrator.stages = read_stages(in);
  }
  return calibrator;
}

void write_options(const MetricOptions& options, ByteWriter& out) {
  out.u64(static_cast<std::uint64_t>(options.bins));
  out.u64(static_cast<std::uint64_t>(options.entropy_bins));
  out.u64(static_cast<std::uint64_t>(options.draws));
  out.u64(options.seed);
  out.u8(options.list_rows ? 1 : 0);
  out.u64(static_cast<std::uint64_t>(options.resampling.resamples));
  out.u64(options.resampling.seed);
  out.u64(options.resampling.rows);
}
MetricOptions read_options(ByteReader& in) {
  const auto number = [&](int most) {
    const std::uint64_t value = in.u64();
    if (value > static_cast<std::uint64_t>(most)) in.fail("holds a number out of range");
    return static_cast<int>(value);
  };
  MetricOptions options;
  options.bins = number(kMaxBins);
  options.entropy_bins = number(kMaxBins);
  options.draws = number(kMaxDraws);
  options.seed = in.u64();
  options.list_rows = in.u8() != 0;
  options.resampling.resamples = number(kMaxResamples);
  options.resampling.seed = in.u64();
  options.resampling.rows = in.u64();
  return options;
}

}  // namespace

std::vector<std::byte> to_bytes(const RowTask& task) {
  ByteWriter out;
  out.text(kTaskMark);
  experiment::write_tags(task.rows, out);
  out.u8(static_cast<std::uint8_t>(task.what.index()));
  std::visit(core::Overloaded{
                 [&](const Request& request) { experiment::write_bytes(to_bytes(request), out); },
                 [&](const MetricsTask& metrics) {
                   write_calibrator(metrics.calibrator, out);
                   write_options(metrics.options, out);
                 },
                 [&](const LossesTask& losses) {
                   out.u8(losses.decisions ? 1 : 0);
                   out.u64(losses.calibrators.size());
                   for (const Calibrator& one : losses.calibrators) {
                     write_calibrator(one, out);
                   }
                 },
                 [](const VotesTask&) {}},
             task.what);
  return out.take();
}

RowTask row_task_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "a task");
  in.mark(kTaskMark);
  RowTask task;
  task.rows = experiment::read_tags(in);
  switch (in.u8()) {
    case 0:
      task.what = request_from_bytes(experiment::read_bytes(in));
      break;
    case 1: {
      MetricsTask metrics;
      metrics.calibrator = read_calibrator(in);
      metrics.options = read_options(in);
      task.what = std::move(metrics);
      break;
    }
    case 2: {
      LossesTask losses;
      losses.decisions = in.u8() != 0;
      losses.calibrators.resize(in.length(33));
      for (Calibrator& one : losses.calibrators) one = read_calibrator(in);
      task.what = std::move(losses);
      break;
    }
    case 3:
      task.what = VotesTask{};
      break;
    default:
      in.fail("is of a kind that is not known here");
  }
  in.finish();
  return task;
}

std::vector<std::byte> to_bytes(const RowAnswer& answer) {
  ByteWriter out;
  out.text(kAnswerMark);
  out.u8(static_cast<std::uint8_t>(answer.index()));
  std::visit([&](const auto& one) { experiment::write_bytes(to_bytes(one), out); }, answer);
  return out.take();
}

RowAnswer row_answer_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "an answer");
  in.mark(kAnswerMark);
  const std::uint8_t kind = in.u8();
  if (kind > 1) in.fail("is of a kind that is not known here");
  const std::vector<std::byte> body = experiment::read_bytes(in);
  in.finish();
  if (kind == 0) return state_from_bytes(body);
  return evaluation_sums_from_bytes(body);
}

}  // namespace credence
