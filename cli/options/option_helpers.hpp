// Options that several verbs share, and the checks of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "credence/bootstrap.hpp"
#include "credence/map.hpp"
#include "credence/metrics.hpp"
#include "credence/options.hpp"
#include "options/dataset_options.hpp"
#include "text/output.hpp"

namespace credence::cli {

// Headings of the help.
constexpr const char* kResult = "Result";
constexpr const char* kTuning = "Tuning";
constexpr const char* kNoHeading = "Options";  ///< what CLI11 calls those without one

/// Gives an option that was just added what the table says of it: what stands for its value, and
/// what that may be.
CLI::Option* described(CLI::Option* added, Option option, const char* group);
/// "-o,--output", as CLI11 wants it.
std::string flags_of(Option option);
/// One line, with what holds when the option is not given.
std::string help_of(Option option);

/// Lists are separated by commas.
template <class T>
CLI::Option* add_option(CLI::App& verb, Option option, T& value, const char* group) {
  CLI::Option* added =
      described(verb.add_option(flags_of(option), value, help_of(option)), option, group);
  if constexpr (requires { value.push_back(value.front()); } && !std::is_same_v<T, std::string>) {
    if (info(option).value == "LIST") added->delimiter(',');
  }
  return added;
}
/// An option whose value is a name that stands for something else.
CLI::Option* add_named(CLI::App& verb, Option option,
                       const std::function<void(const std::string&)>& take, const char* group);
void add_switch(CLI::App& verb, Option option, bool& value, const char* group);

/// `--format`, one of `names`: text, json, csv, markdown.
void format_option(CLI::App& verb, Format& format, const std::vector<std::string>& names);
void threads_option(CLI::App& verb, int& threads);
void gauge_option(CLI::App& verb, Gauge& gauge);
/// `--bins`, `--entropy-bins`, `--draws`, `--draw-seed`.
void metric_options(CLI::App& verb, MetricOptions& metrics);
/// `--resamples`, `--level`, `--interval`, `--resample-annotators`.
CLI::Option* bootstrap_options(CLI::App& verb, BootstrapOptions& bootstrap, const char* group);

/// Which scores, and what their columns are.
void score_options(CLI::App& verb, DatasetOptions& data);
void classes_option(CLI::App& verb, DatasetOptions& data);
void row_options(CLI::App& verb, DatasetOptions& data);
/// All of the above and the annotations: what a verb needs that reads a whole data set.
void dataset_options(CLI::App& verb, DatasetOptions& data);

}  // namespace credence::cli
