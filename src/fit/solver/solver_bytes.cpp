// Requests and states as bytes: docs/solver.md has the layout.
#include <string>

#include "core/bytes.hpp"
#include "core/tree_bytes.hpp"
#include "credence/solver.hpp"
#include "fit/solver/spec_bytes.hpp"

namespace credence {
namespace {

using core::ByteReader;
using core::ByteWriter;
using fit_detail::read_enum;
using fit_detail::read_map;
using fit_detail::read_target;
using fit_detail::write_spec;

constexpr std::string_view kRequestMark = "credence request 1", kStateMark = "credence state 1";

}  // namespace

bool Request::operator==(const Request& other) const { return to_bytes(*this) == to_bytes(other); }

std::vector<std::byte> to_bytes(const Request& request) {
  ByteWriter out;
  out.text(kRequestMark);
  out.u64(request.number);
  out.u8(static_cast<std::uint8_t>(request.sums));
  out.u8(static_cast<std::uint8_t>(request.gauge));
  out.u64(request.seed);
  write_spec(request.target, out);
  out.numbers(request.epsilon);
  out.u64(request.front.size());
  for (const Stage& stage : request.front) {
    write_spec(stage.map, out);
    out.numbers(stage.theta);
  }
  write_spec(request.map, out);
  out.numbers(request.theta);
  out.numbers(request.direction);
  out.u8(request.with_linear ? 1 : 0);
  out.u64(request.sample.run);
  out.u64(request.sample.step);
  out.u64(request.sample.count);
  return out.take();
}

Request request_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "a request");
  in.mark(kRequestMark);
  Request request;
  request.number = in.u64();
  request.sums = read_enum(in, Request::Sums::curvature_fast);
  request.gauge = read_enum(in, Gauge::raw);
  request.seed = in.u64();
  request.target = read_target(in);
  request.epsilon = in.numbers();
  request.front.resize(in.length(16));
  for (Stage& stage : request.front) {
    stage.map = read_map(in);
    stage.theta = in.numbers();
  }
  request.map = read_map(in);
  request.theta = in.numbers();
  request.direction = in.numbers();
  request.with_linear = in.u8() != 0;
  request.sample.run = in.u64();
  request.sample.step = in.u64();
  request.sample.count = in.u64();
  if (request.sample.step == 0) in.fail("asks for rows 0 apart");
  in.finish();
  return request;
}

std::vector<std::byte> to_bytes(const State& state) {
  ByteWriter out;
  out.text(kStateMark);
  out.u64(state.number);
  out.u64(state.first_row);
  out.u64(state.end_row);
  core::write_sums(state.sums, out);
  out.numbers(state.listed);
  out.singles(state.scores);
  return out.take();
}

State state_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "a state");
  in.mark(kStateMark);
  State state;
  state.number = in.u64();
  state.first_row = in.u64();
  state.end_row = in.u64();
  state.sums = core::read_sums(in);
  state.listed = in.numbers();
  state.scores = in.singles();
  in.finish();
  return state;
}

}  // namespace credence
