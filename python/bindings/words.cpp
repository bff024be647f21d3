#include "words.hpp"

#include <fmt/format.h>

namespace credence::python {
namespace {

class Words {
 public:
  template <class T>
  void add(Option option, const T& value, const T& usual) {
    if (value == usual) return;
    words_.push_back(flag_of(option));
    words_.push_back(fmt::format("{}", value));
  }
  template <class T>
  void add_list(Option option, const std::vector<T>& values, const std::vector<T>& usual) {
    if (values == usual) return;
    words_.push_back(flag_of(option));
    words_.push_back(fmt::format("{}", fmt::join(values, ",")));
  }
  void flag(Option option, bool is_set) {
    if (is_set) words_.push_back(flag_of(option));
  }
  void text(Option option, bool is_set, const char* value) {
    if (!is_set) return;
    words_.push_back(flag_of(option));
    words_.emplace_back(value);
  }
  void add(const MetricOptions& metrics) {
    const MetricOptions usual;
    add(Option::bins, metrics.bins, usual.bins);
    add(Option::entropy_bins, metrics.entropy_bins, usual.entropy_bins);
    add(Option::draws, metrics.draws, usual.draws);
    add(Option::draw_seed, metrics.seed, usual.seed);
  }
  void add(const BootstrapOptions& bootstrap) {
    const BootstrapOptions usual;
    add(Option::resamples, bootstrap.resamples, usual.resamples);
    add(Option::level, bootstrap.level, usual.level);
    text(Option::interval, bootstrap.kind == IntervalKind::studentised, "studentised");
    flag(Option::resample_annotators, bootstrap.annotators);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::string flag_of(Option option) { return render(mention(option), Speech::command_line); }

std::vector<std::string> words_of(const CompareOptions& options) {
  const CompareOptions usual;
  Words words;
  words.add_list(Option::methods, options.methods, usual.methods);
  words.add(Option::reference, options.reference, usual.reference);
  words.flag(Option::oracle, options.oracle);
  words.flag(Option::keep_predictions, options.keep_predictions);
  words.flag(Option::second_order, options.second_order);
  words.add(Option::share, options.calibration_share, usual.calibration_share);
  words.add_list(Option::seeds, options.seeds, usual.seeds);
  words.add(Option::folds, options.folds, usual.folds);
  words.add(Option::refits, options.refits, usual.refits);
  words.add(options.bootstrap);
  words.add(options.metrics);
  words.text(Option::gauge, options.gauge == Gauge::raw, "raw");
  return words.take();
}

std::vector<std::string> words_of(const AblateOptions& options) {
  const AblateOptions usual;
  Words words;
  std::vector<std::string> studies;
  for (const Study study : options.studies) studies.emplace_back(to_string(study));
  words.add_list(Option::study, studies, {});
  words.add_list(Option::study_seeds, options.seeds, usual.seeds);
  words.add_list(Option::shares, options.shares, usual.shares);
  words.add_list(Option::study_votes, options.votes, usual.votes);
  words.add_list(Option::study_draws, options.draws, usual.draws);
  words.add(Option::share, options.calibration_share, usual.calibration_share);
  words.add(options.metrics);
  words.text(Option::gauge, options.gauge == Gauge::raw, "raw");
  return words.take();
}

std::vector<std::string> words_of(const PlanOptions& options) {
  const PlanOptions usual;
  Words words;
  words.add_list(Option::planned_examples, options.examples, usual.examples);
  words.add_list(Option::planned_votes, options.votes, usual.votes);
  words.add(Option::level, options.level, usual.level);
  words.add(Option::bins, options.bins, usual.bins);
  return words.take();
}

}  // namespace credence::python
