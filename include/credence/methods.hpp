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
  /// Whether the map reads scores that one temperature, fitted to the same target, has scaled: the
  /// method is then two stages under one name.
  bool after_temperature = false;
  /// Whether comparisons take it up by themselves.
  bool compared = true;
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
    Method{"floor", Annotators{}, Floor{}, "one temperature, and a least probability for a class",
           false, false},
    Method{"adaptive-floor", Annotators{}, AdaptiveFloor{},
           "a temperature per example from entropy and margin, and a least probability", false,
           false},
    Method{"ridge-log", Annotators{}, RidgeLog{},
           "slts, then a full matrix shrunk towards no change", true, false},
    Method{"ridge-both", Annotators{}, RidgeBoth{},
           "slts, then a shrunk matrix over log-probabilities and probabilities", true, false},
    Method{"ridge-sharp", Annotators{}, RidgeSharp{},
           "slts, then a shrunk matrix over those and sharpened probabilities", true, false},
    Method{"channel-log", Annotators{}, ChannelLog{},
           "ridge-log, and how often annotators say one class for another", true, false},
    Method{"channel-both", Annotators{}, ChannelBoth{},
           "ridge-both, and how often annotators say one class for another", true, false},
    Method{"clip", Annotators{}, Clip{},
           "probabilities raised to a least one, then one temperature: for naive Bayes, forests",
           false, false},
    Method{"curves", Annotators{}, Curves{},
           "slts, then a broken line for each class, alike where rows are few", true, false},
};

/// What the program may make of the rows by itself.
enum class Automatic {
  no,      ///< the method says it all
  pool,    ///< several candidates, weighted by how they predict held-out rows
  single,  ///< the one candidate that predicts them best
  simple,  ///< a pool of candidates that never change the predicted class
};

/// Methods that choose among candidates (credence/auto_fit.hpp) instead of being a target and a
/// map.
struct AutomaticMethod {
  std::string_view id;
  Automatic kind;
  std::string_view summary;
};
inline constexpr std::array kAutomaticMethods{
    AutomaticMethod{"auto", Automatic::pool,
                    "several maps, weighted by how they predict held-out rows"},
    AutomaticMethod{"auto-single", Automatic::single,
                    "the one map that predicts held-out rows best"},
    AutomaticMethod{"auto-simple", Automatic::simple,
                    "like auto, of maps that keep the predicted class"},
};

/// A method as asked for: one stage, or several for "A then B"; none where the program chooses.
struct MethodSpec {
  struct StageSpec {
    TargetSpec target;
    MapSpec map;
  };
  std::string name;
  std::vector<StageSpec> stages;
  Automatic automatic = Automatic::no;
  Evidence needs() const;
};

/// Reads "slts", "annotators+histogram" or "dirichlet-soft then ts". An unknown name is an
/// Error(usage) that proposes the nearest known one.
MethodSpec parse_method(std::string_view name);

/// The catalogued methods that this much evidence allows; without those that choose.
std::vector<std::string_view> methods_allowed_by(Evidence evidence);
/// Those of them that a comparison takes up by itself.
std::vector<std::string_view> methods_compared_with(Evidence evidence);

}  // namespace credence
