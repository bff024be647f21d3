#include "fit/passes/row_passes.hpp"

#include <algorithm>

#include "core/bins.hpp"
#include "fit/passes/isotonic_rows.hpp"
#include "fit/passes/temperature_passes.hpp"
#include "fit/passes/top_rows.hpp"
#include "map/all_maps.hpp"
#include "target/about.hpp"

namespace credence::fit_detail {
namespace {

using Sums = Request::Sums;

bool same_stages(const std::vector<Stage>& a, const std::vector<Stage>& b) {
  return std::ranges::equal(
      a, b, [](const Stage& x, const Stage& y) { return x.map == y.map && x.theta == y.theta; });
}

}  // namespace

State RowPasses::answer(const Request& request) {
  State state;
  state.number = request.number;
  state.first_row = rows_.first;
  state.end_row = rows_.first + rows_.scores.rows();
  if (request.sums == Sums::model_doubt) {
    state.sums = model_doubt(request);
    return state;
  }
  Prepared& prepared = prepare(request);
  switch (request.sums) {
    case Sums::rows:
      list_rows(request, prepared, state);
      break;
    case Sums::temperature:
    case Sums::temperature_fast:
      state.sums =
          temperature_sums(rows_.scores, targets(prepared), request.theta.at(0),
                           request.sums == Sums::temperature ? Arithmetic::f64 : Arithmetic::f32,
                           request.with_linear, spread_, first_block());
      break;
    case Sums::loss:
    case Sums::curvature:
      state.sums = smooth(prepared).loss(request.theta, request.sums == Sums::curvature);
      break;
    case Sums::loss_fast:
    case Sums::curvature_fast:
      state.sums = fast(prepared).loss(request.theta, request.sums == Sums::curvature_fast);
      break;
    case Sums::product:
      state.sums = smooth(prepared).product(request.theta, request.direction);
      break;
    case Sums::diagonal:
      state.sums = smooth(prepared).diagonal(request.theta);
      break;
    case Sums::steering_product:
      state.sums = steering_product(request, prepared);
      break;
    case Sums::frequencies:
      state.sums = frequencies(prepared);
      break;
    case Sums::sizes:
      state.sums = sizes(request, prepared);
      break;
    case Sums::top_labels:
      if (is_all_ && IsotonicRows::serve(request.map, *prepared.input)) {
        IsotonicRows rows(*prepared.input, targets(prepared), spread_, look_);
        map::TopLabelFit fitted = rows.fit(std::get<TopLabelIsotonic>(request.map));
        state.solved = std::move(fitted.theta);
        state.solved.push_back(fitted.loss);
      } else {
        list_top_labels(prepared, state);
      }
      break;
    case Sums::histogram:
      state.sums = histogram(request, prepared);
      break;
    case Sums::model_doubt:
      break;
  }
  return state;
}

RowPasses::Prepared& RowPasses::prepare(const Request& request) {
  const bool again =
      prepared_ && prepared_->about.target == request.target &&
      prepared_->about.epsilon == request.epsilon && prepared_->about.map == request.map &&
      prepared_->about.gauge == request.gauge && same_stages(prepared_->about.front, request.front);
  if (!again) {
    auto fresh = std::make_unique<Prepared>();
    fresh->about = request;
    fresh->about.theta.clear();
    fresh->about.direction.clear();
    if (given_ == nullptr) {
      const target::RowsView view{rows_.first, rows_.scores, rows_.votes, rows_.keys};
      fresh->made = target::of_rows(request.target, view, {request.epsilon, request.seed});
    }
    prepared_ = std::move(fresh);
  }
  // Temperatures of plain scores and samples of rows read the scores themselves.
  const bool reads_input = request.sums != Sums::temperature &&
                           request.sums != Sums::temperature_fast && request.sums != Sums::rows;
  if (reads_input && !prepared_->input) {
    const MapSpec& map = prepared_->about.map;
    // Steps are fitted to the very numbers that they will read; derivatives want small ones.
    const bool steps = map::has_steps(map);
    prepared_->input.emplace(rows_.scores, request.gauge, prepared_->about.front,
                             steps ? &map : nullptr);
    if (!steps && !std::holds_alternative<Temperature>(map)) {
      prepared_->input->remember_shifts(spread_.threads);
    }
  }
  return *prepared_;
}

SmoothPasses& RowPasses::smooth(Prepared& prepared) const {
  if (!prepared.smooth) {
    prepared.smooth = make_smooth_passes(prepared.about.map, *prepared.input, targets(prepared),
                                         spread_, first_block());
  }
  return *prepared.smooth;
}

FastPasses& RowPasses::fast(Prepared& prepared) const {
  if (!prepared.fast) {
    prepared.fast = make_fast_passes(prepared.about.map, *prepared.input, targets(prepared),
                                     spread_, first_block());
  }
  return *prepared.fast;
}

BlockSums RowPasses::steering_product(const Request& request, Prepared& prepared) {
  if (!prepared.products || prepared.products_at != request.theta) {
    prepared.products.emplace(*prepared.input, request.theta, spread_.over(rows_.scores.size()),
                              first_block());
    prepared.products_at = request.theta;
  }
  return prepared.products->multiply(request.direction);
}

BlockSums RowPasses::model_doubt(const Request& request) const {
  const target::RowsView view{rows_.first, rows_.scores, rows_.votes, rows_.keys};
  return sum_blocks(
      rows_.scores.rows(), first_block(), target::doubt_sums(request.target, rows_.scores.cols()),
      spread_.over(rows_.scores.size()), [&](std::size_t first, std::size_t rows, double* sums) {
        target::add_doubt(request.target, view.block(first, rows), sums);
      });
}

BlockSums RowPasses::frequencies(const Prepared& prepared) const {
  const Targets& all = targets(prepared);
  const std::size_t classes = rows_.scores.cols();
  return sum_blocks(rows_.scores.rows(), first_block(), classes, spread_.over(rows_.scores.rows()),
                    [&](std::size_t first, std::size_t rows, double* sums) {
                      for (std::size_t i = first; i < first + rows; ++i) {
                        const TargetRow row = all.row(i);
                        for (std::size_t j = 0; j < row.classes.size(); ++j) {
                          sums[row.classes[j]] += row.weights[j] / row.total;
                        }
                        const double uniform = all.uniform(i) / static_cast<double>(classes);
                        for (std::size_t k = 0; uniform > 0.0 && k < classes; ++k)
                          sums[k] += uniform;
                      }
                    });
}

BlockSums RowPasses::sizes(const Request& request, Prepared& prepared) const {
  const std::size_t classes = rows_.scores.cols(), stride = core::tile_rows(classes);
  const map::StageInput& input = *prepared.input;
  const std::size_t remembered = std::visit(
      [&]<class M>(const M&) -> std::size_t {
        if constexpr (map::Remembering<M>) return map::Math<M>::remembered(classes);
        return 0;
      },
      request.map);
  const std::size_t columns = remembered > 0 ? remembered : classes;
  return sum_blocks(
      rows_.scores.rows(), first_block(), columns, spread_.over(rows_.scores.size()),
      [&](std::size_t from, std::size_t count, double* sums) {
        std::vector<double> own(remembered * stride);
        for_each_input(input, from, count, [&](std::size_t, std::size_t rows, double* u) {
          std::visit(
              [&]<class M>(const M&) {
                if constexpr (map::Remembering<M>) {
                  map::Math<M>::remember({classes, stride, u, input.gauge()}, own.data());
                }
              },
              request.map);
          const double* const tile = remembered > 0 ? own.data() : u;
          for (std::size_t j = 0; j < columns; ++j) {
            const double* const column = tile + j * stride;
            for (std::size_t r = 0; r < rows; ++r) sums[j] += column[r] * column[r];
          }
        });
      });
}

BlockSums RowPasses::histogram(const Request& request, Prepared& prepared) const {
  const std::size_t classes = rows_.scores.cols();
  return std::visit(
      [&]<class M>(const M& map) -> BlockSums {
        if constexpr (map::FittedToSums<M>) {
          return sum_blocks(rows_.scores.rows(), first_block(), map::Math<M>::count_sums(map),
                            spread_.over(rows_.scores.size()),
                            [&](std::size_t from, std::size_t count, double* sums) {
                              for_each_top(
                                  *prepared.input, from, count,
                                  [&](std::size_t row, double confidence, std::uint32_t top) {
                                    const double target = targets(prepared).at(row, top, classes);
                                    map::Math<M>::add(map, {confidence, target}, sums);
                                  });
                            });
        }
        return {};
      },
      request.map);
}

void RowPasses::list_top_labels(Prepared& prepared, State& state) const {
  const std::size_t rows = rows_.scores.rows(), classes = rows_.scores.cols();
  const Targets& all = targets(prepared);
  const TargetAt target(all, classes);
  state.listed.resize(2 * rows);
  core::parallel_for(spread_.over(rows_.scores.size()).threads,
                     (rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
                       const std::size_t first = block * kBlockRows;
                       for_each_top(*prepared.input, first, std::min(kBlockRows, rows - first),
                                    [&](std::size_t row, double confidence, std::uint32_t top) {
                                      state.listed[2 * row] = confidence;
                                      state.listed[2 * row + 1] = target(row, top);
                                    });
                     });
}

/// Per row: its uniform mass, how many classes its target names, and each with its weight.
void RowPasses::list_rows(const Request& request, const Prepared& prepared, State& state) const {
  const Targets& all = targets(prepared);
  const std::size_t end = rows_.first + rows_.scores.rows();
  const RowSample& sample = request.sample;
  std::size_t start = rows_.first / sample.step * sample.step;
  for (; start < end && start / sample.step < sample.count; start += sample.step) {
    const std::size_t from = std::max(start, rows_.first), to = std::min(start + sample.run, end);
    for (std::size_t i = from; i < to; ++i) {
      const auto z = rows_.scores.row(i - rows_.first);
      state.scores.insert(state.scores.end(), z.begin(), z.end());
      const TargetRow row = all.row(i - rows_.first);
      state.listed.push_back(all.uniform(i - rows_.first));
      state.listed.push_back(static_cast<double>(row.classes.size()));
      for (std::size_t j = 0; j < row.classes.size(); ++j) {
        state.listed.push_back(row.classes[j]);
        state.listed.push_back(row.weights[j] / row.total);
      }
    }
  }
}

SampleRows decode_rows(const State& state, std::size_t classes) {
  SampleRows out;
  const std::size_t rows = state.scores.size() / classes;
  out.scores = Matrix<float>(state.scores, rows, classes);
  std::vector<double> uniform(rows);
  auto at = state.listed.begin();
  std::vector<std::uint32_t> named;
  std::vector<double> weights;
  for (double& mass : uniform) {
    mass = *at++;
    named.resize(static_cast<std::size_t>(*at++));
    weights.resize(named.size());
    for (std::size_t j = 0; j < named.size(); ++j) {
      named[j] = static_cast<std::uint32_t>(*at++);
      weights[j] = *at++;
    }
    out.targets.push({named, weights, 1.0});
  }
  if (std::ranges::any_of(uniform, [](double mass) { return mass != 0.0; })) {
    out.targets.set_uniform(std::move(uniform));
  }
  return out;
}

}  // namespace credence::fit_detail
