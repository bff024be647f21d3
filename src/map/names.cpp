#include "core/overloaded.hpp"
#include "credence/map.hpp"

namespace credence {

std::string_view map_name(const MapSpec& map) {
  using Name = std::string_view;
  return std::visit(core::Overloaded{
                        [](const Identity&) -> Name { return "identity"; },
                        [](const Temperature&) -> Name { return "temperature"; },
                        [](const ClassTemperatures&) -> Name { return "class-temperatures"; },
                        [](const DiagonalAffine&) -> Name { return "diagonal"; },
                        [](const MatrixAffine&) -> Name { return "matrix"; },
                        [](const AdaptiveTemperature&) -> Name { return "adaptive"; },
                        [](const TopLabelIsotonic&) -> Name { return "isotonic"; },
                        [](const TopLabelHistogram&) -> Name { return "histogram"; },
                    },
                    map);
}

}  // namespace credence
