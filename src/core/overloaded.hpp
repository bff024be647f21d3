// Lambdas as the cases of std::visit.
#pragma once

namespace credence::core {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace credence::core
