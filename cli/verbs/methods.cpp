#include <memory>

#include "commands/commands.hpp"
#include "options/option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_methods(CLI::App& verb) {
  verb.description("List the methods and what each needs");
  verb.footer(
      "Examples:\n"
      "  credence methods\n"
      "  credence methods --evidence voted      when only majority labels are known\n"
      "  credence methods --format json | jq -r '.methods[].id'");
  const auto options = std::make_shared<MethodsOptions>();
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  add_option(verb, Option::evidence, options->evidence, kResult);
  return [options] { run_methods(*options); };
}

}  // namespace credence::cli
