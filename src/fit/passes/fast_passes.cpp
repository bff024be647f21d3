#include "fit/passes/fast_passes.hpp"

#include "fit/passes/fast_channel.hpp"
#include "fit/passes/fast_matrix.hpp"

namespace credence::fit_detail {
namespace {

template <class M>
constexpr bool kIsFast = kIsMatrix<M> || map::Channelled<M>;

}  // namespace

bool has_fast_passes(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return kIsFast<M>; }, map);
}

std::size_t matrix_inputs(const MapSpec& map, std::size_t classes) {
  return std::visit(
      [&]<class M>(const M&) -> std::size_t {
        if constexpr (kIsFast<M>) return inputs_of<M>(classes);
        return 0;
      },
      map);
}

std::unique_ptr<FastPasses> make_fast_passes(const MapSpec& map, const map::StageInput& input,
                                             const Targets& targets, const Spread& spread,
                                             std::size_t first_block) {
  return std::visit(
      [&]<class M>(const M&) -> std::unique_ptr<FastPasses> {
        if constexpr (kIsMatrix<M>) {
          return std::make_unique<FastMatrix<M>>(input, targets, spread, first_block);
        } else if constexpr (map::Channelled<M>) {
          return std::make_unique<FastChannel<M>>(input, targets, spread, first_block);
        } else {
          return nullptr;
        }
      },
      map);
}

}  // namespace credence::fit_detail
