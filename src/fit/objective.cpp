#include "fit/objective.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/error.hpp"
#include "fit/doubtful_rows.hpp"
#include "fit/search/class_blocks.hpp"
#include "map/all_maps.hpp"
#include "map/top_label.hpp"

namespace credence::fit_detail {
namespace {

std::vector<double> mean_of(std::vector<double> sums, std::size_t rows) {
  const double scale = 1.0 / static_cast<double>(rows);
  for (double& sum : sums) sum *= scale;
  return sums;
}

/// What float32 leaves of sums over classes that are 0: nothing but a penalty, often far weaker,
/// holds numbers that are added to all logits of a row, and this would drown it.
void centre_over_classes(std::size_t classes, std::size_t inputs, std::vector<double>& gradient) {
  for (std::size_t a = 0; a <= inputs; ++a) {
    const std::size_t first = a < inputs ? a : classes * inputs, step = a < inputs ? inputs : 1;
    double mean = 0.0;
    for (std::size_t k = 0; k < classes; ++k) mean += gradient[first + k * step];
    mean /= static_cast<double>(classes);
    for (std::size_t k = 0; k < classes; ++k) gradient[first + k * step] -= mean;
  }
}

void unpack_curvature(const MapSpec& map, std::size_t classes, std::vector<double>& packed) {
  std::visit(
      [&]<class M>(const M&) {
        if constexpr (map::Smooth<M>) map::CurvatureOf<M>::type::unpack(classes, packed);
      },
      map);
}

}  // namespace

core::Task<std::unique_ptr<InputSample>> ask_for_sample(const Problem& problem,
                                                        std::size_t wanted) {
  const std::size_t rows = std::min(wanted, problem.rows);
  Request request = problem.about;
  request.sums = Request::Sums::rows;
  request.sample = {1, problem.rows / rows, rows};
  problem.desk->put(std::move(request));
  const State state = co_await *problem.desk;
  co_return std::make_unique<InputSample>(problem.about, decode_rows(state, problem.classes));
}

Objective::Objective(const Problem& problem) : problem_(&problem), counter_(*problem.options) {
  std::visit(
      [&]<class M>(const M& map) {
        if constexpr (map::Differentiable<M>) {
          parameters_ = map::Math<M>::parameters(problem.classes);
          bounds_ = map::Math<M>::bounds();
          penalty_ = map::Math<M>::penalty(map, problem.classes, problem.penalty_rows());
        }
      },
      problem.about.map);
}

Objective::~Objective() = default;

Request Objective::request(Request::Sums sums, const std::vector<double>& theta) const {
  Request request = problem_->about;
  request.sums = sums;
  request.theta = theta;
  return request;
}

core::Task<Derivatives> Objective::evaluate(const std::vector<double>& theta, bool with_curvature) {
  return derivatives(with_curvature ? Request::Sums::curvature : Request::Sums::loss, theta);
}

core::Task<Derivatives> Objective::evaluate_fast(const std::vector<double>& theta,
                                                 bool with_curvature) {
  return derivatives(with_curvature ? Request::Sums::curvature_fast : Request::Sums::loss_fast,
                     theta);
}

core::Task<Derivatives> Objective::derivatives(Request::Sums sums,
                                               const std::vector<double>& theta) {
  problem_->desk->put(request(sums, theta));
  const State state = co_await *problem_->desk;
  const std::vector<double> means = mean_of(state.sums.total(), problem_->rows);
  const LossLayout layout{parameters_};
  Derivatives out;
  out.loss = means[LossLayout::kLoss] + penalty_.value(theta);
  const auto gradient = means.begin() + LossLayout::kGradient;
  const auto curvature = means.begin() + static_cast<std::ptrdiff_t>(layout.curvature());
  out.gradient.assign(gradient, curvature);
  if (sums == Request::Sums::loss_fast || sums == Request::Sums::curvature_fast) {
    centre_over_classes(problem_->classes, matrix_inputs(problem_->about.map, problem_->classes),
                        out.gradient);
  }
  penalty_.add_gradient(theta, out.gradient.data());
  if (curvature != means.end()) {
    out.curvature.assign(curvature, means.end());
    unpack_curvature(problem_->about.map, problem_->classes, out.curvature);
    penalty_.add_curvature(parameters_, out.curvature.data());
  }
  counter_.announce(out.loss, max_norm(out.gradient));
  counter_.count();
  co_return out;
}

core::Task<std::vector<double>> Objective::product(const std::vector<double>& theta,
                                                   const std::vector<double>& direction) {
  Request asked = request(Request::Sums::product, theta);
  asked.direction = direction;
  problem_->desk->put(std::move(asked));
  const State state = co_await *problem_->desk;
  std::vector<double> out = mean_of(state.sums.total(), problem_->rows);
  penalty_.add_product(direction, out.data());
  counter_.count();
  co_return out;
}

core::Task<std::vector<double>> Objective::steering_product(const std::vector<double>& theta,
                                                            const std::vector<double>& direction) {
  if (!std::holds_alternative<MatrixAffine>(problem_->about.map)) {
    co_return co_await product(theta, direction);
  }
  Request asked = request(Request::Sums::steering_product, theta);
  asked.direction = direction;
  problem_->desk->put(std::move(asked));
  const State state = co_await *problem_->desk;
  std::vector<double> out = mean_product(state.sums.total(), problem_->classes, problem_->rows);
  penalty_.add_product(direction, out.data());
  counter_.count();
  co_return out;
}

core::Task<Preconditioner> Objective::preconditioner(const std::vector<double>& theta) {
  if (std::holds_alternative<MatrixAffine>(problem_->about.map)) {
    const std::size_t classes = problem_->classes;
    const bool blocks = classes <= kMostClassBlocks;
    if (!sample_) {
      sample_ = co_await ask_for_sample(*problem_, blocks ? kBlockSampleRows : kDoubtfulSampleRows);
      sample_->input().remember_shifts(problem_->options->threads);
    }
    const int threads = problem_->spread().over(sample_->scores().size()).threads;
    if (blocks) co_return class_block_preconditioner(sample_->input(), theta, penalty_, threads);
    if (!doubtful_rows_) {
      doubtful_rows_ = std::make_unique<DoubtfulRows>(sample_->input(), penalty_, threads);
    }
    co_return doubtful_rows_->at(theta);
  }
  std::vector<double> diagonal = co_await curvature_diagonal(theta);
  if (has_diagonal(problem_->about.map)) {
    const double floor = 1e-8 * max_norm(diagonal) + 1e-300;
    for (double& number : diagonal) number = 1.0 / std::max(number, floor);
  }
  co_return Preconditioner([diagonal](const double* in, double* out) {
    for (std::size_t j = 0; j < diagonal.size(); ++j) out[j] = diagonal[j] * in[j];
  });
}

core::Task<std::vector<double>> Objective::data_diagonal(const std::vector<double>& theta) {
  if (!has_diagonal(problem_->about.map)) co_return std::vector<double>(parameters_, 1.0);
  problem_->desk->put(request(Request::Sums::diagonal, theta));
  const State state = co_await *problem_->desk;
  counter_.count();
  co_return mean_of(state.sums.total(), problem_->rows);
}

core::Task<std::vector<double>> Objective::curvature_diagonal(const std::vector<double>& theta) {
  std::vector<double> diagonal = co_await data_diagonal(theta);
  for (std::size_t j = 0; j < penalty_.diagonal.size(); ++j) diagonal[j] += penalty_.diagonal[j];
  co_return diagonal;
}

void PassCounter::announce(double loss, double gradient_norm) {
  progress_.loss = loss;
  progress_.gradient_norm = gradient_norm;
}

void PassCounter::count() {
  progress_.pass = ++passes_;
  if (options_->progress && !options_->progress(progress_)) {
    throw Error(ErrorCode::cancelled, "the fit was stopped");
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double max_norm(Params x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace credence::fit_detail
