// The verbs: what each may be told, and the function that does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/bootstrap.hpp"
#include "credence/map.hpp"
#include "credence/metrics.hpp"
#include "credence/page.hpp"
#include "options/dataset_options.hpp"
#include "text/output.hpp"

namespace credence::cli {

struct MethodsOptions {
  Format format = Format::text;
  std::string evidence;  ///< list only what this much evidence allows; empty lists all
};
void run_methods(const MethodsOptions& options);

}  // namespace credence::cli
