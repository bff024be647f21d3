#include "credence/settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "credence/error.hpp"
#include "credence/options.hpp"
#include "map/about.hpp"

namespace credence {
namespace {

void refuse_unused(const MethodSpec& method, Option option, std::string_view owner) {
  throw Error(ErrorCode::usage,
              fmt::format("{} has no effect on method '{}'", mention(option), method.name),
              fmt::format("it belongs to {}; leave it out or choose another method", owner));
}

template <class Alternative, class Variant, class Value, class Set>
void set_option(MethodSpec& method, Variant MethodSpec::StageSpec::*part,
                const std::optional<Value>& value, Option option, std::string_view owner,
                const Set& set) {
  if (!value) return;
  bool used = false;
  for (MethodSpec::StageSpec& stage : method.stages) {
    if (auto* alternative = std::get_if<Alternative>(&(stage.*part))) {
      used = set(*alternative, *value) || used;
    }
  }
  if (!used) refuse_unused(method, option, owner);
}

/// For options that stand for one field.
template <class Alternative, class Value>
auto assign(Value Alternative::*field) {
  return [field](Alternative& alternative, Value value) {
    alternative.*field = value;
    return true;
  };
}

/// For numbers that several maps have under one name.
void set_map_number(MethodSpec& method, std::string_view name, const std::optional<double>& value,
                    Option option, std::string_view owner) {
  if (!value) return;
  bool used = false;
  for (MethodSpec::StageSpec& stage : method.stages) {
    std::vector<double> numbers;
    for (const core::Setting& setting : map::settings_of(stage.map)) {
      const bool meant = setting.name == name;
      numbers.push_back(meant ? *value : setting.value);
      used = used || meant;
    }
    map::set_settings(stage.map, numbers);
  }
  if (!used) refuse_unused(method, option, owner);
}

template <class Value>
void check_range(const std::optional<Value>& value, Option option) {
  if (!value || accepts(option, static_cast<double>(*value))) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} is {}; wanted {}", mention(option), *value, accepted_values(option)));
}

std::string_view in_words(Evidence evidence) {
  switch (evidence) {
    case Evidence::none:
      return "no annotations";
    case Evidence::voted:
      return "majority labels only";
    case Evidence::annotations:
      return "one annotation per example";
    case Evidence::distributions:
      return "several annotations per example";
  }
  return {};
}

}  // namespace

MethodSpec with_settings(MethodSpec method, const MethodSettings& settings) {
  check_range(settings.draws, Option::target_draws);
  check_range(settings.epsilon, Option::epsilon);
  check_range(settings.lambda, Option::lambda);
  check_range(settings.mu, Option::mu);
  check_range(settings.tau, Option::tau);
  check_range(settings.bins, Option::histogram_bins);
  check_range(settings.step_prior, Option::step_prior);
  using Spec = MethodSpec::StageSpec;
  set_option<Sampled>(method, &Spec::target, settings.draws, Option::target_draws,
                      "the sampled target", assign(&Sampled::draws));
  set_option<Smoothed>(method, &Spec::target, settings.epsilon, Option::epsilon,
                       "fixed smoothing (method fixed-ls)", [](Smoothed& smoothed, double epsilon) {
                         if (smoothed.rule != Epsilon::fixed) return false;
                         smoothed.fixed = epsilon;
                         return true;
                       });
  set_option<MatrixAffine>(method, &Spec::map, settings.lambda, Option::lambda, "the matrix map",
                           assign(&MatrixAffine::lambda));
  set_option<MatrixAffine>(method, &Spec::map, settings.mu, Option::mu, "the matrix map",
                           assign(&MatrixAffine::mu));
  set_option<TopLabelHistogram>(method, &Spec::map, settings.bins, Option::histogram_bins,
                                "the histogram map", assign(&TopLabelHistogram::bins));
  set_map_number(method, "tau", settings.tau, Option::tau, "the ridge maps");
  set_map_number(method, "step_prior", settings.step_prior, Option::step_prior,
                 "the isotonic and histogram maps");
  return method;
}

void require_evidence(const MethodSpec& method, Evidence found, const std::string& origin) {
  if (found >= method.needs()) return;
  throw Error(ErrorCode::evidence,
              fmt::format("method '{}' needs {}; {} holds {}", method.name,
                          in_words(method.needs()), origin, in_words(found)),
              fmt::format("these work with it: {}", fmt::join(methods_allowed_by(found), ", ")));
}

std::string_view to_string(Gauge gauge) { return gauge == Gauge::raw ? "raw" : "log_probs"; }

}  // namespace credence
