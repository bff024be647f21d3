// The fingerprint of a dataset, from rows that arrive in pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "credence/dataset.hpp"

namespace credence {

/// Call in this order: scores_of, add (scores) until all are there; votes_of, add (votes) until all
/// are there; finish. However rows are cut into pieces, the fingerprint is Dataset::fingerprint().
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;

  void scores_of(std::size_t rows, std::size_t classes);
  void add(Scores scores);
  void votes_of(std::size_t rows);
  void add(const Votes& votes);
  std::string finish(std::span<const std::string> classes);

 private:
  struct Hash;
  std::unique_ptr<Hash> hash_;
};

}  // namespace credence
