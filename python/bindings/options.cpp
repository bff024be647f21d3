#include "options.hpp"

#include <cstdint>
#include <limits>

#include "bindings.hpp"
#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/fit.hpp"
#include "credence/page.hpp"
#include "credence/plan.hpp"
#include "credence/settings.hpp"
#include "credence/simulate.hpp"

namespace credence::python {
namespace {

constexpr int kMostThreads = 4096, kMostBins = 100000, kMillion = 1000000;
constexpr auto kAnySeed = std::numeric_limits<std::uint64_t>::max();
// Shares must leave both parts a row; the bounds are those of the command line.
constexpr double kLeastShare = 1e-9, kMostShare = 1.0 - 1e-9;

template <class Struct>
void def_gauge(nb::class_<Struct>& type) {
  type.def_prop_rw(
      "gauge", [](const Struct& self) { return gauge_name(self.gauge); },
      [](Struct& self, const std::string& name) { self.gauge = read_gauge(name); });
}

void bind_metric_options(nb::module_& module) {
  nb::class_<MetricOptions> type(module, "MetricOptions");
  type.def(nb::init<>());
  def_number(type, "bins", &MetricOptions::bins, 1, kMostBins);
  def_number(type, "entropy_bins", &MetricOptions::entropy_bins, 1, kMostBins);
  def_number(type, "draws", &MetricOptions::draws, 0, kMaxDraws);
  def_number(type, "seed", &MetricOptions::seed, std::uint64_t{0}, kAnySeed);
}

void bind_bootstrap_options(nb::module_& module) {
  nb::class_<BootstrapOptions> type(module, "BootstrapOptions");
  type.def(nb::init<>());
  def_number(type, "resamples", &BootstrapOptions::resamples, 0, kMillion);
  def_number(type, "seed", &BootstrapOptions::seed, std::uint64_t{0}, kAnySeed);
  def_number(type, "level", &BootstrapOptions::level, 0.5, 0.9999);
  type.def_rw("annotators", &BootstrapOptions::annotators);
  type.def_prop_rw(
      "kind",
      [](const BootstrapOptions& self) {
        return std::string(self.kind == IntervalKind::percentile ? "percentile" : "studentised");
      },
      [](BootstrapOptions& self, const std::string& name) {
        if (name != "percentile" && name != "studentised") {
          throw Error(ErrorCode::usage, "interval is '" + name + "'",
                      "wanted \"percentile\" or \"studentised\"");
        }
        self.kind = name == "percentile" ? IntervalKind::percentile : IntervalKind::studentised;
      });
}

void bind_fit_options(nb::module_& module) {
  nb::class_<FitOptions> type(module, "FitOptions");
  type.def(nb::init<>());
  def_gauge(type);
  def_number(type, "seed", &FitOptions::seed, std::uint64_t{0}, kAnySeed);
  def_number(type, "threads", &FitOptions::threads, 0, kMostThreads);
  def_number(type, "max_passes", &FitOptions::max_passes, 1, kMillion);
  nb::class_<MethodSettings> settings(module, "MethodSettings");
  settings.def(nb::init<>())
      .def_rw("draws", &MethodSettings::draws, nb::arg().none())
      .def_rw("epsilon", &MethodSettings::epsilon, nb::arg().none())
      .def_rw("penalty", &MethodSettings::lambda, nb::arg().none())
      .def_rw("mu", &MethodSettings::mu, nb::arg().none())
      .def_rw("bins", &MethodSettings::bins, nb::arg().none());
}

void bind_compare_options(nb::module_& module) {
  nb::class_<CompareOptions> type(module, "CompareOptions");
  type.def(nb::init<>());
  type.def_rw("methods", &CompareOptions::methods).def_rw("reference", &CompareOptions::reference);
  def_number(type, "share", &CompareOptions::calibration_share, kLeastShare, kMostShare);
  def_numbers(type, "seeds", &CompareOptions::seeds, std::uint64_t{0}, kAnySeed);
  def_number(type, "folds", &CompareOptions::folds, std::uint32_t{2}, std::uint32_t{1000});
  type.def_rw("oracle", &CompareOptions::oracle);
  def_number(type, "refits", &CompareOptions::refits, 0, kMillion);
  def_gauge(type);
  type.def_rw("metrics", &CompareOptions::metrics).def_rw("bootstrap", &CompareOptions::bootstrap);
  def_number(type, "threads", &CompareOptions::threads, 0, kMostThreads);
}

void bind_study_options(nb::module_& module) {
  nb::class_<AblateOptions> ablate(module, "AblateOptions");
  ablate.def(nb::init<>());
  ablate.def_prop_rw(
      "studies",
      [](const AblateOptions& self) {
        std::vector<std::string> names;
        for (const Study study : self.studies) names.emplace_back(to_string(study));
        return names;
      },
      [](AblateOptions& self, const std::vector<std::string>& names) {
        self.studies.clear();
        for (const std::string& name : names) self.studies.push_back(read_study(name));
      });
  def_numbers(ablate, "seeds", &AblateOptions::seeds, std::uint64_t{0}, kAnySeed);
  def_numbers(ablate, "shares", &AblateOptions::shares, 1e-6, 1.0);
  def_numbers(ablate, "votes", &AblateOptions::votes, 1, kMillion);
  def_numbers(ablate, "draws", &AblateOptions::draws, 1, kMillion);
  def_number(ablate, "share", &AblateOptions::calibration_share, kLeastShare, kMostShare);
  def_gauge(ablate);
  ablate.def_rw("metrics", &AblateOptions::metrics);
  def_number(ablate, "threads", &AblateOptions::threads, 0, kMostThreads);

  nb::class_<PlanOptions> plan(module, "PlanOptions");
  plan.def(nb::init<>());
  def_numbers(plan, "examples", &PlanOptions::examples, std::size_t{1}, std::size_t{1000000000000});
  def_numbers(plan, "votes", &PlanOptions::votes, 1, kMillion);
  def_number(plan, "level", &PlanOptions::level, 0.5, 0.9999);
  def_number(plan, "bins", &PlanOptions::bins, 1, kMostBins);
  def_number(plan, "threads", &PlanOptions::threads, 0, kMostThreads);
}

void bind_other_options(nb::module_& module) {
  nb::class_<ToyOptions> toy(module, "ToyOptions");
  toy.def(nb::init<>());
  def_number(toy, "points", &ToyOptions::points, std::size_t{2}, std::size_t{1000000});
  def_number(toy, "epochs", &ToyOptions::epochs, 0, kMillion);
  def_number(toy, "annotators", &ToyOptions::annotators, 0, 100000);
  def_number(toy, "seed", &ToyOptions::seed, std::uint64_t{0}, kAnySeed);
  nb::class_<AnnotatorOptions> annotators(module, "AnnotatorOptions");
  annotators.def(nb::init<>());
  def_number(annotators, "annotators", &AnnotatorOptions::annotators, 1, 100000);
  def_number(annotators, "seed", &AnnotatorOptions::seed, std::uint64_t{0}, kAnySeed);
  nb::class_<report::PageOptions> page(module, "PageOptions");
  page.def(nb::init<>());
  def_number(page, "embed_examples", &report::PageOptions::embed_examples, std::size_t{0},
             std::size_t{1000000});
}

}  // namespace

std::string python_repr(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

Gauge read_gauge(const std::string& name) {
  if (name == "log_probs") return Gauge::log_probs;
  if (name == "raw") return Gauge::raw;
  throw Error(ErrorCode::usage, "gauge is '" + name + "'", "wanted \"log_probs\" or \"raw\"");
}

std::string gauge_name(Gauge gauge) { return gauge == Gauge::raw ? "raw" : "log_probs"; }

void bind_options(nb::module_& module) {
  bind_metric_options(module);
  bind_bootstrap_options(module);
  bind_fit_options(module);
  bind_compare_options(module);
  bind_study_options(module);
  bind_other_options(module);
}

}  // namespace credence::python
