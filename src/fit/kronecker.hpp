// For the matrix map the Hessian is a mean of Kronecker products, spread of the prediction (x)
// input input^T. The product of the two means whitens the scores, and its eigenvectors make it
// cheap to invert: a preconditioner for conjugate gradients.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace credence::fit_detail {

/// `spread` is K x K, `inputs` (K+1) x (K+1), both lower triangles; `damping` is added to every
/// eigenvalue of the product. The result maps theta = [W row-major, c] to theta.
std::function<void(const double*, double*)> make_kronecker_preconditioner(
    const std::vector<double>& spread, std::size_t classes, const std::vector<double>& inputs,
    std::size_t side, double damping);

}  // namespace credence::fit_detail
