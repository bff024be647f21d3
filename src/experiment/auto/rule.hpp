// How much each candidate counts, given what all lose on held-out rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/methods.hpp"
#include "experiment/auto/loss_table.hpp"

namespace credence::experiment {

/// Places of the two simplest candidates: the scores as they are, and one temperature.
inline constexpr std::size_t kAsIs = 0, kTemperature = 1;

/// The numbers of the rule; docs/auto.md has the measurements behind them.
struct AutoRule {
  /// A candidate behind the best by this many standard errors counts 1/e of it.
  double sharpness = 1.0;
  /// Share of the two simplest candidates whatever the others do: 1 / (1 + (n / simple_rows)^2).
  /// Within this share a candidate behind by this many standard errors counts 1/e of the other.
  double simple_rows = 75.0, simple_sharpness = 0.5;
  /// What counts less is dropped.
  double least_weight = 1e-3;
  /// Where all together lose more than the two simplest by this many standard errors, 1/e of them
  /// is left.
  double retreat = 0.75;
  /// A candidate is ruled out by a part of the rows where it would still be behind with all of
  /// them, by so many standard errors. With twice the rows these are seven, and it counts less than
  /// the least weight.
  double ruled_out = 5.0;
  /// With fewer rows a single candidate is the simplest within one standard error of the best.
  double single_rows = 500.0;
};

/// The usable candidate that loses least, the first of equals. One at least must be usable.
std::size_t best_of(const LossTable& losses, const std::vector<bool>& usable);

/// Weights of all candidates; they add up to 1. Candidates that are not `usable` get none. The
/// first two are the scores as they are and a temperature.
/// `parameters` counts what each learns.
std::vector<double> weigh(const LossTable& losses, const std::vector<bool>& usable,
                          std::span<const std::size_t> parameters, Automatic kind,
                          const AutoRule& rule = {});

/// How far behind the best a candidate will be with `times` as many rows to fit to. What it loses
/// on held-out rows falls as rows grow more and what it loses on the rows that it is fitted to
/// rises, by as much to first order: with as many as there could be both are half-way, and what is
/// left of the way shrinks as rows grow. Never more than it is behind now.
double behind_with_more_rows(const LossTable& held_out, const LossTable& fitted,
                             std::size_t candidate, std::size_t best, double times);

/// The two simplest alone, by which of them predicts better; the best of all where neither is
/// usable.
std::vector<double> weigh_simplest(const LossTable& losses, const std::vector<bool>& usable,
                                   const AutoRule& rule = {});

/// The share of the second; small weights are dropped.
std::vector<double> blend(std::vector<double> weights, const std::vector<double>& simplest,
                          double share, const AutoRule& rule = {});

/// The share that the two simplest should have beyond what they have already, given what all
/// together and they alone lose: the candidates `all` and `simplest` of the table.
double share_of_simplest(const LossTable& losses, std::size_t all, std::size_t simplest,
                         const AutoRule& rule = {});

}  // namespace credence::experiment
