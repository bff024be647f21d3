// Requests and states as bytes: docs/solver.md has the layout.
#include <algorithm>
#include <string>

#include "core/bytes.hpp"
#include "core/tree_bytes.hpp"
#include "credence/solver.hpp"
#include "map/about.hpp"
#include "target/about.hpp"

namespace credence {
namespace {

using core::ByteReader;
using core::ByteWriter;

constexpr std::string_view kRequestMark = "credence request 1", kStateMark = "credence state 1";

/// Numbers beside its name that make up a target, or a map.
std::vector<double> values_of(const std::vector<core::Setting>& settings) {
  std::vector<double> values;
  for (const core::Setting& setting : settings) values.push_back(setting.value);
  return values;
}
std::vector<double> options_of(const TargetSpec& spec) {
  return values_of(target::settings_of(spec));
}
std::vector<double> options_of(const MapSpec& spec) { return values_of(map::settings_of(spec)); }
void set_options(TargetSpec& spec, const std::vector<double>& numbers) {
  target::set_settings(spec, numbers);
}
void set_options(MapSpec& spec, const std::vector<double>& numbers) {
  map::set_settings(spec, numbers);
}

std::string_view name_of(const TargetSpec& target) { return target_name(target); }
std::string_view name_of(const MapSpec& map) { return map_name(map); }

template <class Spec>
void write_spec(const Spec& spec, ByteWriter& out) {
  out.text(name_of(spec));
  out.numbers(options_of(spec));
}
/// A target or a map, by its name among those that are known.
template <class Spec, class Known>
Spec read_spec(const Known& known, ByteReader& in) {
  const std::string name = in.text();
  const std::vector<double> numbers = in.numbers();
  const auto found = std::ranges::find_if(known, [&](const Spec& s) { return name_of(s) == name; });
  if (found == std::end(known)) in.fail("names '" + name + "', which is not known here");
  Spec spec = *found;
  if (numbers.size() != options_of(spec).size()) in.fail("has the wrong number of options");
  set_options(spec, numbers);
  return spec;
}
TargetSpec read_target(ByteReader& in) {
  std::vector<TargetSpec> known(kTargets.begin(), kTargets.end());
  known.push_back(NoTarget{});
  return read_spec<TargetSpec>(known, in);
}

template <class Enum>
Enum read_enum(ByteReader& in, Enum last) {
  const std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) in.fail("holds a number out of range");
  return static_cast<Enum>(value);
}

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
  request.sums = read_enum(in, Request::Sums::histogram);
  request.gauge = read_enum(in, Gauge::raw);
  request.seed = in.u64();
  request.target = read_target(in);
  request.epsilon = in.numbers();
  request.front.resize(in.length(16));
  for (Stage& stage : request.front) {
    stage.map = read_spec<MapSpec>(kMaps, in);
    stage.theta = in.numbers();
  }
  request.map = read_spec<MapSpec>(kMaps, in);
  request.theta = in.numbers();
  request.direction = in.numbers();
  request.with_linear = in.u8() != 0;
  request.sample = {in.u64(), 1, 0};
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
  out.u64(state.scores.size());
  for (const float score : state.scores) out.u32(std::bit_cast<std::uint32_t>(score));
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
  state.scores.resize(in.length(4));
  for (float& score : state.scores) score = std::bit_cast<float>(in.u32());
  in.finish();
  return state;
}

}  // namespace credence
