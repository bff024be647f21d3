#include "options.hpp"

#include "bindings.hpp"
#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/error.hpp"
#include "credence/evaluation_sums.hpp"
#include "credence/fit.hpp"
#include "credence/page.hpp"
#include "credence/plan.hpp"
#include "credence/settings.hpp"
#include "credence/simulate.hpp"

namespace credence::python {
namespace {

template <class Struct>
void def_gauge(nb::class_<Struct>& type) {
  type.def_prop_rw(
      "gauge", [](const Struct& self) { return gauge_name(self.gauge); },
      [](Struct& self, const std::string& name) { self.gauge = read_gauge(name); });
}

void bind_metric_options(nb::module_& module) {
  nb::class_<MetricOptions> type(module, "MetricOptions");
  type.def(nb::init<>());
  def_number(type, "bins", &MetricOptions::bins, Option::bins);
  def_number(type, "entropy_bins", &MetricOptions::entropy_bins, Option::entropy_bins);
  def_number(type, "draws", &MetricOptions::draws, Option::draws);
  def_number(type, "seed", &MetricOptions::seed, Option::draw_seed);
  type.def_rw("list_rows", &MetricOptions::list_rows);
  type.def(
      "resample",
      [](MetricOptions& self, const BootstrapOptions& how, std::uint64_t rows) {
        std::string why_not;
        self.resampling = resampling_of(how, rows, why_not);
        if (!why_not.empty()) throw Error(ErrorCode::usage, why_not, "leave ‹resamples› out");
      },
      nb::arg("how"), nb::arg("rows"));
}

void bind_bootstrap_options(nb::module_& module) {
  nb::class_<BootstrapOptions> type(module, "BootstrapOptions");
  type.def(nb::init<>());
  def_number(type, "resamples", &BootstrapOptions::resamples, Option::resamples);
  def_number(type, "seed", &BootstrapOptions::seed, Option::resample_seed);
  def_number(type, "level", &BootstrapOptions::level, Option::level);
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
  def_number(type, "seed", &FitOptions::seed, Option::fit_seed);
  def_number(type, "threads", &FitOptions::threads, Option::threads);
  def_number(type, "max_passes", &FitOptions::max_passes, Option::max_passes);
  nb::class_<MethodSettings> settings(module, "MethodSettings");
  settings.def(nb::init<>())
      .def_rw("draws", &MethodSettings::draws, nb::arg().none())
      .def_rw("epsilon", &MethodSettings::epsilon, nb::arg().none())
      .def_rw("penalty", &MethodSettings::lambda, nb::arg().none())
      .def_rw("mu", &MethodSettings::mu, nb::arg().none())
      .def_rw("tau", &MethodSettings::tau, nb::arg().none())
      .def_rw("bins", &MethodSettings::bins, nb::arg().none())
      .def_rw("step_prior", &MethodSettings::step_prior, nb::arg().none());
}

void bind_compare_options(nb::module_& module) {
  nb::class_<CompareOptions> type(module, "CompareOptions");
  type.def(nb::init<>());
  type.def_rw("methods", &CompareOptions::methods).def_rw("reference", &CompareOptions::reference);
  def_number(type, "share", &CompareOptions::calibration_share, Option::share);
  def_numbers(type, "seeds", &CompareOptions::seeds, Option::seeds);
  def_number(type, "folds", &CompareOptions::folds, Option::folds);
  type.def_rw("oracle", &CompareOptions::oracle);
  type.def_rw("keep_predictions", &CompareOptions::keep_predictions);
  type.def_rw("second_order", &CompareOptions::second_order);
  type.def_rw("final_fit", &CompareOptions::final_fit);
  def_number(type, "refits", &CompareOptions::refits, Option::refits);
  def_gauge(type);
  type.def_rw("metrics", &CompareOptions::metrics).def_rw("bootstrap", &CompareOptions::bootstrap);
  def_number(type, "threads", &CompareOptions::threads, Option::threads);
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
  def_numbers(ablate, "seeds", &AblateOptions::seeds, Option::study_seeds);
  def_numbers(ablate, "shares", &AblateOptions::shares, Option::shares);
  def_numbers(ablate, "votes", &AblateOptions::votes, Option::study_votes);
  def_numbers(ablate, "draws", &AblateOptions::draws, Option::study_draws);
  def_number(ablate, "share", &AblateOptions::calibration_share, Option::share);
  def_gauge(ablate);
  ablate.def_rw("metrics", &AblateOptions::metrics);
  def_number(ablate, "threads", &AblateOptions::threads, Option::threads);

  nb::class_<PlanOptions> plan(module, "PlanOptions");
  plan.def(nb::init<>());
  def_numbers(plan, "examples", &PlanOptions::examples, Option::planned_examples);
  def_numbers(plan, "votes", &PlanOptions::votes, Option::planned_votes);
  def_number(plan, "level", &PlanOptions::level, Option::level);
  def_number(plan, "bins", &PlanOptions::bins, Option::bins);
  def_number(plan, "threads", &PlanOptions::threads, Option::threads);
}

void bind_other_options(nb::module_& module) {
  nb::class_<ToyOptions> toy(module, "ToyOptions");
  toy.def(nb::init<>());
  def_number(toy, "points", &ToyOptions::points, Option::points);
  def_number(toy, "epochs", &ToyOptions::epochs, Option::epochs);
  def_number(toy, "annotators", &ToyOptions::annotators, Option::toy_annotators);
  def_number(toy, "seed", &ToyOptions::seed, Option::toy_seed);
  nb::class_<AnnotatorOptions> annotators(module, "AnnotatorOptions");
  annotators.def(nb::init<>());
  def_number(annotators, "annotators", &AnnotatorOptions::annotators, Option::annotators);
  def_number(annotators, "seed", &AnnotatorOptions::seed, Option::answer_seed);
  nb::class_<report::PageOptions> page(module, "PageOptions");
  page.def(nb::init<>());
  def_number(page, "embed_examples", &report::PageOptions::embed_examples, Option::embed_examples);
}

}  // namespace

std::string python_repr(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

Gauge read_gauge(const std::string& name) {
  if (name == "log_probs") return Gauge::log_probs;
  if (name == "raw") return Gauge::raw;
  throw Error(ErrorCode::usage, "gauge is '" + name + "'", "wanted \"log_probs\" or \"raw\"");
}

std::string gauge_name(Gauge gauge) { return std::string(to_string(gauge)); }

void bind_options(nb::module_& module) {
  bind_metric_options(module);
  bind_bootstrap_options(module);
  bind_fit_options(module);
  bind_compare_options(module);
  bind_study_options(module);
  bind_other_options(module);
}

}  // namespace credence::python
