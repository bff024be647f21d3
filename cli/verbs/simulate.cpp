#include "commands/simulate.hpp"

#include <memory>

#include "options/option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

Action declare_annotators(CLI::App& verb) {
  verb.description("Draw the votes of annotators who err as a confusion matrix says");
  verb.footer(
      "Examples:\n"
      "  credence simulate annotators --labels labels.csv --confusion isic -o votes.csv\n"
      "  credence simulate annotators --labels labels.csv --confusion ann.csv --confusion bob.csv "
      "\\\n"
      "    --long -o votes.csv                                  two annotators, each his own way\n"
      "  credence simulate annotators --labels labels.csv --confusion counts.csv --normalise \\\n"
      "    --annotators 5 -o - | credence inspect --votes -\n"
      "Rows of a matrix are what the example is, columns what the annotator says. An answer "
      "depends\n"
      "on seed, row and annotator alone: more annotators leave the earlier answers as they are.");
  const auto options = std::make_shared<SimulateAnnotatorsOptions>();
  constexpr const char* kTruth = "Truth";
  constexpr const char* kAnnotators = "Annotators";
  add_option(verb, Option::consensus, options->data.labels, kTruth);
  add_option(verb, Option::id_field, options->data.id_field, kTruth);
  add_option(verb, Option::matrix_classes, options->data.vote_classes, kTruth);
  add_option(verb, Option::confusion, options->confusion, kAnnotators)->expected(1)->take_all();
  add_switch(verb, Option::normalise, options->normalise, kAnnotators);
  add_option(verb, Option::annotators, options->annotators, kAnnotators);
  add_option(verb, Option::answer_seed, options->seed, kAnnotators);
  add_option(verb, Option::votes_output, options->output, kResult);
  add_switch(verb, Option::long_table, options->long_table, kResult);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_simulate_annotators(*options); };
}

Action declare_toy(CLI::App& verb) {
  verb.description("Show on three clusters how calibrating to majority labels goes wrong");
  verb.footer(
      "Examples:\n"
      "  credence simulate toy\n"
      "  credence simulate toy -o toy             write the data too, to try every verb on\n"
      "  credence simulate toy --epochs 1000      a model that is trained to the end\n"
      "  credence simulate toy --annotators 5     votes of five annotators, not their shares");
  const auto options = std::make_shared<SimulateToyOptions>();
  add_option(verb, Option::points, options->points, kTuning);
  add_option(verb, Option::epochs, options->epochs, kTuning);
  add_option(verb, Option::toy_annotators, options->annotators, kTuning);
  add_option(verb, Option::toy_seed, options->seed, kTuning);
  add_option(verb, Option::data_folder, options->output, kResult);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_simulate_toy(*options); };
}

}  // namespace

Action declare_simulate(CLI::App& verb) {
  verb.description("Simulate annotators, or show where the majority label misleads");
  verb.footer(
      "Examples:\n"
      "  credence simulate toy\n"
      "  credence simulate annotators --labels labels.csv --confusion isic -o votes.csv\n"
      "'credence simulate toy --help' and 'credence simulate annotators --help' explain more.");
  verb.require_subcommand(0, 1);
  CLI::App* annotators = verb.add_subcommand("annotators")->group("What");
  CLI::App* toy = verb.add_subcommand("toy")->group("What");
  return [annotators, toy, draw = declare_annotators(*annotators), show = declare_toy(*toy)] {
    if (annotators->parsed()) return draw();
    if (toy->parsed()) return show();
    throw Error(ErrorCode::usage, "nothing named to simulate",
                "credence simulate toy, or credence simulate annotators --labels FILE --confusion "
                "isic -o votes.csv");
  };
}

}  // namespace credence::cli
