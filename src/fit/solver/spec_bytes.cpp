#include "fit/solver/spec_bytes.hpp"

#include <algorithm>
#include <string>

#include "core/setting.hpp"
#include "map/about.hpp"
#include "target/about.hpp"

namespace credence::fit_detail {
namespace {

using core::ByteReader;
using core::ByteWriter;

std::vector<core::Setting> settings(const TargetSpec& spec) { return target::settings_of(spec); }
std::vector<core::Setting> settings(const MapSpec& spec) { return map::settings_of(spec); }

/// Numbers beside its name that make up a target, or a map.
template <class Spec>
std::vector<double> options_of(const Spec& spec) {
  std::vector<double> values;
  for (const core::Setting& setting : settings(spec)) values.push_back(setting.value);
  return values;
}
void set_options(TargetSpec& spec, const std::vector<double>& numbers) {
  target::set_settings(spec, numbers);
}
void set_options(MapSpec& spec, const std::vector<double>& numbers) {
  map::set_settings(spec, numbers);
}

std::string_view name_of(const TargetSpec& target) { return target_name(target); }
std::string_view name_of(const MapSpec& map) { return map_name(map); }

template <class Spec>
void write_named(const Spec& spec, ByteWriter& out) {
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
  const std::vector<core::Setting> allowed = settings(spec);
  if (numbers.size() != allowed.size()) in.fail("has the wrong number of options");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool fits = numbers[i] >= allowed[i].least && numbers[i] <= allowed[i].most;
    if (!fits) in.fail("holds a number out of range");
  }
  set_options(spec, numbers);
  return spec;
}

}  // namespace

void write_spec(const TargetSpec& target, ByteWriter& out) { write_named(target, out); }
void write_spec(const MapSpec& map, ByteWriter& out) { write_named(map, out); }

TargetSpec read_target(ByteReader& in) {
  std::vector<TargetSpec> known(kTargets.begin(), kTargets.end());
  known.push_back(NoTarget{});
  return read_spec<TargetSpec>(known, in);
}

MapSpec read_map(ByteReader& in) { return read_spec<MapSpec>(kMaps, in); }

}  // namespace credence::fit_detail
