// Mentions of options and verbs in messages, turned into the words of whoever reads them.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "credence/options.hpp"

namespace credence {
namespace {

// Quotation marks that neither class names nor paths are likely to hold around an option's id.
constexpr std::string_view kOpen = "‹", kClose = "›", kCall = "()";

constexpr std::array<std::string_view, 10> kSharedVerbs{"methods", "metrics", "inspect",  "compare",
                                                        "report",  "fit",     "evaluate", "ablate",
                                                        "plan",    "simulate"};

const OptionInfo* option_with(std::string_view id) {
  const auto found = std::ranges::find(all_options(), id, &OptionInfo::id);
  return found == all_options().end() ? nullptr : &*found;
}

std::string on_command_line(const OptionInfo& option, std::string_view value) {
  std::string text = option.letter != 0 && option.flag == "output"
                         ? std::string("-") + option.letter
                         : "--" + std::string(option.flag);
  if (!value.empty()) text.append(" ").append(value);
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.';
  });
}

/// `skip_rows`, not `input="logits"` or `save()`.
bool is_keyword(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string plainly(const OptionInfo& option, std::string_view value) {
  std::string text(option.id);
  if (!value.empty() && value != option.value) text.append(" ").append(value);
  return text;
}

std::string in_python(const OptionInfo& option, std::string_view value) {
  if (option.python.empty()) return plainly(option, value);
  std::string text(option.python);
  if (!is_keyword(text)) return text;
  if (option.value.empty()) return text + "=True";
  text += '=';
  if (value.empty() || value == option.value) return text;
  if (is_number(value)) return text.append(value);
  std::string quoted(value);
  std::ranges::replace(quoted, '-', '_');
  return text + '"' + quoted + '"';
}

std::string name_of_verb(std::string_view verb, Speech speech) {
  switch (speech) {
    case Speech::command_line:
      return "'credence " + std::string(verb) + "'";
    case Speech::python:
      return "credence." + std::string(verb) + "()";
    case Speech::plain:
      break;
  }
  return std::string(verb) + "()";
}

/// What stands between the marks, in words; nothing where it is no mention.
std::optional<std::string> in_words(std::string_view inside, Speech speech) {
  if (inside.ends_with(kCall)) {
    const std::string_view verb = inside.substr(0, inside.size() - kCall.size());
    if (std::ranges::find(kSharedVerbs, verb) == kSharedVerbs.end()) return std::nullopt;
    return name_of_verb(verb, speech);
  }
  const std::size_t equals = inside.find('=');
  const OptionInfo* const option = option_with(inside.substr(0, equals));
  if (option == nullptr) return std::nullopt;
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : inside.substr(equals + 1);
  switch (speech) {
    case Speech::command_line:
      return on_command_line(*option, value);
    case Speech::python:
      return in_python(*option, value);
    case Speech::plain:
      break;
  }
  return plainly(*option, value);
}

}  // namespace

std::span<const std::string_view> shared_verbs() { return kSharedVerbs; }

std::string mention(Option option) {
  return std::string(kOpen).append(info(option).id).append(kClose);
}

std::string mention(Option option, std::string_view value) {
  return std::string(kOpen).append(info(option).id).append("=").append(value).append(kClose);
}

std::string render(std::string_view text, Speech speech) {
  std::string out;
  while (true) {
    const std::size_t open = text.find(kOpen);
    out.append(text.substr(0, open));
    if (open == std::string_view::npos) return out;
    text.remove_prefix(open);
    const std::size_t close = text.find(kClose);
    const std::optional<std::string> words =
        close == std::string_view::npos
            ? std::nullopt
            : in_words(text.substr(kOpen.size(), close - kOpen.size()), speech);
    out.append(words ? std::string_view(*words) : kOpen);
    text.remove_prefix(words ? close + kClose.size() : kOpen.size());
  }
}

std::vector<std::string> render(std::span<const std::string> texts, Speech speech) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(render(text, speech));
  return out;
}

}  // namespace credence
