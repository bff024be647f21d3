#include "words.hpp"

#include <fmt/format.h>

namespace credence::python {
namespace {

class Words {
 public:
  template <class T>
  void add(const char* option, const T& value, const T& usual) {
    if (value == usual) return;
    words_.emplace_back(option);
    words_.push_back(fmt::format("{}", value));
  }
  template <class T>
  void add_list(const char* option, const std::vector<T>& values, const std::vector<T>& usual) {
    if (values == usual) return;
    words_.emplace_back(option);
    words_.push_back(fmt::format("{}", fmt::join(values, ",")));
  }
  void flag(const char* option, bool is_set) {
    if (is_set) words_.emplace_back(option);
  }
  void text(const char* option, bool is_set, const char* value) {
    if (!is_set) return;
    words_.emplace_back(option);
    words_.emplace_back(value);
  }
  void add(const MetricOptions& metrics) {
    const MetricOptions usual;
    add("--bins", metrics.bins, usual.bins);
    add("--entropy-bins", metrics.entropy_bins, usual.entropy_bins);
    add("--draws", metrics.draws, usual.draws);
    add("--draw-seed", metrics.seed, usual.seed);
  }
  void add(const BootstrapOptions& bootstrap) {
    const BootstrapOptions usual;
    add("--resamples", bootstrap.resamples, usual.resamples);
    add("--level", bootstrap.level, usual.level);
    text("--interval", bootstrap.kind == IntervalKind::studentised, "studentised");
    flag("--resample-annotators", bootstrap.annotators);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> words_of(const CompareOptions& options) {
  const CompareOptions usual;
  Words words;
  words.add_list("--methods", options.methods, usual.methods);
  words.add("--reference", options.reference, usual.reference);
  words.flag("--oracle", options.oracle);
  words.add("--share", options.calibration_share, usual.calibration_share);
  words.add_list("--seeds", options.seeds, usual.seeds);
  words.add("--folds", options.folds, usual.folds);
  words.add("--refits", options.refits, usual.refits);
  words.add(options.bootstrap);
  words.add(options.metrics);
  words.text("--gauge", options.gauge == Gauge::raw, "raw");
  return words.take();
}

std::vector<std::string> words_of(const AblateOptions& options) {
  const AblateOptions usual;
  Words words;
  std::vector<std::string> studies;
  for (const Study study : options.studies) studies.emplace_back(to_string(study));
  words.add_list("--study", studies, {});
  words.add_list("--seeds", options.seeds, usual.seeds);
  words.add_list("--shares", options.shares, usual.shares);
  words.add_list("--votes-per-example", options.votes, usual.votes);
  words.add_list("--draws-per-example", options.draws, usual.draws);
  words.add("--share", options.calibration_share, usual.calibration_share);
  words.add(options.metrics);
  words.text("--gauge", options.gauge == Gauge::raw, "raw");
  return words.take();
}

std::vector<std::string> words_of(const PlanOptions& options) {
  const PlanOptions usual;
  Words words;
  words.add_list("--examples", options.examples, usual.examples);
  words.add_list("--votes-per-example", options.votes, usual.votes);
  words.add("--level", options.level, usual.level);
  words.add("--bins", options.bins, usual.bins);
  return words.take();
}

}  // namespace credence::python
