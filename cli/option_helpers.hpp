// Options that several verbs share, and the checks of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/bootstrap.hpp"
#include "credence/map.hpp"
#include "credence/metrics.hpp"
#include "dataset_options.hpp"
#include "output.hpp"

namespace credence::cli {

// Headings of the help.
constexpr const char* kResult = "Result";
constexpr const char* kTuning = "Tuning";

/// A whole number in a range, refused with words that name the range.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// A number in a range that `words` describe: "a number from 0 to 1".
CLI::Validator number(double least, double most, const char* words);

void file_option(CLI::App& verb, const std::string& name, std::string& value, const char* group,
                 const std::string& help);
/// `--format`, one of `names`: text, json, csv, markdown.
void format_option(CLI::App& verb, Format& format, const std::vector<std::string>& names);
void threads_option(CLI::App& verb, int& threads);
void gauge_option(CLI::App& verb, Gauge& gauge);
/// `--bins`, `--entropy-bins`, `--draws`, `--draw-seed`.
void metric_options(CLI::App& verb, MetricOptions& metrics);
/// `--resamples`, `--level`, `--interval`, `--resample-annotators`.
void bootstrap_options(CLI::App& verb, BootstrapOptions& bootstrap, const char* group);

/// Which scores, and what their columns are.
void score_options(CLI::App& verb, DatasetOptions& data);
void classes_option(CLI::App& verb, DatasetOptions& data);
void row_options(CLI::App& verb, DatasetOptions& data);
/// All of the above and the annotations: what a verb needs that reads a whole data set.
void dataset_options(CLI::App& verb, DatasetOptions& data);

}  // namespace credence::cli
