// With P = p C, R = 1/P and x_0 = 1 for the biases, sums over rows of
//   p_j p_l (sum_k C_jk C_lk R_k - 1) x_a x_b   for weights (j,a) and (l,b),
//   V = p_j p_l R_m x_a                         for weights (j,a) and the row l of L,
//   p_j p_l R_m                                 for rows j and l of L
// are all that depends on the rows; the derivatives of the softmax that makes C multiply them.
#include "fit/channel/channel_curvature.hpp"

#include <algorithm>
#include <cfloat>

#include "core/kernels.hpp"
#include "fit/search/dense.hpp"
#include "map/all_maps.hpp"

namespace credence::fit_detail {
namespace {

constexpr std::size_t kChannelRows = 256;
/// A share of the largest curvature that every direction has at least: numbers added to all of a
/// row of L change nothing.
constexpr double kLeastCurvature = 1e-7;

/// The sums over the rows of a sample, in float32 for so many rows at a time.
struct ChannelSums {
  std::size_t classes, inputs;  ///< inputs with the 1 of the biases, which is the last
  std::vector<double> fronts;   ///< pairs (j >= l) x pairs (a >= b)
  std::vector<double> mixed;    ///< (pair, m) x a
  std::vector<double> share;    ///< p_j

  ChannelSums(std::size_t k, std::size_t columns)
      : classes(k),
        inputs(columns),
        fronts(pairs(k) * pairs(columns)),
        mixed(pairs(k) * k * columns),
        share(k) {}
  static std::size_t pairs(std::size_t count) { return count * (count + 1) / 2; }
  static std::size_t pair(std::size_t j, std::size_t l) {
    return j >= l ? j * (j + 1) / 2 + l : l * (l + 1) / 2 + j;
  }
  double front(std::size_t j, std::size_t l, std::size_t a, std::size_t b) const {
    return fronts[pair(j, l) * pairs(inputs) + pair(a, b)];
  }
  double with_input(std::size_t j, std::size_t l, std::size_t m, std::size_t a) const {
    return mixed[(pair(j, l) * classes + m) * inputs + a];
  }
};

/// One piece of a sample: x with the 1 last, p and P, class by class.
struct ChannelPiece {
  std::vector<float> x, p, said;
};

void add_piece(const ChannelPiece& piece, const std::vector<float>& both, ChannelSums& sums) {
  constexpr std::size_t n = kChannelRows;
  const std::size_t k = sums.classes, columns = sums.inputs, pairs = ChannelSums::pairs(k);
  std::vector<float> together(pairs * n), spread(pairs * n), odds(k * n);
  std::vector<float> weighted(pairs * k * n), products(ChannelSums::pairs(columns) * n);
  for (std::size_t i = 0; i < odds.size(); ++i) odds[i] = 1.0f / piece.said[i];
  core::kernels().f32.multiply(both.data(), k, pairs, k, nullptr, odds.data(), spread.data(), n);
  for (std::size_t j = 0, at = 0; j < k; ++j) {
    for (std::size_t l = 0; l <= j; ++l, ++at) {
      for (std::size_t r = 0; r < n; ++r) {
        together[at * n + r] = piece.p[j * n + r] * piece.p[l * n + r];
        spread[at * n + r] = together[at * n + r] * (spread[at * n + r] - 1.0f);
      }
      for (std::size_t m = 0; m < k; ++m) {
        for (std::size_t r = 0; r < n; ++r) {
          weighted[(at * k + m) * n + r] = together[at * n + r] * odds[m * n + r];
        }
      }
    }
  }
  for (std::size_t a = 0, at = 0; a < columns; ++a) {
    for (std::size_t b = 0; b <= a; ++b, ++at) {
      for (std::size_t r = 0; r < n; ++r) {
        products[at * n + r] = piece.x[a * n + r] * piece.x[b * n + r];
      }
    }
  }
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t r = 0; r < n; ++r) sums.share[j] += static_cast<double>(piece.p[j * n + r]);
  }
  const core::TileKernels<float>& kernels = core::kernels().f32;
  kernels.multiply_transposed(spread.data(), pairs, products.data(), ChannelSums::pairs(columns), n,
                              sums.fronts.data(), ChannelSums::pairs(columns), false);
  kernels.multiply_transposed(weighted.data(), pairs * k, piece.x.data(), columns, n,
                              sums.mixed.data(), columns, false);
}

std::vector<float> narrowed(Params numbers) {
  std::vector<float> out(numbers.size());
  std::ranges::transform(numbers, out.begin(), [](double x) { return static_cast<float>(x); });
  return out;
}

