#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <new>

#include "credence/dataset.hpp"

namespace credence {
namespace {

class Hasher {
 public:
  Hasher() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void add(const void* bytes, std::size_t count) {
    if (count != 0) XXH3_128bits_update(state_.get(), bytes, count);
  }
  // Every variable-length part is preceded by its length, so no two datasets run together.
  void add(std::size_t value) {
    const std::uint64_t fixed = value;
    add(&fixed, sizeof fixed);
  }
  std::string digest() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace

std::string Dataset::fingerprint() const {
  Hasher hash;
  hash.add(scores.rows());
  hash.add(scores.cols());
  hash.add(scores.data(), scores.size() * sizeof(float));
  hash.add(votes.rows());
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    hash.add(row.classes.size());
    hash.add(row.classes.data(), row.classes.size_bytes());
    hash.add(row.weights.data(), row.weights.size_bytes());
  }
  hash.add(classes.size());
  for (const std::string& name : classes) {
    hash.add(name.size());
    hash.add(name.data(), name.size());
  }
  return hash.digest();
}

}  // namespace credence
