// What the readers of published JSON layouts share: answers gathered record by record.
#pragma once

#include <simdjson.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/votes/vote_rows.hpp"

namespace credence::io {

/// The value at a key, or at "outer.inner" where no key is spelled so; empty for none and for null.
std::optional<simdjson::dom::element> value_at(simdjson::dom::object record, std::string_view path);
/// The same where it must be an object or a list; empty for anything else.
std::optional<simdjson::dom::object> object_at(simdjson::dom::object record, std::string_view path);
std::optional<simdjson::dom::array> list_at(simdjson::dom::object record, std::string_view path);
/// Text, or a number as text; blank for anything else.
std::string text_at(simdjson::dom::object record, std::string_view path);

/// Cells between commas, without surrounding spaces.
std::vector<std::string> split_at_commas(std::string_view text);

class LayoutAnswers {
 public:
  explicit LayoutAnswers(const VoteFile& file) : file_(file), answers_(file) {}

  const VoteFile& file() const { return file_; }
  /// Where the record stands that is read next: a line, or a key of one object.
  void at_line(std::size_t line) { line_ = line; }
  void at_key(std::string_view key) { key_ = key; }
  [[noreturn]] void fail(const std::string& what, std::string hint = {}) const;

  /// The id of a record: its key, the field that ‹id_field› names, or the first of the fields that
  /// is there; empty for none.
  std::string id_of(simdjson::dom::object record, std::initializer_list<std::string_view> fields);

  /// The record is an example of its own.
  void start_example(std::string id);
  /// The record belongs to the example of that name; what names it may be no id.
  void join_example(std::string_view name) { row_ = answers_.example(name); }

  /// One answer for the example. An empty annotator is nobody in particular.
  void answer(std::string_view annotator, std::string_view label, double weight = 1.0);
  /// Several labels of one annotator share the vote.
  void answer(std::string_view annotator, const std::vector<std::string>& labels);
  /// The class exists, whether or not anybody chooses it.
  void know_class(std::string_view label) { answer({}, label, 0.0); }
  /// Counts what is no answer: "cancelled annotation".
  void leave_out(std::string_view what) { ++left_out_[std::string(what)]; }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// `file` may know more of the classes than the one asked for.
  RawVotes finish(const VoteFile& file, std::string form);

 private:
  const VoteFile& file_;
  AnswerRows answers_;
  std::size_t line_ = 0;
  std::string key_;
  std::uint32_t row_ = 0;
  std::size_t records_ = 0, shared_votes_ = 0;
  std::vector<std::string> ids_, notes_;
  std::map<std::string, std::size_t> left_out_;
};

/// "3 cancelled annotations".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace credence::io
