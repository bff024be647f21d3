#include "fit/passes/isotonic_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace credence::fit_detail {
namespace {

/// Fewer rows are listed and sorted as soon.
constexpr std::size_t kFewestRows = 1024;
constexpr std::size_t kMostRows = std::numeric_limits<std::uint32_t>::max();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool IsotonicRows::serve(const MapSpec& map, const map::StageInput& input) {
  return std::holds_alternative<TopLabelIsotonic>(map) && input.is_plain() &&
         input.rows() >= kFewestRows && input.rows() < kMostRows;
}

IsotonicRows::IsotonicRows(const map::StageInput& input, const Targets& targets,
                           const Spread& spread, const FirstLook* look)
    : input_(&input),
      target_(targets, input.classes()),
      execution_(spread.over(input.rows() * input.classes())),
      whole_(input.rows()),
      order_(list_roughly(look), input.classes()) {
  std::vector<std::uint64_t> by_place(whole_.size());
  const auto rows = order_.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) by_place[i] = whole_[rows[i].row];
  whole_ = std::move(by_place);
}

std::vector<RoughRow> IsotonicRows::list_roughly(const FirstLook* look) {
  if (look != nullptr && !look->is_of(input_->scores())) look = nullptr;
  const std::size_t rows = input_->rows(), classes = input_->classes();
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  std::vector<RoughRow> out(rows);
  std::vector<map::WholeSum> squares(blocks);
  core::parallel_for(execution_.threads, blocks, [&](std::size_t block) {
    const std::size_t first = block * kBlockRows, count = std::min(kBlockRows, rows - first);
    float others_now[kBlockRows];
    std::uint32_t top_now[kBlockRows];
    if (look == nullptr) {
      core::array_kernels().top_roughly(input_->scores().row(first).data(), count, classes,
                                        others_now, top_now);
    }
    const float* const others = look == nullptr ? others_now : look->others.data() + first;
    const std::uint32_t* const top = look == nullptr ? top_now : look->top.data() + first;
    map::WholeSum sum = 0;
    const auto put = [&](std::size_t row, float others_of_row, std::uint32_t top_of_row) {
      const double target = target_(row, top_of_row);
      out[row] = RoughRow::of(others_of_row, row);
      whole_[row] = map::whole_target(target);
      sum += map::whole_target(target * target);
    };
    std::vector<std::uint32_t> unclear;
    for (std::size_t r = 0; r < count; ++r) {
      if (others[r] >= 0.0f) {
        put(first + r, others[r], top[r]);
      } else {  // NaN
        unclear.push_back(static_cast<std::uint32_t>(first + r));
      }
    }
    for_each_exact(unclear, [&](std::size_t i, double confidence, std::uint32_t top_of_row) {
      put(unclear[i], static_cast<float>(std::max(0.0, 1.0 / confidence - 1.0)), top_of_row);
    });
    squares[block] = sum;
  });
  for (const map::WholeSum sum : squares) squares_ += sum;
  return out;
}

/// body(number among `rows`, confidence, predicted class)
template <class Body>
void IsotonicRows::for_each_exact(std::span<const std::uint32_t> rows, const Body& body) const {
  constexpr std::size_t kBatch = 64;
  const std::size_t classes = input_->classes();
  std::vector<float> gathered(std::min(kBatch, rows.size()) * classes);
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    const std::size_t here = std::min(kBatch, rows.size() - first);
    for (std::size_t r = 0; r < here; ++r) {
      const auto row = input_->scores().row(rows[first + r]);
      std::copy_n(row.data(), classes, gathered.data() + r * classes);
    }
    for_each_top(input_->over(Scores(gathered.data(), here, classes)), 0, here,
                 [&](std::size_t r, double confidence, std::uint32_t top) {
                   body(first + r, confidence, top);
                 });
  }
}

