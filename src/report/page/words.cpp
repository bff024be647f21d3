#include "report/page/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "credence/text.hpp"

namespace credence::report {

bool in_percent(std::string_view metric) {
  return std::ranges::any_of(
      metric_table(), [&](const Metric& known) { return known.name == metric && known.percent; });
}

double scale_of(std::string_view metric) { return in_percent(metric) ? 100.0 : 1.0; }
int digits_of(std::string_view metric) { return in_percent(metric) ? 2 : 4; }

std::string value_text(std::string_view metric, Maybe value) {
  if (!value) return metric == "nll" || metric == "kl" ? "infinite" : "-";
  return fmt::format("{:.{}f}", scale_of(metric) * *value, digits_of(metric));
}

std::string value_with_unit(std::string_view metric, Maybe value) {
  if (!value || !in_percent(metric)) return value_text(metric, value);
  const bool share = metric.find("accuracy") != metric.npos;
  return value_text(metric, value) + (share ? " %" : " points");
}

std::string interval_text(std::string_view metric, const EstimateRecord& e) {
  if (!e.low || !e.high) return {};
  return fmt::format("[{}, {}]", value_text(metric, e.low), value_text(metric, e.high));
}

std::string note_text(std::string_view metric, const EstimateRecord& e) {
  std::string text = fmt::format("{} {}", metric, value_with_unit(metric, e.value));
  const std::string interval = interval_text(metric, e);
  return interval.empty() ? text : text + " " + interval;
}

std::string counted(std::size_t value) { return grouped_digits(value); }

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}f} %", 100.0 * share, digits);
}

std::string counted(std::size_t value, std::string_view what) {
  return fmt::format("{} {}{}", counted(value), what, value == 1 ? "" : "s");
}

std::string headline(const Results& results) {
  switch (results.verdict) {
    case Verdict::ship:
      return fmt::format("Ship {}", results.recommended);
    case Verdict::keep:
      return "No method clearly beats your model: keep it";
    case Verdict::too_few:
      return "Too few examples to choose";
  }
  return {};
}

namespace {

/// What ends a path inside a sentence, unless it is quoted.
constexpr std::string_view kAfterPath = " \t\n\"',;()[]{}|";

std::string_view base_name(std::string_view path) {
  while (path.size() > 1 && (path.back() == '/' || path.back() == '\\')) path.remove_suffix(1);
  const std::size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// An absolute path begins here: "/x", "~/x", "C:\x", "C:/x", and what a network begins with.
bool begins_path(std::string_view text) {
  if (text.size() < 2) return false;
  if (text.starts_with("~/") || text.starts_with("\\\\")) return true;
  if (text[0] == '/') return kAfterPath.find(text[1]) == kAfterPath.npos && text[1] != '/';
  return text.size() > 3 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         text[1] == ':' && (text[2] == '\\' || text[2] == '/') && text[3] != '/';
}

}  // namespace

std::string without_folders(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool first = kAfterPath.find(before) != kAfterPath.npos || before == '=' ||
                       before == ':' || before == '`';
    if (!first || !begins_path(text.substr(at))) {
      out += text[at++];
      continue;
    }
    const bool quoted = before == '\'' || before == '"' || before == '`';
    const std::size_t end =
        std::min(quoted ? text.find(before, at) : text.find_first_of(kAfterPath, at), text.size());
    out += base_name(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string shell_command(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  std::string out;
  for (const std::string& whole : words) {
    if (!out.empty()) out += ' ';
    // "--option=folder/file" keeps its option.
    const std::size_t value = whole.starts_with("--") ? whole.find('=') + 1 : 0;
    const std::string word =
        whole.substr(0, value) + std::string(base_name(std::string_view(whole).substr(value)));
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == word.npos;
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace credence::report
