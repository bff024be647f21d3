#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_report(CLI::App& verb) {
  verb.description("Make one self-contained page, and figures, of results");
  verb.footer(
      "Examples:\n"
      "  credence report results -o report.html\n"
      "  credence report results ablation -o report.html --embed-examples 1000\n"
      "  credence report results --figures figures --figure-format svg,pdf,png\n"
      "The page needs no network and no other file: it can be mailed, printed, kept. RESULTS are "
      "the\n"
      "folder of 'credence compare -o' and, beside it, folders of 'credence ablate -o'.");
  const auto options = std::make_shared<ReportCommandOptions>();
  verb.add_option("results", options->results,
                  "folder of 'credence compare -o' (or its results.json); also of 'ablate -o'")
      ->required()
      ->type_name("RESULTS")
      ->group(kResult);
  add_option(verb, Option::page_output, options->output, kResult);
  add_option(verb, Option::embed_examples, options->embed_examples, kResult);
  add_option(verb, Option::figures, options->figures, kResult);
  add_option(verb, Option::figure_format, options->figure_formats, kResult);
  return [options] { run_report(*options); };
}

}  // namespace credence::cli
