// Preferences between two responses, each by several annotators: HelpSteer2
// (all_preferences_unprocessed), HelpSteer3 (individual_preference) and MultiPref
// (normal_worker_annotations, expert_worker_annotations). How many classes they make depends on how
// many the scores have: every strength, or first, tie and second, or only first and second.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/json/json_lines.hpp"
#include "io/votes/published/json_layout.hpp"
#include "io/votes/vote_json.hpp"

namespace credence::io {
namespace {

namespace dom = simdjson::dom;

struct PreferenceList {
  std::string_view list, value, annotator;
  bool in_words = false;
};

constexpr PreferenceList kPreferenceLists[] = {
    {"individual_preference", "score", "annotator_id"},
    {"all_preferences_unprocessed", "strength", "annotator_id"},
    {"normal_worker_annotations", "overall_pref", "evaluator", true},
    {"expert_worker_annotations", "overall_pref", "evaluator", true},
};

struct PreferenceWord {
  std::string_view word;
  int strength;
};

// Negative: the first response is better.
constexpr PreferenceWord kPreferenceWords[] = {{"A-is-clearly-better", -2},
                                               {"A-is-slightly-better", -1},
                                               {"Tie", 0},
                                               {"B-is-slightly-better", 1},
                                               {"B-is-clearly-better", 2}};
constexpr int kStrongest = 3;
// How HelpSteer2 writes that both responses are bad.
constexpr double kNeither = -100.0;

class PreferenceReader : public LayoutReader {
 public:
  explicit PreferenceReader(LayoutAnswers& answers) : answers_(answers) {}

  void read(dom::object record) override {
    answers_.start_example(answers_.id_of(record, {"comparison_id", "id", "uid"}));
    bool any = false;
    for (const PreferenceList& known : kPreferenceLists) {
      const auto value = value_at(record, known.list);
      if (!value) continue;
      any = true;
      dom::array list;
      if (value->get(list) != simdjson::SUCCESS) {
        answers_.fail(fmt::format("{} is {}; a list of preferences is wanted", known.list,
                                  json_type_name(*value)));
      }
      choose_classes(known.in_words);
      for (const dom::element item : list) add(item, known);
    }
    if (!any) {
      answers_.fail("no preferences",
                    "they are expected in individual_preference, all_preferences_unprocessed, "
                    "normal_worker_annotations or expert_worker_annotations");
    }
  }

  RawVotes finish() override {
    if (classes_.empty()) answers_.fail("no preferences in the whole file");
    VoteFile file = answers_.file();
    const std::vector<std::string> asked = std::exchange(file.classes, classes_);
    answers_.note(fmt::format("preferences are read as {} classes, {}: {}", classes_.size(),
                              answers_.file().expected_classes == 0 ? "one for each strength"
                                                                    : "as many as the scores have",
                              fmt::join(classes_, ", ")));
    if (ties_ != 0) {
      answers_.note(fmt::format("{}: the vote is shared by both responses", counted(ties_, "tie")));
    }
    RawVotes raw = answers_.finish(file, "preferences between two responses");
    if (asked.size() == classes_.size()) raw.table.classes = asked;
    return raw;
  }

 private:
  void choose_classes(bool in_words) {
    if (!classes_.empty()) {
      if (in_words != in_words_) answers_.fail("preferences of two kinds in one file");
      return;
    }
    in_words_ = in_words;
    const std::string first = in_words ? "A" : "response_1", second = in_words ? "B" : "response_2";
    const std::size_t levels = in_words ? std::size(kPreferenceWords) : 2 * kStrongest + 1;
    const std::size_t wanted = answers_.file().expected_classes;
    if (wanted == 0 || wanted == levels) {
      if (in_words) {
        for (const PreferenceWord& known : kPreferenceWords) classes_.emplace_back(known.word);
      } else {
        for (int s = -kStrongest; s <= kStrongest; ++s) classes_.push_back(std::to_string(s));
      }
    } else if (wanted == 3) {
      classes_ = {first, "tie", second};
    } else if (wanted == 2) {
      classes_ = {first, second};
    } else {
      answers_.fail(
          fmt::format("preferences have {} strengths, but the scores have {} classes", levels,
                      wanted),
          fmt::format("scores may have {} classes, 3 (first, tie, second) or 2 (first, second)",
                      levels));
    }
  }

  void add(dom::element item, const PreferenceList& known) {
    dom::object preference;
    if (item.get(preference) != simdjson::SUCCESS) {
      answers_.fail(fmt::format("a preference is {}; an object is wanted", json_type_name(item)));
    }
    const std::string& asked = answers_.file().votes_field;
    const std::string_view field = asked.empty() ? known.value : std::string_view(asked);
    const auto value = value_at(preference, field);
    if (!value) {
      answers_.leave_out(fmt::format("preference without '{}'", field));
      return;
    }
    const auto strength = strength_of(*value, known.in_words);
    if (!strength) {
      answers_.leave_out("answer that neither response is good");
      return;
    }
    vote(text_at(preference, known.annotator), *strength);
  }

  std::optional<int> strength_of(dom::element value, bool in_words) const {
    if (in_words) {
      const std::string word = to_label(value).value_or("");
      const auto found = std::ranges::find(kPreferenceWords, word, &PreferenceWord::word);
      if (found != std::end(kPreferenceWords)) return found->strength;
      answers_.fail(
          fmt::format("preference {} is not one of A-is-clearly-better, ..., Tie, ..., "
                      "B-is-clearly-better",
                      excerpt(word)));
    }
    const auto number = to_number(value);
    if (number == kNeither) return std::nullopt;
    if (!number || *number != std::floor(*number) || std::abs(*number) > kStrongest) {
      answers_.fail(
          fmt::format("preference is {}; a whole number from -{} to {} is wanted",
                      number ? fmt::format("{}", *number) : std::string(json_type_name(value)),
                      kStrongest, kStrongest));
    }
    return static_cast<int>(*number);
  }

  void vote(const std::string& annotator, int strength) {
    if (classes_.size() == 2) {
      if (strength == 0) {
        ++ties_;
        for (const std::string& name : classes_) answers_.answer({}, name, 0.5);
        return;
      }
      answers_.answer(annotator, classes_[strength > 0 ? 1 : 0]);
    } else if (classes_.size() == 3) {
      answers_.answer(annotator, classes_[strength == 0 ? 1 : strength > 0 ? 2 : 0]);
    } else {
      const auto middle = static_cast<std::ptrdiff_t>(classes_.size() / 2);
      const std::ptrdiff_t place = middle + strength;
      answers_.answer(annotator, classes_[static_cast<std::size_t>(place)]);
    }
  }

  LayoutAnswers& answers_;
  bool in_words_ = false;
  std::vector<std::string> classes_;
  std::size_t ties_ = 0;
};

bool fits_preferences(dom::object record) {
  return std::ranges::any_of(kPreferenceLists, [&](const PreferenceList& known) {
    return list_at(record, known.list).has_value();
  });
}

std::unique_ptr<LayoutReader> open_preferences(LayoutAnswers& answers) {
  return std::make_unique<PreferenceReader>(answers);
}

}  // namespace

extern const JsonLayout kPreferencesLayout{
    .name = "preferences", .fits = fits_preferences, .open = open_preferences};

}  // namespace credence::io
