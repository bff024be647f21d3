// The catalogue: a method is a target and a map, nothing else. Everything that lists methods (help,
// docs, completions, tests) reads kMethods.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/map.hpp"
#include "credence/target.hpp"

namespace credence {

struct Method {
  std::string_view id;
  TargetSpec target;
  MapSpec map;
  std::string_view summary;
};

inline constexpr std::array kMethods{
    Method{"uncalibrated", NoTarget{}, Identity{}, "the model as it is: the reference"},
    Method{"ts", Voted{}, Temperature{}, "one temperature, fitted to the majority label"},
    Method{"ats", Voted{}, AdaptiveTemperature{},
           "a temperature per example from four features of its scores"},
    Method{"platt", Voted{}, DiagonalAffine{}, "a weight and a bias per class"},
    Method{"dirichlet-hard", Voted{}, MatrixAffine{}, "a full matrix and biases (ODIR penalty)"},
    Method{"hist-bin", Voted{}, TopLabelHistogram{}, "15 bins of the top confidence"},
    Method{"slts", Annotators{}, Temperature{}, "one temperature, fitted to the annotators"},
    Method{"mcts", Sampled{}, Temperature{}, "one temperature from one drawn annotation each"},
    Method{"soft-platt", Annotators{}, DiagonalAffine{}, "a weight and a bias per class"},
    Method{"vs", Annotators{}, ClassTemperatures{}, "one temperature per class"},
    Method{"ir-soft", Annotators{}, TopLabelIsotonic{},
           "a monotone step function of the top confidence"},
    Method{"dirichlet-soft", Annotators{}, MatrixAffine{},
           "a full matrix and biases (ODIR penalty)"},
    Method{"ls-ts", Smoothed{Epsilon::mean_complement}, Temperature{},
           "one temperature; the model's mean doubt smooths the majority label"},
    Method{"cc-ls", Smoothed{Epsilon::class_complement}, Temperature{},
           "one temperature; the model's doubt per class smooths the majority label"},
    Method{"ent-ls", Smoothed{Epsilon::prediction_entropy}, Temperature{},
           "one temperature; each prediction's entropy smooths its majority label"},
    Method{"fixed-ls", Smoothed{Epsilon::fixed}, Temperature{},
           "one temperature; a fixed 0.1 smooths the majority label"},
};

/// A method as asked for: one stage, or several for "A then B".
struct MethodSpec {
  struct StageSpec {
    TargetSpec target;
    MapSpec map;
  };
  std::string name;
  std::vector<StageSpec> stages;
  Evidence needs() const;
};

/// Reads "slts", "annotators+histogram" or "dirichlet-soft then ts". An unknown name is an
/// Error(usage) that proposes the nearest known one.
MethodSpec parse_method(std::string_view name);

/// The catalogued methods that this much evidence allows.
std::vector<std::string_view> methods_allowed_by(Evidence evidence);

}  // namespace credence
