#include "experiment/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "map/about.hpp"

namespace credence::experiment {
namespace {

/// Whether minimising the loss against this target minimises the expected nll, which is measured
/// against the annotators' shares where they are known, and against the one label otherwise.
bool is_what_nll_measures(const TargetSpec& target, Evidence evidence) {
  if (std::holds_alternative<NoTarget>(target)) return true;
  return evidence == Evidence::distributions ? std::holds_alternative<Annotators>(target)
                                             : std::holds_alternative<Voted>(target);
}

/// A candidate that may be taken, with its held-out nll.
struct Ranked {
  const Candidate* candidate;
  double nll;
};

bool simpler(const Ranked& a, const Ranked& b) {
  const auto key = [](const Ranked& r) {
    return std::tuple(r.candidate->parameters, !r.candidate->fitted_to_score, r.nll);
  };
  return key(a) < key(b);
}

/// The candidates that may be taken, simplest first.
class Ladder {
 public:
  Ladder(std::vector<Ranked> ranked, std::span<const std::uint32_t> groups)
      : rungs_(std::move(ranked)), groups_(groups) {
    std::ranges::stable_sort(rungs_, simpler);
    const auto is_more = [](const Ranked& one) { return one.candidate->parameters > 0; };
    const auto first = std::ranges::find_if(rungs_, is_more);
    low_ = static_cast<std::size_t>(first - rungs_.begin());
    // Of several temperatures only the first is a low rung; the others are among the many.
    if (first != rungs_.end() && first->candidate->parameters == 1) ++low_;
  }

  const Ranked& best() const { return *std::ranges::min_element(rungs_, {}, &Ranked::nll); }

  /// The best is beaten by none, so there is one to find.
  const Ranked& lowest_unbeaten() const {
    return *std::ranges::find_if(rungs_, [&](const Ranked& one) {
      return std::ranges::none_of(rungs_, [&](const Ranked& other) {
        if (other.nll >= one.nll) return false;
        const MeanOverRows ahead = lead(*other.candidate, *one.candidate, groups_);
        return ahead.mean > errors_needed(one, other) * ahead.standard_error;
      });
    });
  }

  /// By how many standard errors `other` must lead for `one` to be left.
  double errors_needed(const Ranked& one, const Ranked& other) const {
    return is_low(one) && !is_low(other) ? 2.0 : 1.0;
  }

  std::string reason(const Ranked& chosen) const {
    if (&chosen == &best()) return fmt::format("lowest nll ({:.4f})", chosen.nll);
    const MeanOverRows ahead = lead(*best().candidate, *chosen.candidate, groups_);
    const bool fewer = chosen.candidate->parameters < best().candidate->parameters;
    return fmt::format(
        "nll {:.4f}; {} because the lead of {}, {:.4f}, is {} its standard error, {:.4f}",
        chosen.nll, fewer ? "kept simple" : "preferred for its target", best().candidate->name,
        ahead.mean, ahead.mean > ahead.standard_error ? "below twice" : "below",
        ahead.standard_error);
  }

 private:
  bool is_low(const Ranked& one) const { return &one < rungs_.data() + low_; }

  std::vector<Ranked> rungs_;
  std::size_t low_ = 0;  ///< how many are low: the scores as they are, and one temperature
  std::span<const std::uint32_t> groups_;
};

}  // namespace

MeanOverRows lead(const Candidate& other, const Candidate& one,
                  std::span<const std::uint32_t> groups) {
  return lead(*other.held_out, *one.held_out, groups);
}

std::vector<Candidate> candidates(const std::vector<MethodSpec>& methods,
                                  std::span<const Calibrator* const> fitted,
                                  const std::vector<HeldOut>& held_out, Evidence evidence) {
  std::vector<Candidate> all;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    Candidate one{.name = methods[j].name, .held_out = &held_out[j]};
    one.parameters = fitted[j]->parameter_count();
    // What chooses takes no candidate that can give a class probability 0.
    one.keeps_predictions =
        methods[j].automatic == Automatic::no || methods[j].automatic == Automatic::simple;
    for (const MethodSpec::StageSpec& stage : methods[j].stages) {
      one.fitted_to_score = one.fitted_to_score && is_what_nll_measures(stage.target, evidence);
      one.can_give_zero = one.can_give_zero || map::can_give_zero(stage.map);
      one.keeps_predictions = one.keeps_predictions && map::keeps_order(stage.map);
    }
    all.push_back(one);
  }
  return all;
}

Recommendation recommend(std::span<const Candidate> candidates,
                         std::span<const std::uint32_t> groups) {
  std::vector<Ranked> allowed, barred;
  for (const Candidate& one : candidates) {
    if (!one.held_out->problem.empty()) continue;
    const Ranked ranked{&one, mean_held_out(*one.held_out, groups).mean};
    (one.can_give_zero ? barred : allowed).push_back(ranked);
  }
  if (allowed.empty()) return {{}, "no method could be cross-validated on the calibration rows"};

  const Ladder ladder(std::move(allowed), groups);
  const Ranked& chosen = ladder.lowest_unbeaten();
  std::string why = ladder.reason(chosen);
  for (const Ranked& one : barred) {
    if (one.nll >= chosen.nll) continue;
    why += fmt::format("; {} (nll {:.4f}) is never recommended: it can give a class probability 0",
                       one.candidate->name, one.nll);
  }
  return {std::string(chosen.candidate->name), why};
}

}  // namespace credence::experiment
