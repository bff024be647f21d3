#include <array>

#include "core/overloaded.hpp"
#include "credence/target.hpp"

namespace credence {

std::string_view target_name(const TargetSpec& target) {
  return std::visit(core::Overloaded{
                        [](const NoTarget&) -> std::string_view { return "none"; },
                        [](const Voted&) -> std::string_view { return "voted"; },
                        [](const Annotators&) -> std::string_view { return "annotators"; },
                        [](const Sampled&) -> std::string_view { return "sampled"; },
                        [](const Smoothed& smoothed) -> std::string_view {
                          switch (smoothed.rule) {
                            case Epsilon::mean_complement:
                              return "smoothed-mean";
                            case Epsilon::class_complement:
                              return "smoothed-class";
                            case Epsilon::prediction_entropy:
                              return "smoothed-entropy";
                            case Epsilon::fixed:
                              return "smoothed-fixed";
                          }
                          return "smoothed";
                        },
                    },
                    target);
}

Evidence needs(const TargetSpec& target) {
  return std::visit([](const auto& spec) { return spec.needs; }, target);
}

}  // namespace credence
