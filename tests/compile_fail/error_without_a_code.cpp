// Exit codes and hints depend on the code of an error, so every error has one.
// refused: no matching .*Error
#include "credence/error.hpp"

[[noreturn]] void use() {
#ifdef CREDENCE_MISTAKE
  throw credence::Error("something is wrong");
#else
  throw credence::Error(credence::ErrorCode::data, "votes.csv:118: counts sum to 0");
#endif
}
