#include "report/card_scores.hpp"

#include <fmt/format.h>

#include <cmath>

#include "credence/error.hpp"
#include "io/json/json_text.hpp"

namespace credence::report {
namespace {

/// What a user of the probabilities asks first; whatever of it the file has.
constexpr std::string_view kShown[] = {"nll",      "brier",     "ece_expected",
                                       "ece_true", "ece_voted", "accuracy"};

[[noreturn]] void refuse(const Results& results, const std::string& what, const std::string& file,
                         const std::string& calibrator) {
  throw Error(ErrorCode::model,
              fmt::format("{} is about another calibrator: {} is {} there, {} here", results.origin,
                          what, file, calibrator),
              "give the results.json that ‹compare()› wrote beside calibrator.json");
}

void expect_equal(const Results& results, const std::string& what, const std::string& file,
                  const std::string& calibrator) {
  if (file != calibrator) refuse(results, what, file, calibrator);
}

std::string rounded(const Maybe& value) {
  return value ? fmt::format("{:.4g}", *value) : std::string("-");
}

std::string with_interval(const EstimateRecord& estimate) {
  if (!estimate.low || !estimate.high) return rounded(estimate.value);
  return fmt::format("{} ({} to {})", rounded(estimate.value), rounded(estimate.low),
                     rounded(estimate.high));
}

std::string meaning_of(const Results& results, std::string_view name) {
  for (const MetricRecord& metric : results.metrics) {
    if (metric.name == name) {
      return fmt::format("{}; {} is better", metric.meaning, to_string(metric.better));
    }
  }
  return {};
}

/// compare() fits what it recommends again, to all the rows that it was given.
bool fitted_to_all(const Results& results, const io::CalibratorInfo& info) {
  return info.rows == results.calibration.rows + results.evaluation.rows &&
         info.fingerprint == results.provenance.fingerprint;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += ' ';
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~$:@^=").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

const MethodRecord& matching_method(const Results& results, const io::LoadedCalibrator& loaded) {
  const Calibrator& calibrator = loaded.calibrator;
  const io::CalibratorInfo& info = loaded.info;
  const MethodRecord* method = results.first().find(calibrator.method);
  if (method == nullptr) {
    throw Error(ErrorCode::model,
                fmt::format("{} has no method '{}'", results.origin, calibrator.method),
                "give the results.json of a comparison that this calibrator took part in");
  }
  expect_equal(results, "the number of classes", std::to_string(results.calibration.classes),
               std::to_string(calibrator.class_count));
  expect_equal(results, "the kind of scores", results.provenance.score_kind, info.score_kind);
  if (!results.provenance.class_names.empty() && !calibrator.classes.empty() &&
      results.provenance.class_names != calibrator.classes) {
    refuse(results, "the list of classes", "another", "of its own");
  }
  if (fitted_to_all(results, info)) return *method;
  expect_equal(results, "the number of calibration rows", std::to_string(results.calibration.rows),
               std::to_string(info.rows));
  // Two means of the same numbers, perhaps added in another order.
  const double there = results.calibration.votes_per_example, here = info.votes_per_example;
  if (!(std::abs(there - here) <= 1e-9 * (1.0 + std::abs(here)))) {
    refuse(results, "the mean number of votes", io::json_number(there), io::json_number(here));
  }
  if (const double temperature = calibrator.temperature(); temperature != 0.0) {
    expect_equal(results, "the temperature",
                 method->temperature ? io::json_number(*method->temperature) : "absent",
                 io::json_number(temperature));
  }
  return *method;
}

std::string card_scores(const Results& results, const MethodRecord& method,
                        const io::CalibratorInfo& info) {
  const SplitRecord& split = results.first();
  const std::string reference = split.references.empty() ? "" : split.references.front();
  const auto against = [&](const std::string& name) -> const Estimates* {
    return name == method.name ? nullptr : method.differences.find(name);
  };
  const Estimates *to_reference = against(reference), *to_model = against("uncalibrated");
  std::string out = fmt::format(
      "Measured on {} examples that the calibrator was not fitted to, with {:.4g} annotations "
      "each. In parentheses: {:.4g} % intervals from {} resamples of the {}.{}\n\n",
      split.evaluation_rows, results.evaluation.votes_per_example, 100.0 * results.protocol.level,
      results.protocol.resamples, markdown_text(results.protocol.units),
      fitted_to_all(results, info)
          ? fmt::format(" Afterwards the method was fitted again, to all {} examples: that fit is "
                        "this calibrator.",
                        info.rows)
          : std::string());
  out += "| score | value |";
  if (to_reference != nullptr) out += fmt::format(" minus `{}` |", reference);
  if (to_model != nullptr && reference != "uncalibrated") out += " minus uncalibrated |";
  out += "\n|---|---|";
  if (to_reference != nullptr) out += "---|";
  if (to_model != nullptr && reference != "uncalibrated") out += "---|";
  out += "\n";
  const auto cell = [](const Estimates& all, std::string_view name) {
    const EstimateRecord* found = all.find(name);
    return found == nullptr ? std::string("-") : with_interval(*found);
  };
  std::string meanings;
  for (const std::string_view name : kShown) {
    if (method.metrics.find(name) == nullptr) continue;
    out += fmt::format("| {} | {} |", name, with_interval(method.metric(name)));
    if (to_reference != nullptr) out += fmt::format(" {} |", cell(*to_reference, name));
    if (to_model != nullptr && reference != "uncalibrated") {
      out += fmt::format(" {} |", cell(*to_model, name));
    }
    out += "\n";
    const std::string meaning = meaning_of(results, name);
    if (!meaning.empty()) meanings += fmt::format("- {}: {}\n", name, markdown_text(meaning));
  }
  out += "\n" + meanings;
  out += "\nJudge two methods by their difference, never by two separate intervals.\n";
  return out;
}

std::string card_metrics_yaml(const MethodRecord& method) {
  std::string out;
  for (const std::string_view name : kShown) {
    const EstimateRecord estimate = method.metric(name);
    if (!estimate.value) continue;
    out += fmt::format("    - type: {}\n      value: {}\n", name, io::json_number(*estimate.value));
  }
  return out;
}

}  // namespace credence::report
