// Every model alone by auto, then how much each counts.
#include "credence/panel_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "credence/evaluate.hpp"
#include "experiment/cross_validation.hpp"
#include "experiment/panel_exponents.hpp"
#include "fit/blend.hpp"

namespace credence {
namespace {

void check_models(const MethodSpec& method, std::span<const Dataset> models,
                  std::span<const std::string> names) {
  if (method.automatic != Automatic::pool) {
    throw Error(ErrorCode::usage,
                fmt::format("method '{}' reads the scores of one model, {} were given", method.name,
                            models.size()),
                "only auto combines several models; or fit each alone");
  }
  if (models.empty() || models.size() > kMostModels || names.size() != models.size()) {
    throw Error(ErrorCode::usage, fmt::format("{} models and {} names; expected 1 to {} of both",
                                              models.size(), names.size(), kMostModels));
  }
  const Dataset& first = models.front();
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (models[m].rows() == first.rows() && models[m].classes_count() == first.classes_count() &&
        models[m].votes.rows() == first.votes.rows()) {
      continue;
    }
    throw Error(
        ErrorCode::data,
        fmt::format("{} has {} rows and {} classes, {} has {} and {}", names[m], models[m].rows(),
                    models[m].classes_count(), names[0], first.rows(), first.classes_count()),
        "all models must have scored the same examples, with the same classes");
  }
}

/// What a model's calibrator says of every row when it was fitted without that row's fold.
Matrix<double> held_out_probabilities(const AutoFit& fit, const Dataset& data, int threads) {
  Matrix<double> all(data.rows(), data.classes_count());
  core::parallel_for(core::resolve_threads(threads), fit.without.size(), [&](std::size_t f) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      if (fit.fold[i] == f) rows.push_back(i);
    }
    const Dataset part = data.select(rows);
    Matrix<double> own(part.rows(), part.classes_count());
    fit.without[f].apply(part.scores, own.view());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::copy(own.row(i), all.row(rows[i]).begin());
    }
  });
  return all;
}

std::vector<double> nll_of_rows(const Matrix<double>& probabilities, const Votes& votes) {
  MetricOptions options;
  options.draws = 0;
  options.keep_rows = true;
  options.threads = 1;
  const Evaluation found = evaluate(probabilities.view(), votes, options);
  const ExampleScores rows = examples(found);
  return {rows.nll.begin(), rows.nll.end()};
}

class PanelFit {
 public:
  PanelFit(std::span<const Dataset> models, Panel& panel, const std::vector<AutoFit>& fits,
           int threads)
      : votes_(models.front().votes), groups_(models.front().groups), panel_(panel), fits_(fits) {
    for (std::size_t m = 0; m < models.size(); ++m) {
      alone_.push_back(held_out_probabilities(fits[m], models[m], threads));
      logs_.push_back(fit_detail::log_of(std::as_const(alone_.back()).view()));
    }
    for (const Matrix<float>& one : logs_) views_.push_back(one.view());
  }

  void run() {
    std::vector<std::vector<double>> nll;
    for (std::size_t m = 0; m < alone_.size(); ++m) {
      nll.push_back(nll_of_rows(alone_[m], votes_));
      const auto [mean, error] = experiment::mean_over_rows(nll.back(), groups_);
      if (!std::isfinite(mean)) continue;
      panel_.models[m].nll = mean;
      panel_.models[m].standard_error = error;
    }
    const std::vector<double> together = nll_of_rows(cross_fitted(), votes_);
    const std::size_t best = best_alone();
    const auto [mean, error] = experiment::mean_over_rows(together, groups_);
    std::vector<double> lead = nll[best];
    for (std::size_t i = 0; i < lead.size(); ++i) lead[i] -= together[i];
    const auto [gain, gain_error] = experiment::mean_over_rows(lead, groups_);
    // Without a best one, or with an infinite loss of the others, there is nothing to fall back to.
    if (!(gain > gain_error) && panel_.models[best].nll) {
      for (std::size_t m = 0; m < alone_.size(); ++m) {
        panel_.models[m].exponent = m == best ? 1.0 : 0.0;
      }
      panel_.nll = panel_.models[best].nll;
      panel_.standard_error = panel_.models[best].standard_error;
      if (alone_.size() > 1) {
        panel_.notes.push_back(fmt::format(
            "all models together are not ahead of {} alone by a standard error: it is used alone",
            panel_.models[best].name));
      }
      return;
    }
    const std::vector<double> exponents = experiment::fit_exponents(views_, votes_, {}, 0);
    for (std::size_t m = 0; m < alone_.size(); ++m) panel_.models[m].exponent = exponents[m];
    if (!std::isfinite(mean)) return;
    panel_.nll = mean;
    panel_.standard_error = error;
    panel_.gain = gain;
    panel_.gain_error = gain_error;
  }

 private:
  std::size_t best_alone() const {
    std::size_t best = 0;
    for (std::size_t m = 0; m < panel_.models.size(); ++m) {
      const auto &one = panel_.models[m].nll, &other = panel_.models[best].nll;
      if (one && (!other || *one < *other)) best = m;
    }
    return best;
  }

  /// All together, with exponents fitted to the rows of the other folds.
  Matrix<double> cross_fitted() const {
    const std::vector<std::uint32_t>& fold = fits_.front().fold;
    Matrix<double> result(votes_.rows(), alone_.front().cols());
    Matrix<double> own = result;
    for (std::size_t f = 0; f < fits_.front().without.size(); ++f) {
      const auto part = static_cast<std::uint32_t>(f);
      fit_detail::blend(views_, experiment::fit_exponents(views_, votes_, fold, part), own.view());
      for (std::size_t i = 0; i < fold.size(); ++i) {
        if (fold[i] == part) std::ranges::copy(own.row(i), result.row(i).begin());
      }
    }
    return result;
  }

  const Votes& votes_;
  std::span<const std::uint32_t> groups_;
  Panel& panel_;
  const std::vector<AutoFit>& fits_;
  std::vector<Matrix<double>> alone_;
  std::vector<Matrix<float>> logs_;
  std::vector<MatrixView<const float>> views_;
};

}  // namespace

Panel fit_panel(const MethodSpec& method, std::span<const Dataset> models,
                std::span<const std::string> names, const FitOptions& options,
                const AutoProgress& progress) {
  check_models(method, models, names);
  Panel panel;
  std::vector<AutoFit> fits;
  const auto count = static_cast<double>(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    AutoProgress part;
    if (progress) {
      part = [&progress, m, count](double share) {
        return progress((static_cast<double>(m) + share) / count);
      };
    }
    fits.push_back(fit_auto(method, models[m], options, part));
    PanelModel model;
    model.name = names[m];
    model.exponent = 1.0 / count;
    model.calibrator = fits.back().calibrator;
    panel.models.push_back(std::move(model));
  }
  if (fits.front().without.empty()) {
    panel.notes.emplace_back("no row can be held out: all models count the same");
    return panel;
  }
  PanelFit(models, panel, fits, options.threads).run();
  return panel;
}

}  // namespace credence
