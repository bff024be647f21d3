#include "commands/simulate.hpp"

#include <memory>

#include "option_helpers.hpp"
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
  file_option(verb, "--labels", options->data.labels, kTruth,
              "the consensus, one label per example; '-' reads standard input");
  verb.add_option("--id-field", options->data.id_field, "field or column with the example's id")
      ->type_name("NAME")
      ->group(kTruth);
  verb.add_option(
          "--vote-classes", options->data.vote_classes,
          "the matrix's own names in the order wanted; or other names that the labels use, in "
          "the order of its rows: a,b,c or a file")
      ->type_name("LIST|FILE")
      ->group(kTruth);
  verb.add_option(
          "--confusion", options->confusion,
          "isic (dermatologists on eight conditions), or a file with a row and a column per "
          "class; again, or a folder, for a matrix per annotator")
      ->type_name("isic|FILE|DIR")
      ->expected(1)
      ->take_all()
      ->group(kAnnotators);
  verb.add_flag("--normalise", options->normalise,
                "divide each row of a matrix by its sum: for counts and rounded shares")
      ->group(kAnnotators);
  verb.add_option("--annotators", options->annotators,
                  "answers per example (9, or as many as there are matrices)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kAnnotators);
  verb.add_option("--seed", options->seed, "of the answers (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kAnnotators);
  verb.add_option("-o,--output", options->output, "where the votes go (.csv); '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  verb.add_flag("--long", options->long_table,
                "write one line per answer (example, annotator, label) instead of counts")
      ->group(kResult);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_simulate_annotators(*options); };
}

Action declare_toy(CLI::App& verb) {
  verb.description("Show on three clusters how calibrating to the voted label goes wrong");
  verb.footer(
      "Examples:\n"
      "  credence simulate toy\n"
      "  credence simulate toy -o toy             write the data too, to try every verb on\n"
      "  credence simulate toy --epochs 1000      a model that is trained to the end\n"
      "  credence simulate toy --annotators 5     votes of five annotators, not their shares");
  const auto options = std::make_shared<SimulateToyOptions>();
  verb.add_option("--points", options->points,
                  "per cluster, in each of training, calibration and evaluation (300)")
      ->type_name("N")
      ->check(whole_number(10, 1000000))
      ->group(kTuning);
  verb.add_option("--epochs", options->epochs, "steps of the network's training (110)")
      ->type_name("N")
      ->check(whole_number(0, 1000000))
      ->group(kTuning);
  verb.add_option("--annotators", options->annotators,
                  "answers drawn per example; 0: the shares themselves (0)")
      ->type_name("N")
      ->check(whole_number(0, 100000))
      ->group(kTuning);
  verb.add_option("--seed", options->seed, "of points, votes and network (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
  verb.add_option("-o,--output", options->output, "folder to write the data to")
      ->type_name("DIR")
      ->group(kResult);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_simulate_toy(*options); };
}

}  // namespace

Action declare_simulate(CLI::App& verb) {
  verb.description("Make up annotators, or the smallest example where the vote misleads");
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