/// Means over the rows of a sample.
template <class M>
ChannelSums channel_sums(const map::StageInput& input, const std::vector<double>& theta) {
  constexpr std::size_t n = kChannelRows;
  const std::size_t k = input.classes(), features = map::Math<M>::remembered(k);
  const std::size_t stride = core::tile_rows(k);
  ChannelSums sums(k, features + 1);
  const Params all = theta;
  const std::vector<float> weights = narrowed(all.first(k * features));
  const std::vector<float> bias = narrowed(all.subspan(k * features, k));
  const std::vector<float> channel = narrowed(all.last(k * k));
  std::vector<float> transposed(k * k), both(ChannelSums::pairs(k) * k), lse(n);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t m = 0; m < k; ++m) {
      transposed[m * k + j] = channel[j * k + m];
      for (std::size_t l = 0; l <= j; ++l) {
        both[ChannelSums::pair(j, l) * k + m] = channel[j * k + m] * channel[l * k + m];
      }
    }
  }
  ChannelPiece piece{std::vector<float>((features + 1) * n), std::vector<float>(k * n),
                     std::vector<float>(k * n)};
  std::vector<double> u(k * stride), x(features * stride);
  for (std::size_t first = 0; first < input.rows(); first += n) {
    const std::size_t rows = std::min(n, input.rows() - first);
    std::ranges::fill(piece.x, 0.0f);
    for (std::size_t done = 0; done < rows; done += stride) {
      const std::size_t here = std::min(stride, rows - done);
      input.load(first + done, here, u.data());
      map::Math<M>::remember({k, stride, u.data(), input.gauge()}, x.data());
      for (std::size_t a = 0; a < features; ++a) {
        for (std::size_t r = 0; r < here; ++r) {
          piece.x[a * n + done + r] = static_cast<float>(x[a * stride + r]);
        }
      }
    }
    std::fill_n(&piece.x[features * n], n, 1.0f);
    const core::TileKernels<float>& kernels = core::kernels().f32;
    kernels.multiply(weights.data(), features, k, features, bias.data(), piece.x.data(),
                     piece.p.data(), n);
    kernels.wide_softmax(piece.p.data(), k, n, lse.data());
    kernels.multiply(transposed.data(), k, k, k, nullptr, piece.p.data(), piece.said.data(), n);
    for (float& number : piece.said) number = std::max(number, FLT_MIN);
    for (std::size_t j = 0; rows < n && j < k; ++j) {  // rows past the end must not count
      std::fill(&piece.p[j * n] + rows, &piece.p[j * n] + n, 0.0f);
    }
    add_piece(piece, both, sums);
  }
  const double scale = 1.0 / static_cast<double>(input.rows());
  for (double& sum : sums.fronts) sum *= scale;
  for (double& sum : sums.mixed) sum *= scale;
  for (double& sum : sums.share) sum *= scale;
  return sums;
}

/// The lower triangle of the Hessian over [W, c, L].
std::vector<double> channel_hessian(const ChannelSums& sums, Params channel,
                                    const map::Quadratic& penalty, double prior) {
  const std::size_t k = sums.classes, columns = sums.inputs - 1, front = k * sums.inputs;
  const std::size_t size = front + k * k;
  std::vector<double> hessian(size * size, 0.0);
  const auto weight = [&](std::size_t j, std::size_t a) {
    return a < columns ? j * columns + a : k * columns + j;
  };
  const auto c = [&](std::size_t j, std::size_t m) { return channel[j * k + m]; };
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t a = 0; a <= columns; ++a) {
      const std::size_t row = weight(j, a);
      for (std::size_t l = 0; l < k; ++l) {
        for (std::size_t b = 0; b <= columns; ++b) {
          if (weight(l, b) <= row) hessian[row * size + weight(l, b)] = sums.front(j, l, a, b);
        }
        double mean = 0.0;
        for (std::size_t m = 0; m < k; ++m) {
          mean += c(l, m) * c(j, m) * sums.with_input(j, l, m, a);
        }
        for (std::size_t m = 0; m < k; ++m) {
          hessian[(front + l * k + m) * size + row] =
              c(l, m) * (c(j, m) * sums.with_input(j, l, m, a) - mean);
        }
      }
    }
  }
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t l = 0; l <= j; ++l) {
      const auto odds = [&](std::size_t m) { return sums.with_input(j, l, m, columns); };
      double mean = 0.0;
      for (std::size_t m = 0; m < k; ++m) mean += c(j, m) * c(l, m) * odds(m);
      for (std::size_t m = 0; m < k; ++m) {
        for (std::size_t o = 0; o < k; ++o) {
          double sum = c(j, m) * c(l, o) * mean;
          if (m == o) sum += odds(m) * c(j, m) * c(l, m);
          sum -= c(l, o) * c(j, m) * c(l, m) * odds(m);
          sum -= c(j, m) * c(j, o) * c(l, o) * odds(o);
          if (j == l) sum += prior * c(j, m) * ((m == o ? 1.0 : 0.0) - c(j, o));
          if (j == l && m == o) sum += kLeastSpread * sums.share[j];
          const std::size_t row = front + j * k + m, column = front + l * k + o;
          if (column <= row) hessian[row * size + column] = sum;
        }
      }
    }
  }
  penalty.add_curvature(size, hessian.data());
  double largest = 0.0;
  for (std::size_t i = front; i < size; ++i) largest = std::max(largest, hessian[i * size + i]);
  for (std::size_t i = front; i < size; ++i) hessian[i * size + i] += kLeastCurvature * largest;
  return hessian;
}

}  // namespace

core::Task<std::shared_ptr<const FitCurvature>> channel_curvature(const Problem& problem,
                                                                  const std::vector<double>& theta,
                                                                  double prior) {
  const std::unique_ptr<InputSample> sample =
      co_await ask_for_sample(problem, curvature_rows(problem, theta.size()));
  const Params channel = Params(theta).last(problem.classes * problem.classes);
  const Objective objective(problem);
  std::vector<double> hessian = std::visit(
      [&]<class M>(const M&) -> std::vector<double> {
        if constexpr (map::Channelled<M>) {
          return channel_hessian(channel_sums<M>(sample->input(), theta), channel,
                                 objective.penalty(), prior);
        }
        return {};
      },
      problem.about.map);
  co_return curvature_from(std::move(hessian), theta.size());
}

}  // namespace credence::fit_detail
