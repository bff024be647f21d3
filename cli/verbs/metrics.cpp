#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_metrics(CLI::App& verb) {
  verb.description("List the metrics, what they mean and what each needs");
  verb.footer(
      "Examples:\n"
      "  credence metrics\n"
      "  credence metrics --format markdown     with their definitions");
  const auto options = std::make_shared<MetricsOptions>();
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  return [options] { run_metrics(*options); };
}

}  // namespace credence::cli
