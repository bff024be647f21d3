#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_inspect(CLI::App& verb) {
  verb.description("Show what was understood of scores and votes");
  verb.footer(
      "Examples:\n"
      "  credence inspect --logits logits.npy --votes votes.csv\n"
      "  credence inspect --votes annotations.csv                  votes alone\n"
      "  credence inspect --logits pred.jsonl --votes chaosNLI_mnli_m.jsonl "
      "--score-classes e,c,n \\\n"
      "    --allow-unmatched --format json");
  const auto options = std::make_shared<InspectOptions>();
  dataset_options(verb, options->data);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_inspect(*options); };
}

}  // namespace credence::cli
