// Newton's method for the two parameters of a line, by ask and tell.
#pragma once

#include "credence/calibrator.hpp"

namespace credence::fit_detail {

/// Sums over rows of a loss f(a + b x): itself, its gradient and its Hessian by (a, b).
struct LineSums {
  double loss = 0.0;
  double ga = 0.0, gb = 0.0;
  double haa = 0.0, hab = 0.0, hbb = 0.0;

  /// A row at x with loss f and derivatives f' and f''.
  void add(double x, double f, double slope, double curve) {
    loss += f;
    ga += slope;
    gb += slope * x;
    haa += curve;
    hab += curve * x;
    hbb += curve * x * x;
  }
};

/// Minimises the mean loss plus (a^2 + b^2) / (2 kPriorVariance n): a normal prior that weighs as
/// little as a fraction of a row and keeps both numbers finite where the rows would not (nobody
/// disagrees with anybody, all predictions are alike).
class LineNewton {
 public:
  static constexpr double kPriorVariance = 25.0;

  /// The line at which sums are wanted next.
  const LogLine& wanted() const { return trial_; }
  /// The sums at wanted(), over so many rows. Does nothing once done.
  void tell(const LineSums& sums, double rows, double tolerance, int max_passes);
  bool done() const { return done_; }

  const LogLine& best() const { return best_; }
  /// Without the prior.
  double mean_loss() const { return mean_loss_; }
  const FitReport& report() const { return report_; }

 private:
  struct Point {
    double loss = 0.0, ga = 0.0, gb = 0.0, haa = 0.0, hab = 0.0, hbb = 0.0;
    double gradient_norm() const;
  };
  Point at(const LineSums& sums, double rows) const;
  bool improves(const Point& point, double tolerance) const;
  void choose_step();
  void finish(Stop stop);

  LogLine trial_, best_;
  Point point_;  ///< at best_
  double mean_loss_ = 0.0;
  double step_a_ = 0.0, step_b_ = 0.0;
  double share_ = 1.0;  ///< of the step that is tried
  bool started_ = false, done_ = false;
  FitReport report_;
};

}  // namespace credence::fit_detail
