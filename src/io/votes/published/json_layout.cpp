#include "io/votes/published/json_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {

// Each stands in a file beside this one. To add a layout, write such a file, name it twice here,
// and once in the table of options.
extern const JsonLayout kLewidiLayout;
extern const JsonLayout kArgillaLayout;
extern const JsonLayout kLabelStudioLayout;
extern const JsonLayout kProdigyLayout;
extern const JsonLayout kPreferencesLayout;

namespace {

namespace dom = simdjson::dom;

constexpr const JsonLayout* kLayouts[] = {&kLewidiLayout, &kArgillaLayout, &kLabelStudioLayout,
                                          &kProdigyLayout, &kPreferencesLayout};

const JsonLayout* layout_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      kLayouts, [name](const JsonLayout* known) { return known->name == name; });
  return found == std::end(kLayouts) ? nullptr : *found;
}

const JsonLayout* layout_of(dom::object record, bool is_keyed) {
  for (const JsonLayout* known : kLayouts) {
    if (known->is_keyed == is_keyed && known->fits(record)) return known;
  }
  return nullptr;
}

/// One object over the whole file; empty when it is not of a layout we know.
std::optional<RawVotes> read_keyed(const TextTwice& text, const VoteFile& file,
                                   const JsonLayout* layout) {
  const simdjson::padded_string bytes(read_text(text.bytes(), file.path));
  dom::parser parser;
  dom::element document;
  dom::object items;
  auto error = parser.parse(bytes).get(document);
  if (error == simdjson::SUCCESS) error = document.get(items);
  if (error != simdjson::SUCCESS) {
    if (layout == nullptr) return std::nullopt;  // told where answers.json is read
    throw Error(ErrorCode::format,
                fmt::format("{}: not valid JSON: {}", file.path, simdjson::error_message(error)),
                "the layout is one object {\"id\": {...}} over the whole file");
  }
  std::unique_ptr<LayoutReader> reader;
  LayoutAnswers answers(file);
  for (const auto item : items) {
    dom::object record;
    const bool is_record = item.value.get(record) == simdjson::SUCCESS;
    if (layout == nullptr && is_record) layout = layout_of(record, true);
    if (layout == nullptr) return std::nullopt;
    answers.at_key(item.key);
    if (!reader) {
      check_unique_keys(document, file.path);
      reader = layout->open(answers);
    }
    if (!is_record) {
      answers.fail(fmt::format("{}; an object is wanted", json_type_name(item.value)));
    }
    reader->read(record);
  }
  if (!reader) return std::nullopt;
  return reader->finish();
}

}  // namespace

std::optional<RawVotes> read_published_json(const TextTwice& text, const VoteFile& file) {
  const JsonLayout* layout = layout_named(file.format);
  if (layout == nullptr && !file.format.empty()) return std::nullopt;
  if (file.labels_only) return std::nullopt;
  if (layout != nullptr ? layout->is_keyed : holds_answers(text.lines())) {
    return read_keyed(text, file, layout);
  }
  JsonLines lines(text.lines());
  dom::object record;
  if (!lines.next(record)) return std::nullopt;
  if (layout == nullptr) layout = layout_of(record, false);
  if (layout == nullptr) return std::nullopt;
  LayoutAnswers answers(file);
  const std::unique_ptr<LayoutReader> reader = layout->open(answers);
  do {
    answers.at_line(lines.line());
    reader->read(record);
  } while (lines.next(record));
  return reader->finish();
}

}  // namespace credence::io