/// Sums of targets along the rows, drawn as a line, turn where pools begin: the pools are the
/// largest convex line below. This is the one below some places only, and so nowhere lower than
/// that of all: those some rows apart that are not inside a run.
std::vector<map::Pool> IsotonicRows::pools_of_groups() const {
  constexpr std::size_t kGroup = 16;
  std::vector<map::Pool> pools;
  auto run = order_.runs().begin();
  for (std::size_t i = 0; i < whole_.size();) {
    std::size_t end = std::min(i + kGroup, whole_.size());
    while (run != order_.runs().end() && run->end <= end) ++run;
    if (run != order_.runs().end() && run->first < end) end = run->end;
    map::Pool next{kUnknown, kUnknown, end - i, 0};
    for (; i < end; ++i) next.sum += whole_[i];
    map::push_pool(pools, next);
  }
  return pools;
}

/// The line of all rows can turn only where it falls below that of these pools, and inside a run
/// only if it does when the run's targets below the mean come first.
IsotonicRows::Turns IsotonicRows::turns_below(std::span<const map::Pool> pools) const {
  Turns out;
  auto run = order_.runs().begin();
  std::size_t i = 0;
  for (const map::Pool& pool : pools) {
    const auto weight = static_cast<double>(pool.weight);
    const double mean = static_cast<double>(pool.sum) / weight;
    // Double errs by 2^-53 of the height, at most a quarter of the weight, for each row.
    const double clear = (1e-3 + 0x1p-54 * weight * weight) * map::kWholeTarget;
    const auto gap = [&](std::size_t place) {
      return static_cast<double>(static_cast<std::int64_t>(whole_[place])) - mean;
    };
    double above = 0.0;
    for (const std::size_t end = i + pool.weight; i < end;) {
      const std::size_t next = run != order_.runs().end() ? run->first : end;
      for (const std::size_t stop = std::min(end, next); i < stop;) {
        above += gap(i++);
        if (above < clear) out.places.push_back(i);
      }
      if (i == end) break;
      double dip = above;
      for (; i < run->end; ++i) {
        dip += std::min(gap(i), 0.0);
        above += gap(i);
      }
      if (dip < clear) out.runs.push_back(*run);
      if (above < clear) out.places.push_back(i);
      ++run;
    }
    // Its end is on the line, or nearly.
    if (out.places.empty() || out.places.back() != i) out.places.push_back(i);
  }
  return out;
}

/// The pools of all rows in their order, if these turn at the places or in known runs.
std::vector<map::Pool> IsotonicRows::pools_between(std::span<const std::size_t> places) const {
  std::vector<map::Pool> pools;
  auto known = known_.begin();
  std::size_t i = 0;
  const auto push_up_to = [&](std::size_t end) {
    map::Pool next{kUnknown, kUnknown, end - i, 0};
    for (; i < end; ++i) next.sum += whole_[i];
    if (next.weight > 0) map::push_pool(pools, next);
  };
  for (const std::size_t place : places) {
    for (; known != known_.end() && known->run.end <= place; ++known) {
      push_up_to(known->run.first);
      const std::span<const double> sorted = confidences(*known);
      for (std::size_t j = 1; j < sorted.size(); ++j) {
        if (sorted[j] != sorted[j - 1]) push_up_to(known->run.first + j);
      }
      push_up_to(known->run.end);
    }
    push_up_to(place);
  }
  return pools;
}

std::vector<RowRun> IsotonicRows::runs_at_edges(std::span<const map::Pool> pools) const {
  std::vector<RowRun> out;
  std::size_t edge = 0;
  for (std::size_t j = 0; j + 1 < pools.size(); ++j) {
    edge += pools[j].weight;
    for (const std::size_t place : {edge - 1, edge}) out.push_back(order_.run_at(place));
  }
  return out;
}

void IsotonicRows::find_edges(std::span<map::Pool> pools) const {
  const auto confidence = [&](std::size_t place) {
    const KnownRun& known = *known_at(place);
    return confidences(known)[place - known.run.first];
  };
  std::size_t edge = 0;
  for (std::size_t j = 0; j + 1 < pools.size(); ++j) {
    edge += pools[j].weight;
    pools[j].high = confidence(edge - 1);
    pools[j + 1].low = confidence(edge);
  }
}

