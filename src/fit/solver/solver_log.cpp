// A solver as bytes: docs/solver.md has the layout.
#include "fit/solver/solver_log.hpp"

#include <utility>

#include "core/bytes.hpp"
#include "fit/solver/spec_bytes.hpp"

namespace credence::fit_detail {
namespace {

using core::ByteReader;
using core::ByteWriter;

constexpr std::string_view kSolverMark = "credence solver 1";

void write_texts(const std::vector<std::string>& texts, ByteWriter& out) {
  out.u64(texts.size());
  for (const std::string& text : texts) out.text(text);
}
std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts(in.length(8));
  for (std::string& text : texts) text = in.text();
  return texts;
}

void write_stages(const std::vector<Stage>& stages, ByteWriter& out) {
  out.u64(stages.size());
  for (const Stage& stage : stages) {
    write_spec(stage.target, out);
    write_spec(stage.map, out);
    out.numbers(stage.theta);
    out.u8(static_cast<std::uint8_t>(stage.report.stop));
    out.u64(static_cast<std::uint64_t>(stage.report.passes));
    out.f64(stage.report.loss);
    out.f64(stage.report.gradient_norm);
    write_texts(stage.report.notes, out);
  }
}
std::vector<Stage> read_stages(ByteReader& in) {
  std::vector<Stage> stages(in.length(40));
  for (Stage& stage : stages) {
    stage.target = read_target(in);
    stage.map = read_map(in);
    stage.theta = in.numbers();
    stage.report.stop = read_enum(in, Stop::direct);
    stage.report.passes = static_cast<int>(in.u64());
    stage.report.loss = in.f64();
    stage.report.gradient_norm = in.f64();
    stage.report.notes = read_texts(in);
  }
  return stages;
}

void write_method(const MethodSpec& method, ByteWriter& out) {
  out.text(method.name);
  out.u64(method.stages.size());
  for (const MethodSpec::StageSpec& stage : method.stages) {
    write_spec(stage.target, out);
    write_spec(stage.map, out);
  }
}
MethodSpec read_method(ByteReader& in) {
  MethodSpec method;
  method.name = in.text();
  method.stages.resize(in.length(32));
  for (MethodSpec::StageSpec& stage : method.stages) {
    stage.target = read_target(in);
    stage.map = read_map(in);
  }
  return method;
}

void write_start(const std::optional<Calibrator>& start, ByteWriter& out) {
  out.u8(start ? 1 : 0);
  if (!start) return;
  out.text(start->method);
  out.u64(start->class_count);
  write_stages(start->stages, out);
}
std::optional<Calibrator> read_start(ByteReader& in) {
  if (in.u8() == 0) return std::nullopt;
  Calibrator start;
  start.method = in.text();
  start.class_count = in.u64();
  start.stages = read_stages(in);
  return start;
}

}  // namespace

Answer answer_of(const State& state) { return {state.sums.total(), state.listed, state.scores}; }

State state_of(Answer answer) {
  State state;
  if (!answer.totals.empty()) state.sums.push(0, answer.totals);
  state.listed = std::move(answer.listed);
  state.scores = std::move(answer.scores);
  return state;
}

std::vector<std::byte> to_bytes(const SolverLog& log) {
  ByteWriter out;
  out.text(kSolverMark);
  write_method(log.method, out);
  out.u64(log.rows.rows);
  out.u64(log.rows.classes);
  out.u8(static_cast<std::uint8_t>(log.rows.evidence));
  write_texts(log.rows.class_names, out);
  out.u8(static_cast<std::uint8_t>(log.options.gauge));
  out.u64(log.options.seed);
  out.u64(static_cast<std::uint64_t>(log.options.max_passes));
  out.f64(log.options.gradient_tolerance);
  write_start(log.start, out);
  write_stages(log.done, out);
  out.u64(log.requests);
  out.u64(log.answers.size());
  for (const Answer& answer : log.answers) {
    out.numbers(answer.totals);
    out.numbers(answer.listed);
    out.singles(answer.scores);
  }
  return out.take();
}

SolverLog solver_log_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "a solver");
  in.mark(kSolverMark);
  SolverLog log;
  log.method = read_method(in);
  log.rows.rows = in.u64();
  log.rows.classes = in.u64();
  log.rows.evidence = read_enum(in, Evidence::distributions);
  log.rows.class_names = read_texts(in);
  log.options.gauge = read_enum(in, Gauge::raw);
  log.options.seed = in.u64();
  log.options.max_passes = static_cast<int>(in.u64());
  log.options.gradient_tolerance = in.f64();
  log.start = read_start(in);
  log.done = read_stages(in);
  if (log.done.size() > log.method.stages.size()) in.fail("has more stages than its method");
  log.requests = in.u64();
  log.answers.resize(in.length(24));
  for (Answer& answer : log.answers) {
    answer.totals = in.numbers();
    answer.listed = in.numbers();
    answer.scores = in.singles();
  }
  in.finish();
  return log;
}

}  // namespace credence::fit_detail
