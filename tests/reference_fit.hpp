// Soft cross-entropy of maps that are linear in their parameters, its gradient and its minimum, in
// long double and by nothing that the library uses: every number is computed from the definition,
// the steps are those of Levenberg and Marquardt on scaled parameters, from several starts.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "credence/map.hpp"
#include "credence/matrix.hpp"

namespace credence::testing_data {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Square = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

struct Value {
  Real loss = 0;
  Vector gradient;
  Square hessian;
};

class ReferenceFit {
 public:
  /// q: n x K, rows that sum to 1.
  ReferenceFit(const MapSpec& map, const Matrix<float>& scores, const Matrix<double>& q,
               Gauge gauge)
      : map_(map), n_(scores.rows()), classes_(scores.cols()), q_(&q), u_(n_ * classes_) {
    for (std::size_t i = 0; i < n_; ++i) {
      Real top = -INFINITY, sum = 0;
      for (const float z : scores.row(i)) top = std::max(top, Real(z));
      for (const float z : scores.row(i)) sum += std::exp(Real(z) - top);
      const Real shift = gauge == Gauge::log_probs ? top + std::log(sum) : 0;
      shift_ = std::max(shift_, std::abs(shift));
      for (std::size_t k = 0; k < classes_; ++k) u_[i * classes_ + k] = scores(i, k) - shift;
    }
    if (std::holds_alternative<Temperature>(map)) parameters_ = 1;
    if (std::holds_alternative<ClassTemperatures>(map)) parameters_ = classes_;
    if (std::holds_alternative<DiagonalAffine>(map)) parameters_ = 2 * classes_;
    if (std::holds_alternative<MatrixAffine>(map)) parameters_ = classes_ * (classes_ + 1);
    bounded_ = parameters_ == 1 || parameters_ == classes_;
    sizes_.assign(parameters_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      std::vector<Real> row(parameters_, 0);
      for (std::size_t k = 0; k < classes_; ++k) {
        for_each(i, k, [&](std::size_t j, Real x) { row[j] = std::max(row[j], std::abs(x)); });
      }
      for (std::size_t j = 0; j < parameters_; ++j) sizes_[j] += row[j] * row[j];
    }
    for (Real& s : sizes_) s = std::sqrt(s / Real(n_));
    // What float64 keeps of such log-probabilities is rounding: not for anybody to fit.
    for (Real& s : sizes_) s = gauge == Gauge::log_probs && s < 1e-10L ? 0 : s;
  }

  std::size_t parameters() const { return parameters_; }
  /// Root mean square of what parameter j multiplies; 1 where that is 0.
  Real size(std::size_t j) const { return sizes_[j] > 0 ? sizes_[j] : 1; }

  Vector identity(Real b = 1) const {
    Vector theta = Vector::Zero(Eigen::Index(parameters_));
    const bool matrix = std::holds_alternative<MatrixAffine>(map_);
    for (std::size_t k = 0; k < std::min(classes_, parameters_); ++k) {
      theta[Eigen::Index(matrix ? k * classes_ + k : k)] = b;
    }
    return theta;
  }

  bool is_rounding(std::size_t j) const { return sizes_[j] == 0; }

