// Targets that are the annotations as they are: none, the majority label, all annotators.
#pragma once

#include "target/about.hpp"

namespace credence::target {

template <>
struct About<NoTarget> : Facts {
  static constexpr std::string_view in_brief = "nothing";
  static std::string_view name(const NoTarget&) { return "none"; }
  static std::string_view meaning(const NoTarget&) { return "nothing"; }
  static Targets of_rows(const NoTarget&, const RowsView&, const Sources&) { return {}; }
};

template <>
struct About<Voted> : Facts {
  static constexpr std::string_view in_brief = "the majority label";
  static std::string_view name(const Voted&) { return "voted"; }
  static std::string_view meaning(const Voted&) { return "all weight on the majority label"; }
  static Targets of_rows(const Voted&, const RowsView& rows, const Sources&) {
    const Votes& votes = *rows.votes;
    Targets out;
    out.reserve(votes.rows(), votes.rows());
    for (std::size_t i = 0; i < votes.rows(); ++i) out.push_one(votes.voted(i), 1.0);
    return out;
  }
};

template <>
struct About<Annotators> : Facts {
  static constexpr bool follows_annotators = true;
  static constexpr std::string_view in_brief = "all annotators";
  static std::string_view name(const Annotators&) { return "annotators"; }
  static std::string_view meaning(const Annotators&) {
    return "the share of annotators who chose each class";
  }
  static Targets of_rows(const Annotators&, const RowsView& rows, const Sources&) {
    return Targets::shares_of(*rows.votes);
  }
};

}  // namespace credence::target
