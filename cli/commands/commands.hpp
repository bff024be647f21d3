// The verbs: what each may be told, and the function that does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dataset_options.hpp"
#include "output.hpp"

namespace credence::cli {

struct MethodsOptions {
  Format format = Format::text;
  std::string evidence;  ///< list only what this much evidence allows; empty lists all
};
void run_methods(const MethodsOptions& options);

struct MetricsOptions {
  Format format = Format::text;
};
void run_metrics(const MetricsOptions& options);

struct InspectOptions {
  DatasetOptions data;
  Format format = Format::text;
};
void run_inspect(const InspectOptions& options);

struct FitCommandOptions {
  DatasetOptions data;
  std::string method;
  std::string output;
  Format format = Format::text;
  std::string gauge = "log-probs";
  std::uint64_t seed = 42;
  int threads = 0;
  std::size_t chunk_rows = 0;
  int max_passes = 500;
  std::optional<int> draws;
  std::optional<double> epsilon;
  std::optional<double> lambda, mu;
  std::optional<int> bins;
};
void run_fit(const FitCommandOptions& options);

struct ApplyOptions {
  std::string model;
  DatasetOptions data;  ///< of which only the scores matter
  std::string output;
  std::string output_format;  ///< empty: by the extension of `output`
  std::string dtype = "float32";
  int threads = 0;
};
void run_apply(const ApplyOptions& options);

struct EvaluateOptions {
  std::string model;  ///< empty: score the file as it is
  DatasetOptions data;
  Format format = Format::text;
  int bins = 15;
  int entropy_bins = 10;
  int draws = 100;
  std::uint64_t seed = 42;  ///< of the draws and of the resamples
  int resamples = 1000;     ///< 0: no intervals
  double level = 0.95;
  std::string interval = "percentile";
  bool resample_annotators = false;
  bool reliability = false;
  int threads = 0;
};
void run_evaluate(const EvaluateOptions& options);

struct DemoCommandOptions {
  std::uint64_t seed = 42;
  std::size_t rows = 4000;
  std::string output;  ///< directory for the data; empty: keep them in memory
};
void run_demo(const DemoCommandOptions& options);

}  // namespace credence::cli
