#include "metrics/rows/checks.hpp"

#include <fmt/format.h>

#include "credence/error.hpp"

namespace credence::metrics {
namespace {

[[noreturn]] void refuse_probabilities(const std::string& message) {
  throw Error(ErrorCode::data, message,
              "metrics need probabilities; turn logits or log-probabilities into them first");
}

void check_option(const char* name, int value) {
  if (value < 1 || value > kMaxBins) {
    throw Error(ErrorCode::usage, fmt::format("{} = {}; wanted 1 to {}", name, value, kMaxBins));
  }
}

}  // namespace

void refuse_value(std::size_t row, std::size_t column, double value) {
  refuse_probabilities(fmt::format("probabilities: row {}, column {}: {} is not between 0 and 1",
                                   row, column, value));
}

void refuse_sum(std::size_t row, double sum) {
  refuse_probabilities(fmt::format("probabilities: row {}: sum is {}, wanted 1", row, sum));
}

void check_options(const Votes& votes, const MetricOptions& options) {
  check_option("bins", options.bins);
  check_option("entropy_bins", options.entropy_bins);
  if (votes.rows() == 0)
    throw Error(ErrorCode::data, "no examples to evaluate: the votes are empty");
  if (options.draws < 0 || options.draws > kMaxDraws) {
    throw Error(ErrorCode::usage,
                fmt::format("draws = {}; wanted 0 to {}", options.draws, kMaxDraws));
  }
}

void check_shape(Rows probabilities, std::size_t done, const Votes& votes) {
  if (probabilities.cols() != votes.classes()) {
    throw Error(ErrorCode::data, fmt::format("probabilities have {} classes, votes have {}",
                                             probabilities.cols(), votes.classes()));
  }
  if (probabilities.rows() > votes.rows() - done) {
    throw Error(ErrorCode::data, fmt::format("probabilities have at least {} rows, votes have {}",
                                             done + probabilities.rows(), votes.rows()));
  }
}

void check_complete(std::size_t done, const Votes& votes) {
  if (done != votes.rows()) {
    throw Error(ErrorCode::data,
                fmt::format("probabilities have {} rows, votes have {}", done, votes.rows()));
  }
}

void check_certainties(Rows certainties, std::size_t rows, bool wanted) {
  if ((certainties.rows() != 0) != (wanted && rows != 0)) {
    throw Error(ErrorCode::usage, "some rows have a concentration and some have none");
  }
  if (certainties.rows() == 0) return;
  if (certainties.rows() != rows || certainties.cols() != 2) {
    throw Error(ErrorCode::usage, "a concentration and a probability are wanted for every row");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double s = certainties(i, 0), p = certainties(i, 1);
    if (!(s > 0.0) || !(p >= 0.0 && p <= 1.0)) {
      throw Error(ErrorCode::data, "row " + std::to_string(i) +
                                       ": a concentration must be positive and the probability of "
                                       "disagreement between 0 and 1");
    }
  }
}

}  // namespace credence::metrics
