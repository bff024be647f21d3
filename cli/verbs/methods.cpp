#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_methods(CLI::App& verb) {
  verb.description("List the methods and what each needs");
  verb.footer(
      "Examples:\n"
      "  credence methods\n"
      "  credence methods --evidence voted      when only voted labels are known\n"
      "  credence methods --format json | jq -r '.methods[].id'");
  const auto options = std::make_shared<MethodsOptions>();
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  verb.add_option("--evidence", options->evidence, "list only what this much evidence allows")
      ->type_name("KIND")
      ->check(CLI::IsMember({"none", "voted", "annotations", "distributions"}))
      ->group(kResult);
  return [options] { run_methods(*options); };
}

}  // namespace credence::cli
