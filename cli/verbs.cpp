#include "verbs.hpp"

#include "help_format.hpp"

namespace credence::cli {
namespace {

struct Verb {
  const char* name;
  Action (*declare)(CLI::App& verb);
};

/// In the order in which help lists them.
constexpr Verb kVerbs[] = {
    {"demo", declare_demo},
    {"methods", declare_methods},
    {"inspect", declare_inspect},
    {"fit", declare_fit},
    {"apply", declare_apply},
    {"evaluate", declare_evaluate},
    {"simulate", declare_simulate},
    {"completion", declare_completion},
};

}  // namespace

Actions declare_program(CLI::App& app) {
  app.name("credence");
  app.description(
      "Honest confidence for classifiers when annotators disagree: fits a calibrator to scores "
      "and\n"
      "annotations, applies it, and says how far confidence is from what annotators think");
  app.footer(
      "Start here:\n"
      "  credence demo                                                     see it work\n"
      "  credence inspect --logits logits.npy --votes votes.csv            look at your data\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
      "  credence apply model.json --logits new.npy -o calibrated.csv\n"
      "'credence VERB --help' explains a verb. Exit codes: 0 done, 1 bad data or failure, 2 "
      "usage.");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("credence ") + CREDENCE_VERSION);
  app.get_version_ptr()->description("print the version");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(0, 1);
  Actions actions;
  for (const Verb& row : kVerbs) {
    CLI::App* verb = app.add_subcommand(row.name)->group("Verbs");
    actions.emplace(verb, row.declare(*verb));
  }
  return actions;
}

}  // namespace credence::cli
