// A number per row that several evaluations of the same votes can hold in common.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace credence::metrics {

template <class T>
class SharedColumn {
 public:
  /// To be filled, before it is shared.
  std::vector<T>& own() { return *values_; }
  /// Uses the numbers of another column from now on, which are the same.
  void share(const SharedColumn& other) { values_ = other.values_; }

  std::size_t size() const { return values_->size(); }
  const T* data() const { return values_->data(); }
  const T& operator[](std::size_t i) const { return values_->data()[i]; }
  const T& front() const { return values_->front(); }
  operator std::span<const T>() const { return *values_; }
  bool operator==(const SharedColumn& other) const {
    return values_ == other.values_ || *values_ == *other.values_;
  }

 private:
  std::shared_ptr<std::vector<T>> values_ = std::make_shared<std::vector<T>>();
};

}  // namespace credence::metrics
