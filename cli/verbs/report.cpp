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
  file_option(verb, "-o,--output", options->output, kResult,
              "the page (report.html beside the results; '-' for standard output)");
  verb.add_option("--embed-examples", options->embed_examples,
                  "embed up to N examples in the page, ids included, so that bins list "
                  "them and can be changed; needs evaluation.csv of 'compare --examples' (0)")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000))
      ->group(kResult);
  verb.add_option("--figures", options->figures, "write every figure to this folder too")
      ->type_name("DIR")
      ->group(kResult);
  verb.add_option("--figure-format", options->figure_formats,
                  "svg, pdf or png, separated by commas (svg); pdf and png need rsvg-convert")
      ->type_name("LIST")
      ->delimiter(',')
      ->group(kResult);
  return [options] { run_report(*options); };
}

}  // namespace credence::cli
