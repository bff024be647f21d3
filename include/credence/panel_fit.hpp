// Fitting several models of the same examples at once.
#pragma once

#include <span>
#include <string>

#include "credence/auto_fit.hpp"
#include "credence/dataset.hpp"
#include "credence/panel.hpp"

namespace credence {

/// The same examples and votes, scored by one model each; votes and groups are those of the first.
/// Exponents minimise the nll of what the calibrators say of rows that they were not fitted to.
/// Where all models together are not ahead of the best alone by a standard error, that one is the
/// result. `method` must choose a pool ("auto"); any other is an Error(usage).
Panel fit_panel(const MethodSpec& method, std::span<const Dataset> models,
                std::span<const std::string> names, const FitOptions& options = {},
                const AutoProgress& progress = {});

}  // namespace credence
