// Labels as annotators' tools write them, names or numbers, turned into class indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "credence/io.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {

/// Distinct labels in the order met. What they mean is decided once, when all are known: a file is
/// never read half as names and half as indices.
class LabelTokens {
 public:
  /// Number of this label; `line` is kept for messages when it is new.
  std::uint32_t add(std::string_view text, std::size_t line);
  std::size_t size() const { return texts_.size(); }
  bool contains(std::string_view text) const { return texts_.find(text).has_value(); }

  struct Meaning {
    std::vector<std::uint32_t> class_of;  ///< by token
    std::vector<std::string> classes;     ///< names, or empty when labels are indices
    std::size_t class_count = 0;
    std::vector<std::string> notes;
  };
  /// Names are looked up in the given classes of the votes, else in those of the scores, else
  /// sorted; whole numbers are indices unless every one of them is a class name. `nli_order` gives
  /// the labels e, n, c the order in which ChaosNLI publishes its counts.
  Meaning resolve(const VoteFile& file, bool nli_order = false) const;

 private:
  std::string at(std::uint32_t token, const VoteFile& file) const;
  bool all_whole(std::vector<std::int64_t>& values) const;
  Meaning as_indices(const VoteFile& file, const std::vector<std::int64_t>& values) const;
  bool match(const std::vector<std::string>& names, Meaning& meaning,
             std::vector<std::uint32_t>& unmatched) const;
  void refuse_mixture(const VoteFile& file) const;
  Meaning sorted_names(const VoteFile& file, bool nli_order) const;

  Interner texts_;
  std::vector<std::size_t> lines_;
};

}  // namespace credence::io
