// A target in the place of a map is not a method.
// refused: Temperature.*(TargetSpec|variant)
#include "credence/methods.hpp"

#ifdef CREDENCE_MISTAKE
constexpr credence::Method kMine{"mine", credence::Temperature{}, credence::Annotators{}, ""};
#else
constexpr credence::Method kMine{"mine", credence::Annotators{}, credence::Temperature{}, ""};
#endif
static_assert(kMine.id == "mine");
