#include "options/option_helpers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace credence::cli {
namespace {

constexpr const char* kScores = "Scores (exactly one of the first three)";
constexpr const char* kAnnotations = "Annotations";
constexpr const char* kRows = "Rows";

/// A whole number in a range, refused with words that name the range.
CLI::Validator whole_number(Option option) {
  return CLI::Validator(
      [option](std::string& text) -> std::string {
        const Values& values = info(option).values;
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, failure] = std::from_chars(text.data(), end, value);
        const bool whole = failure == std::errc{} && stop == end;
        if (whole && value >= values.least && value <= values.most) return {};
        return fmt::format("'{}' is not {}", text, accepted_values(option));
      },
      "");
}

CLI::Validator real_number(Option option) {
  return CLI::Validator(
      [option](std::string& text) -> std::string {
        double value = 0.0;
        if (CLI::detail::lexical_cast(text, value) && accepts(option, value)) return {};
        return fmt::format("'{}' is not {}", text, accepted_values(option));
      },
      "");
}

}  // namespace

std::string flags_of(Option option) {
  const OptionInfo& row = info(option);
  const std::string flag = fmt::format("--{}", row.flag);
  return row.letter == 0 ? flag : fmt::format("-{},{}", row.letter, flag);
}

std::string help_of(Option option) {
  const OptionInfo& row = info(option);
  const std::string help = render(row.help, Speech::command_line);
  return row.usual.empty() ? help : fmt::format("{} ({})", help, row.usual);
}

CLI::Option* described(CLI::Option* added, Option option, const char* group) {
  const OptionInfo& row = info(option);
  added->group(group);
  if (!row.value.empty()) added->type_name(std::string(row.value));
  // Lists of seeds are read by read_seeds(), which knows "42..46".
  if (option == Option::seeds || option == Option::study_seeds) return added;
  switch (row.values.kind) {
    case Values::Kind::whole:
      return added->check(whole_number(option));
    case Values::Kind::real:
      return added->check(real_number(option));
    case Values::Kind::choice:
      return added->check(CLI::IsMember(CLI::detail::split(std::string(row.values.words), '|')));
    case Values::Kind::anything:
      break;
  }
  return added;
}

CLI::Option* add_named(CLI::App& verb, Option option,
                       const std::function<void(const std::string&)>& take, const char* group) {
  return described(verb.add_option_function<std::string>(flags_of(option), take, help_of(option)),
                   option, group);
}

void add_switch(CLI::App& verb, Option option, bool& value, const char* group) {
  verb.add_flag(flags_of(option), value, help_of(option))->group(group);
}

void format_option(CLI::App& verb, Format& format, const std::vector<std::string>& names) {
  verb.add_option_function<std::string>(
          flags_of(Option::format),
          [&format](const std::string& name) {
            format = name == "json"       ? Format::json
                     : name == "csv"      ? Format::csv
                     : name == "markdown" ? Format::markdown
                                          : Format::text;
          },
          help_of(Option::format))
      ->type_name(std::string(info(Option::format).value))
      ->check(CLI::IsMember(names))
      ->group(kResult);
}

void threads_option(CLI::App& verb, int& threads) {
  add_option(verb, Option::threads, threads, kTuning);
}

void gauge_option(CLI::App& verb, Gauge& gauge) {
  const auto take = [&gauge](const std::string& name) {
    gauge = name == "raw" ? Gauge::raw : Gauge::log_probs;
  };
  add_named(verb, Option::gauge, take, kTuning);
}

void metric_options(CLI::App& verb, MetricOptions& metrics) {
  add_option(verb, Option::bins, metrics.bins, kTuning);
  add_option(verb, Option::entropy_bins, metrics.entropy_bins, kTuning);
  add_option(verb, Option::draws, metrics.draws, kTuning);
  add_option(verb, Option::draw_seed, metrics.seed, kTuning);
}

CLI::Option* bootstrap_options(CLI::App& verb, BootstrapOptions& bootstrap, const char* group) {
  CLI::Option* resamples = add_option(verb, Option::resamples, bootstrap.resamples, group);
  add_option(verb, Option::level, bootstrap.level, group);
  const auto take = [&bootstrap](const std::string& name) {
    bootstrap.kind = name == "studentised" ? IntervalKind::studentised : IntervalKind::percentile;
  };
  add_named(verb, Option::interval, take, group);
  add_switch(verb, Option::resample_annotators, bootstrap.annotators, group);
  return resamples;
}

namespace {

/// The scores of one model, and again for each further one.
void repeated_option(CLI::App& verb, Option option, std::string& first,
                     std::vector<std::string>& more) {
  const auto take = [&first, &more](const std::vector<std::string>& all) {
    first = all.front();
    more.assign(all.begin() + 1, all.end());
  };
  CLI::Option* added =
      verb.add_option_function<std::vector<std::string>>(flags_of(option), take, help_of(option));
  // As often as it is given, a file each time; help shows it like any other option.
  constexpr int kAnyNumber = CLI::detail::expected_max_vector_size - 1;
  described(added, option, kScores)->expected(1, kAnyNumber)->allow_extra_args(false);
}

}  // namespace

void score_options(CLI::App& verb, DatasetOptions& data) {
  repeated_option(verb, Option::logits, data.logits, data.more_logits);
  repeated_option(verb, Option::log_probs, data.log_probs, data.more_log_probs);
  repeated_option(verb, Option::probs, data.probs, data.more_probs);
  add_option(verb, Option::scores_field, data.scores_field, kScores);
  add_option(verb, Option::id_field, data.id_field, kScores);
  add_option(verb, Option::score_classes, data.score_classes, kScores);
}

void classes_option(CLI::App& verb, DatasetOptions& data) {
  add_option(verb, Option::classes, data.classes, kScores);
}

void row_options(CLI::App& verb, DatasetOptions& data) {
  add_option(verb, Option::rows, data.rows, kRows);
  add_option(verb, Option::skip_rows, data.skip_rows, kRows);
}

void dataset_options(CLI::App& verb, DatasetOptions& data) {
  score_options(verb, data);
  classes_option(verb, data);
  add_option(verb, Option::votes, data.votes, kAnnotations);
  add_option(verb, Option::labels, data.labels, kAnnotations);
  add_option(verb, Option::votes_field, data.votes_field, kAnnotations);
  add_option(verb, Option::vote_classes, data.vote_classes, kAnnotations);
  add_option(verb, Option::votes_format, data.votes_format, kAnnotations);
  add_option(verb, Option::drop_labels, data.drop_labels, kAnnotations)->allow_extra_args(false);
  add_switch(verb, Option::assume_order, data.assume_order, kAnnotations);
  add_switch(verb, Option::allow_unmatched, data.allow_unmatched, kAnnotations);
  row_options(verb, data);
  add_option(verb, Option::groups, data.groups, kRows);
}

}  // namespace credence::cli
