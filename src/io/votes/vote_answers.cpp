// peerannot's answers.json: {"task": {"worker": label, ...}, ...}.
#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/json/json_lines.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kHint =
    "votes as JSON are JSON lines, or one object {\"task\": {\"worker\": label}}";

RawVotes collect(dom::object tasks, const VoteFile& file) {
  AnswerRows answers(file);
  std::size_t unanswered = 0;
  for (const auto task : tasks) {
    dom::object workers;
    if (task.value.get(workers) != simdjson::SUCCESS) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: task {} is {}; an object of worker and label is wanted",
                              file.path, excerpt(task.key), json_type_name(task.value)),
                  std::string(kHint));
    }
    if (workers.size() == 0) {
      ++unanswered;
      continue;
    }
    const std::uint32_t example = answers.example(task.key);
    for (const auto worker : workers) {
      const auto label = to_label(worker.value);
      if (!label || is_blank(*label)) {
        throw Error(ErrorCode::data,
                    fmt::format("{}: task {}, worker {}: label is {}", file.path, excerpt(task.key),
                                excerpt(worker.key), json_type_name(worker.value)));
      }
      answers.add(example, answers.annotator(worker.key), *label, 0);
    }
  }
  if (answers.answers() == 0 && !answers.any_dropped())
    throw Error(ErrorCode::data, file.path + ": no answers");
  RawVotes raw = answers.finish(file, file.labels_only, file.labels_only);
  raw.table.ids = answers.example_ids();
  raw.table.gathered = true;
  raw.table.form = "answers by task and worker";
  if (unanswered != 0) {
    raw.table.notes.push_back(
        fmt::format("{} task{} without answers left out", unanswered, unanswered == 1 ? "" : "s"));
  }
  return raw;
}

}  // namespace

bool holds_answers(TextLines lines) {
  std::string_view line;
  std::string first;
  char second = '\0';  // how the second line starts, if there is one
  while (second == '\0' && lines.next(line)) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) continue;
    if (first.empty()) {
      first = line.substr(start);
    } else {
      second = line[start];
    }
  }
  if (!first.starts_with('{')) return false;
  dom::parser parser;
  dom::object object;
  if (parser.parse(first).get(object) != simdjson::SUCCESS) {
    // Spread over lines; but where the next line starts an object, a record is broken.
    return second != '{';
  }
  if (second != '\0') return false;
  return std::ranges::all_of(object, [](const auto& field) { return field.value.is_object(); }) &&
         std::ranges::none_of(kVoteFields,
                              [&](std::string_view name) { return has_key(object, name); });
}

RawVotes read_answers(const TextTwice& source, const VoteFile& file) {
  const simdjson::padded_string text(read_text(source.bytes(), file.path));
  dom::parser parser;
  dom::element document;
  dom::object tasks;
  auto error = parser.parse(text).get(document);
  if (error == simdjson::SUCCESS) error = document.get(tasks);
  if (error != simdjson::SUCCESS) {
    throw Error(ErrorCode::format,
                fmt::format("{}: not valid JSON: {}", file.path, simdjson::error_message(error)),
                std::string(kHint));
  }
  check_unique_keys(document, file.path);
  return collect(tasks, file);
}

}  // namespace credence::io
