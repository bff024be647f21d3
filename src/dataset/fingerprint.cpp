#include "dataset/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace credence {

struct Fingerprint::Hash {
  Hash() : state(XXH3_createState()) {
    if (state == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state.get());
  }
  void add(const void* bytes, std::size_t count) {
    if (count != 0) XXH3_128bits_update(state.get(), bytes, count);
  }
  // Every variable-length part is preceded by its length, so no two datasets run together.
  void add(std::size_t value) {
    const std::uint64_t fixed = value;
    add(&fixed, sizeof fixed);
  }
  struct Free {
    void operator()(XXH3_state_t* memory) const { XXH3_freeState(memory); }
  };
  std::unique_ptr<XXH3_state_t, Free> state;
};

Fingerprint::Fingerprint() : hash_(std::make_unique<Hash>()) {}
Fingerprint::~Fingerprint() = default;
Fingerprint::Fingerprint(Fingerprint&&) noexcept = default;
Fingerprint& Fingerprint::operator=(Fingerprint&&) noexcept = default;

void Fingerprint::scores_of(std::size_t rows, std::size_t classes) {
  hash_->add(rows);
  hash_->add(classes);
}

void Fingerprint::add(Scores scores) { hash_->add(scores.data(), scores.size() * sizeof(float)); }

void Fingerprint::votes_of(std::size_t rows) { hash_->add(rows); }

void Fingerprint::add(const Votes& votes) {
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    hash_->add(row.classes.size());
    hash_->add(row.classes.data(), row.classes.size_bytes());
    hash_->add(row.weights.data(), row.weights.size_bytes());
  }
}

std::string Fingerprint::finish(std::span<const std::string> classes) {
  hash_->add(classes.size());
  for (const std::string& name : classes) {
    hash_->add(name.size());
    hash_->add(name.data(), name.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(hash_->state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string Dataset::fingerprint() const {
  Fingerprint print;
  print.scores_of(scores.rows(), scores.cols());
  print.add(scores);
  print.votes_of(votes.rows());
  print.add(votes);
  return print.finish(classes);
}

}  // namespace credence
