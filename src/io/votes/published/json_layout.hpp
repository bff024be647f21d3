// JSON as annotation tools and data sets publish it: one reader per layout, told apart by the
// first record.
#pragma once

#include <simdjson.h>

#include <memory>
#include <optional>
#include <string_view>

#include "io/bytes/text_twice.hpp"
#include "io/votes/published/layout_answers.hpp"

namespace credence::io {

class LayoutReader {
 public:
  virtual ~LayoutReader() = default;
  virtual void read(simdjson::dom::object record) = 0;
  virtual RawVotes finish() = 0;
};

struct JsonLayout {
  std::string_view name;  ///< as ‹votes_format› has it
  bool is_keyed = false;  ///< one object, whose keys are the ids of the records
  /// True when the record cannot be of another layout.
  bool (*fits)(simdjson::dom::object record) = nullptr;
  std::unique_ptr<LayoutReader> (*open)(LayoutAnswers& answers) = nullptr;
};

/// Reads a file in one of the layouts: that which ‹votes_format› names, or the one that the first
/// record shows. Empty when it is none of them.
std::optional<RawVotes> read_published_json(const TextTwice& text, const VoteFile& file);

}  // namespace credence::io
