// The rows of each set of tags, gathered into blocks of their own while all rows go by, and the
// answers to the tasks about them.
#pragma once

#include <vector>

#include "credence/row_work.hpp"
#include "dataset/gathered_rows.hpp"

namespace credence::experiment {

/// An answer that grows: equals are merged as in a binary counter, so that what answers list is
/// copied once per level and not once per block.
class GrowingAnswer {
 public:
  void add(RowAnswer next);
  bool empty() const { return held_.empty(); }
  RowAnswer take();

 private:
  struct Held {
    RowAnswer answer;
    int level;
  };
  std::vector<Held> held_;
};

/// Tasks about the rows of one set of tags.
struct PartTasks {
  TagSet rows;
  std::vector<std::size_t> tasks;  ///< indices into the list of all
};
/// Tasks by the rows that they are about.
std::vector<PartTasks> by_part(std::span<const RowTask> tasks);

/// Answers some tasks from blocks of their rows; side by side where there are several.
void answer_block(std::span<const RowTask> all, const PartTasks& part, const RowBlock& rows,
                  int threads, std::span<GrowingAnswer> answers);

/// True where every row is wanted: its tags are all in the set.
inline bool takes_all(const TagSet& wanted, std::span<const std::uint8_t> tags) {
  return wanted.all() || (tags.empty() && wanted[0]);
}

}  // namespace credence::experiment
