// The verbs: what each may be told, and the function that does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/bootstrap.hpp"
#include "credence/map.hpp"
#include "credence/metrics.hpp"
#include "credence/page.hpp"
#include "dataset_options.hpp"
#include "output.hpp"

namespace credence::cli {

struct MethodsOptions {
  Format format = Format::text;
  std::string evidence;  ///< list only what this much evidence allows; empty lists all
};
void run_methods(const MethodsOptions& options);

struct CompareCommandOptions {
  DatasetOptions data;
  DatasetOptions test;  ///< evaluation files of their own; of which only files matter
  std::vector<std::string> methods;
  std::string reference = "ts";
  std::string output;
  bool examples = false;
  bool report = false;
  std::string report_file;  ///< empty: report.html in the folder of the results
  std::size_t embed_examples = 0;
  Format format = Format::text;
  bool oracle = false;
  double share = 0.5;
  std::string seeds = "42";
  std::string calibration_rows;
  std::uint32_t folds = 5;
  int refits = 0;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  Gauge gauge = Gauge::log_probs;
  int threads = 0;
};
void run_compare(const CompareCommandOptions& options);

struct ReportCommandOptions {
  std::vector<std::string> results;
  std::string output;  ///< empty: report.html beside the results
  std::size_t embed_examples = 0;
  std::string figures;  ///< folder; empty: none
  std::vector<std::string> figure_formats;
};
void run_report(const ReportCommandOptions& options);
/// "results/report.html (412 KB; 1,000 of 2,000 examples embedded: 210 KB)".
std::string page_in_words(const std::string& path, const report::Page& page);

struct AblateCommandOptions {
  DatasetOptions data;
  std::vector<std::string> studies;
  std::string seeds = "42..46";
  std::vector<double> shares;
  std::vector<int> votes_per_example, draws_settings;
  double share = 0.5;
  std::string output;
  Format format = Format::text;
  MetricOptions metrics;
  Gauge gauge = Gauge::log_probs;
  int threads = 0;
};
void run_ablate(const AblateCommandOptions& options);

struct PlanCommandOptions {
  DatasetOptions data;
  std::vector<std::size_t> examples;
  std::vector<int> votes_per_example;
  double level = 0.95;
  int bins = 15;
  std::string output;
  Format format = Format::text;
  int threads = 0;
};
void run_plan(const PlanCommandOptions& options);

}  // namespace credence::cli
