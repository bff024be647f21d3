// One run of what `compare` does on its calibration rows, in a world where the truth is known: how
// much a method would have cost, or saved, on examples without end.
#pragma once

#include <string>
#include <vector>

#include "credence/fit.hpp"
#include "credence/methods.hpp"
#include "experiment/cross_validation.hpp"
#include "statistical/simulated.hpp"

namespace credence::simulated {

/// Every catalogued method that the votes allow, its held-out nll, and its nll beyond that of the
/// uncalibrated model on fresh examples.
struct Trial {
  std::vector<MethodSpec> methods;
  std::vector<Calibrator> fitted;
  std::vector<experiment::HeldOut> held_out;
  std::vector<double> excess;
  Evidence evidence = Evidence::none;

  std::size_t find(std::string_view name) const {
    for (std::size_t j = 0; j < methods.size(); ++j) {
      if (methods[j].name == name) return j;
    }
    return methods.size();
  }
};

/// Scores as they come out of a network: the logarithms of what the model says.
inline Matrix<float> scores_of(const Matrix<double>& p) {
  Matrix<float> scores(p.rows(), p.cols());
  for (std::size_t i = 0; i < p.rows() * p.cols(); ++i) {
    scores.data()[i] = static_cast<float>(std::log(p.data()[i]));
  }
  return scores;
}

/// Fresh examples with the distribution that annotators answer by: no votes, hence no noise of
/// them.
struct Fresh {
  Matrix<float> scores;
  Matrix<double> truth;

  Fresh(const World& world, std::size_t rows, std::uint64_t seed) {
    Sample sample = draw(world, rows, seed);
    scores = scores_of(sample.p);
    truth = std::move(sample.truth);
  }

  double nll(const Calibrator& calibrator) const {
    Matrix<double> p(scores.rows(), scores.cols());
    calibrator.apply(scores.view(), p.view());
    double sum = 0.0;
    for (std::size_t i = 0; i < p.rows() * p.cols(); ++i) {
      sum -= truth.data()[i] * std::log(p.data()[i]);
    }
    return sum / static_cast<double>(p.rows());
  }
};

inline Trial run_trial(const World& world, std::size_t rows, std::uint64_t seed,
                       const Fresh& fresh) {
  const Sample sample = draw(world, rows, seed);
  const Matrix<float> scores = scores_of(sample.p);
  Dataset data = make_dataset(scores.view(), ScoreKind::log_probs, sample.votes());
  Trial trial;
  trial.evidence = data.evidence();
  for (const std::string_view id : methods_allowed_by(data.evidence())) {
    trial.methods.push_back(parse_method(id));
  }
  const FitOptions options{.seed = seed, .threads = 1};
  std::vector<const Calibrator*> starts;
  for (const MethodSpec& method : trial.methods) {
    trial.fitted.push_back(fit(method, data, options));
  }
  for (const Calibrator& one : trial.fitted) starts.push_back(&one);
  trial.held_out = experiment::cross_validate(trial.methods, data, starts, 5, options, 1, [] {});
  const double as_it_is = fresh.nll(trial.fitted[trial.find("uncalibrated")]);
  for (const Calibrator& one : trial.fitted) trial.excess.push_back(fresh.nll(one) - as_it_is);
  return trial;
}

}  // namespace credence::simulated
