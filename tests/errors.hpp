// The error that a call must throw, to look into its message and hint.
#pragma once

#include <gtest/gtest.h>

#include "credence/error.hpp"

namespace credence::test {

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(ErrorCode::usage, "");
}

}  // namespace credence::test
