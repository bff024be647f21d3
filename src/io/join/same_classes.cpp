#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "credence/aligned_calibrator.hpp"
#include "credence/error.hpp"

namespace credence::io {

void align_classes(Dataset& data, const std::vector<std::string>& classes) {
  if (data.classes.empty() || classes.empty() || data.classes == classes) return;
  std::vector<std::uint32_t> position;
  for (const std::string& name : data.classes) {
    const auto found = std::ranges::find(classes, name);
    if (found == classes.end() || data.classes.size() != classes.size()) {
      throw Error(ErrorCode::data,
                  fmt::format("the test data have classes {}; the calibration data have {}",
                              fmt::join(data.classes, ", "), fmt::join(classes, ", ")),
                  "both must name the same classes, in any order");
    }
    position.push_back(static_cast<std::uint32_t>(found - classes.begin()));
  }
  auto moved = std::make_shared<Matrix<float>>(data.rows(), classes.size());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t k = 0; k < position.size(); ++k) (*moved)(i, position[k]) = data.scores(i, k);
  }
  if (data.votes.rows() > 0) data.votes = data.votes.relabel(position, classes.size());
  data.scores = std::as_const(*moved).view();
  data.owner = std::move(moved);
  data.first_look.reset();
  data.classes = classes;
}

}  // namespace credence::io
