// What rows add to the sums of a LossesTask and of a VotesTask, and where in the sums it stands.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "credence/row_work.hpp"

namespace credence::experiment {

/// How many sums there are of the nll under so many calibrators, and of a task.
std::size_t paired_width(std::size_t calibrators);
std::size_t loss_width(const LossesTask& task, std::size_t classes);
/// Adds a block; its first row is row `first` of `votes`.
void add_losses(const LossesTask& task, Scores scores, const Votes& votes, std::size_t first,
                std::vector<double>& sums);

/// nll of each row of a block against its votes; infinite where a class that somebody chose has
/// probability 0.
void row_losses(const Calibrator& calibrator, Scores scores, const Votes& votes, std::size_t first,
                std::span<double> nll, std::span<std::uint32_t> predicted);
/// Adds rows of which the nll under every calibrator is known: nll[calibrator * rows + row].
void add_row_losses(std::span<const double> nll, std::size_t calibrators, std::size_t rows,
                    std::span<double> sums);

std::size_t annotation_width(std::size_t classes);
void add_annotations(const Votes& votes, std::size_t first, std::size_t count,
                     std::vector<double>& sums);
/// Fewest and most votes of a row.
std::pair<double, double> extremes(const Votes& votes);

}  // namespace credence::experiment
