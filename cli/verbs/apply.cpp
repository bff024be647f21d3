#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_apply(CLI::App& verb) {
  verb.description("Write calibrated probabilities for a score file of any size");
  verb.footer(
      "Examples:\n"
      "  credence apply model.json --logits new.npy -o calibrated.npy\n"
      "  zcat new.csv.gz | credence apply model.json --logits - -o - | head\n"
      "Memory does not grow with the file. Columns keep the order of the input.");
  const auto options = std::make_shared<ApplyOptions>();
  verb.add_option("model", options->model, "calibrator written by 'credence fit'")
      ->type_name("FILE");
  verb.add_option("-o,--output", options->output,
                  "where the probabilities go: .npy, .csv or .jsonl; '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  verb.add_option("--output-format", options->output_format,
                  "format of the output when its name does not tell")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"npy", "csv", "jsonl"}))
      ->group(kResult);
  verb.add_option("--dtype", options->dtype, "precision of the output (float32)")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float32", "float64"}))
      ->group(kResult);
  score_options(verb, options->data);
  classes_option(verb, options->data);
  row_options(verb, options->data);
  threads_option(verb, options->threads);
  return [options] { run_apply(*options); };
}

}  // namespace credence::cli