  /// Largest term of a logit: what rounding in the library is measured by. Inputs are differences
  /// of scores and their log-sum-exp, and rounded as such.
  Real largest_term(const std::vector<double>& theta) const {
    Real most = 1;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < classes_; ++k) {
        for_each(i, k, [&](std::size_t j, Real x) {
          most = std::max(most, (std::abs(x) + shift_) * std::abs(Real(theta[j])));
        });
      }
    }
    return most;
  }

  Value at(const Vector& theta, bool with_hessian = false) const {
    const auto size = Eigen::Index(parameters_);
    Value out{0, Vector::Zero(size), {}};
    if (with_hessian) out.hessian = Square::Zero(size, size);
    std::vector<Real> v(classes_), p(classes_);
    for (std::size_t i = 0; i < n_; ++i) {
      Real top = -INFINITY, sum = 0, dot = 0;
      for (std::size_t k = 0; k < classes_; ++k) {
        v[k] = 0;
        for_each(i, k, [&](std::size_t j, Real x) { v[k] += x * theta[Eigen::Index(j)]; });
        top = std::max(top, v[k]);
      }
      // From the top: rows whose logits are huge lose nothing.
      for (std::size_t k = 0; k < classes_; ++k) sum += p[k] = std::exp(v[k] - top);
      for (std::size_t k = 0; k < classes_; ++k) {
        p[k] /= sum;
        if ((*q_)(i, k) != 0.0) dot += Real((*q_)(i, k)) * (v[k] - top);
      }
      out.loss += std::log(sum) - dot;
      Vector mean;
      if (with_hessian) mean = Vector::Zero(size);
      for (std::size_t k = 0; k < classes_; ++k) {
        const Real d = p[k] - Real((*q_)(i, k));
        for_each(i, k, [&](std::size_t j, Real x) {
          out.gradient[Eigen::Index(j)] += d * x;
          if (!with_hessian) return;
          mean[Eigen::Index(j)] += p[k] * x;
          for_each(i, k, [&](std::size_t l, Real y) {
            out.hessian(Eigen::Index(j), Eigen::Index(l)) += p[k] * x * y;
          });
        });
      }
      if (with_hessian) out.hessian -= mean * mean.transpose();
    }
    out.loss /= Real(n_);
    out.gradient /= Real(n_);
    if (with_hessian) out.hessian /= Real(n_);
    add_penalty(theta, out);
    return out;
  }

  /// The least loss found, and how far out: the largest parameter times what it multiplies.
  struct Least {
    Real loss = INFINITY, reach = 0;
  };
  Least minimum() const {
    Least best;
    for (const Real b : {Real(0), Real(1)}) {
      const Least found = descend(clamp(identity(b)));
      if (found.loss < best.loss) best = found;
    }
    return best;
  }

 private:
  static constexpr Real kLow = 1.0L / kMaxTemperature, kHigh = 1.0L / kMinTemperature;

  /// body(j, x): parameter j adds x theta_j to logit k of row i.
  template <class Body>
  void for_each(std::size_t i, std::size_t k, const Body& body) const {
    const Real* u = &u_[i * classes_];
    if (std::holds_alternative<Temperature>(map_)) {
      body(0, u[k]);
    } else if (std::holds_alternative<MatrixAffine>(map_)) {
      for (std::size_t a = 0; a < classes_; ++a) body(k * classes_ + a, u[a]);
      body(classes_ * classes_ + k, Real(1));
    } else {
      body(k, u[k]);
      if (parameters_ == 2 * classes_) body(classes_ + k, Real(1));
    }
  }

  void add_penalty(const Vector& theta, Value& out) const {
    const auto* matrix = std::get_if<MatrixAffine>(&map_);
    if (matrix == nullptr) return;
    const Real off = Real(matrix->lambda) / Real(classes_ * (classes_ - 1));
    const Real bias = Real(matrix->mu) / Real(classes_);
    for (std::size_t j = 0; j < parameters_; ++j) {
      const bool diagonal = j < classes_ * classes_ && j / classes_ == j % classes_;
      const Real weight = j >= classes_ * classes_ ? bias : diagonal ? 0 : off;
      const auto at = Eigen::Index(j);
      out.loss += weight * theta[at] * theta[at];
      out.gradient[at] += 2 * weight * theta[at];
      if (out.hessian.size() > 0) out.hessian(at, at) += 2 * weight;
    }
  }

  Vector clamp(Vector theta) const {
    if (!bounded_) return theta;
    for (Real& x : theta) x = std::clamp(x, kLow, kHigh);
    return theta;
  }

  Least descend(Vector theta) const {
    Real damping = 1;
    Value here = at(theta, true);
    for (int step = 0, idle = 0; step < 300 && idle < 4; ++step) {
      const auto size = Eigen::Index(parameters_);
      Vector scale(size), rhs(size);
      Square matrix(size, size);
      std::vector<bool> fixed(parameters_);
      for (Eigen::Index j = 0; j < size; ++j) {
        fixed[std::size_t(j)] = is_rounding(std::size_t(j)) ||
                                (bounded_ && ((theta[j] <= kLow && here.gradient[j] > 0) ||
                                              (theta[j] >= kHigh && here.gradient[j] < 0)));
        // As long as the parameter is large against its natural unit, its own size is the unit.
        scale[j] = std::max(1 / this->size(std::size_t(j)), std::abs(theta[j]));
        rhs[j] = fixed[std::size_t(j)] ? 0 : -here.gradient[j] * scale[j];
      }
      for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) {
          const bool out = fixed[std::size_t(i)] || fixed[std::size_t(j)];
          matrix(i, j) = out ? Real(i == j) : here.hessian(i, j) * scale[i] * scale[j];
        }
      }
      const Real unit = std::max(rhs.cwiseAbs().maxCoeff(), Real(1e-4000L));
      bool moved = false;
      for (; damping < 1e20L; damping *= 8) {
        Square damped = matrix;
        for (Eigen::Index i = 0; i < size; ++i) {
          damped(i, i) += damping * (unit + matrix(i, i)) + 1e-4000L;
        }
        const Vector by = damped.llt().solve(rhs);
        Vector trial = theta;
        for (Eigen::Index j = 0; j < size; ++j) trial[j] += by[j] * scale[j];
        trial = clamp(std::move(trial));
        const Value next = at(trial);
        if (!(next.loss < here.loss)) continue;
        const Real gained = here.loss - next.loss;
        theta = std::move(trial);
        here = at(theta, true);
        damping = std::max(damping / 20, Real(1e-24L));
        idle = gained > 1e-12L * std::max(Real(1), here.loss) ? 0 : idle + 1;
        moved = true;
        break;
      }
      if (!moved) break;
    }
    Least out{here.loss, 0};
    for (std::size_t j = 0; j < parameters_; ++j) {
      out.reach = std::max(out.reach, sizes_[j] * std::abs(theta[Eigen::Index(j)]));
    }
    return out;
  }

  MapSpec map_;
  std::size_t n_, classes_, parameters_ = 0;
  const Matrix<double>* q_;
  std::vector<Real> u_, sizes_;
  Real shift_ = 0;  ///< largest
  bool bounded_ = false;
};

}  // namespace credence::testing_data