std::vector<RowRun> IsotonicRows::runs_at_thresholds(std::span<const double> theta) const {
  std::vector<RowRun> out;
  for (const double threshold : theta.first(theta.size() / 2)) {
    const std::size_t after = order_.place_of(threshold);
    for (const std::size_t place : {after - 1, after}) {
      if (place < whole_.size() && order_.may_be_at(place, threshold)) {
        out.push_back(order_.run_at(place));
      }
    }
  }
  return out;
}

/// How many rows have a smaller confidence.
std::size_t IsotonicRows::rows_below(double threshold) const {
  const std::size_t after = order_.place_of(threshold);
  for (const std::size_t place : {after - 1, after}) {
    const KnownRun* const known = place < whole_.size() ? known_at(place) : nullptr;
    if (known == nullptr) continue;
    const std::span<const double> sorted = confidences(*known);
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, threshold) - sorted.begin());
    if (place == after || at < sorted.size()) return known->run.first + at;
  }
  return after;
}

double IsotonicRows::loss(std::span<const double> theta) const {
  map::RowsBelow all{whole_.size(), 0}, below;
  for (const std::uint64_t target : whole_) all.sum += target;
  return map::mean_square(theta, all, squares_, [&](double threshold) {
    for (const std::size_t end = rows_below(threshold); below.weight < end; ++below.weight) {
      below.sum += whole_[below.weight];
    }
    return below;
  });
}

/// Computes the confidences of these runs and puts their rows in order.
void IsotonicRows::learn(std::vector<RowRun> runs) {
  std::ranges::sort(runs, {}, &RowRun::first);
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  std::erase_if(runs, [&](const RowRun& run) { return known_at(run.first) != nullptr; });
  std::vector<std::uint32_t> rows;
  for (const RowRun& run : runs) {
    for (std::uint32_t i = run.first; i < run.end; ++i) rows.push_back(order_.rows()[i].row);
  }
  std::vector<map::TopLabel> fresh(rows.size());
  core::parallel_for(
      execution_.threads, (rows.size() + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
        const std::size_t first = block * kBlockRows;
        const std::size_t count = std::min(kBlockRows, rows.size() - first);
        const auto part = std::span(rows).subspan(first, count);
        for_each_exact(part, [&](std::size_t i, double confidence, std::uint32_t top) {
          fresh[first + i] = {confidence, target_(part[i], top)};
        });
      });
  // Confidences of different runs differ, and runs are in order.
  map::sort_by_confidence(fresh);
  auto next = fresh.begin();
  for (const RowRun& run : runs) {
    known_.push_back({run, confidences_.size()});
    for (std::uint32_t i = run.first; i < run.end; ++i, ++next) {
      confidences_.push_back(next->confidence);
      whole_[i] = map::whole_target(next->target);
    }
  }
  std::ranges::sort(known_, {}, [](const KnownRun& known) { return known.run.first; });
}

const IsotonicRows::KnownRun* IsotonicRows::known_at(std::size_t place) const {
  const auto after = std::ranges::upper_bound(
      known_, place, {}, [](const KnownRun& known) { return std::size_t{known.run.first}; });
  if (after == known_.begin() || (after - 1)->run.end <= place) return nullptr;
  return &*(after - 1);
}

std::span<const double> IsotonicRows::confidences(const KnownRun& known) const {
  return std::span(confidences_).subspan(known.at, known.run.end - known.run.first);
}

map::TopLabelFit IsotonicRows::fit(const TopLabelIsotonic& map) {
  Turns turns = turns_below(pools_of_groups());
  learn(std::move(turns.runs));
  std::vector<map::Pool> pools = pools_between(turns.places);
  learn(runs_at_edges(pools));
  find_edges(pools);
  map::smooth_pools(pools, map.step_prior);
  std::vector<double> theta = map::steps_of(pools, map.step_prior);
  learn(runs_at_thresholds(theta));
  const double left = loss(theta);
  return {std::move(theta), left};
}

}  // namespace credence::fit_detail
