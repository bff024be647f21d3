// The border between exceptions and error codes.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "credence/credence.h"
#include "credence/error.hpp"

namespace credence::c {

/// Keeps the message for credence_last_error and returns the status. Texts are cut rather than
/// allocated: this must not fail.
credence_status fail(credence_status status, std::string_view message,
                     std::string_view hint = {}) noexcept;

credence_status status_of(ErrorCode code) noexcept;

/// The same, with options named as C++ names them.
credence_status fail(const Error& error) noexcept;

/// Runs body(), which returns a status or throws; no exception leaves.
template <class Body>
credence_status guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(CREDENCE_ERROR_MEMORY, "no memory left");
  } catch (const std::exception& error) {
    return fail(CREDENCE_ERROR_INTERNAL, error.what(), "please report this");
  } catch (...) {
    return fail(CREDENCE_ERROR_INTERNAL, "unknown failure", "please report this");
  }
}

}  // namespace credence::c
