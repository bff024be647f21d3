#include "verbs.hpp"

#include "help/help_format.hpp"

namespace credence::cli {

// Each gives its verb a description, examples and options, and stands with all that the verb does
// in a file of verbs/. To add a verb, write such a file and name it twice here.
Action declare_ablate(CLI::App& verb);
Action declare_apply(CLI::App& verb);
Action declare_compare(CLI::App& verb);
Action declare_completion(CLI::App& verb);
Action declare_demo(CLI::App& verb);
Action declare_evaluate(CLI::App& verb);
Action declare_export(CLI::App& verb);
Action declare_fit(CLI::App& verb);
Action declare_inspect(CLI::App& verb);
Action declare_man(CLI::App& verb);
Action declare_methods(CLI::App& verb);
Action declare_metrics(CLI::App& verb);
Action declare_plan(CLI::App& verb);
Action declare_report(CLI::App& verb);
Action declare_simulate(CLI::App& verb);

namespace {

struct NamedVerb {
  const char* name;
  Action (*declare)(CLI::App& verb);
};

/// In the order in which help lists them.
// clang-format off
constexpr NamedVerb kVerbs[] = {
    {"demo", declare_demo},
    {"methods", declare_methods},
    {"metrics", declare_metrics},
    {"inspect", declare_inspect},
    {"compare", declare_compare},
    {"report", declare_report},
    {"fit", declare_fit},
    {"apply", declare_apply},
    {"export", declare_export},
    {"evaluate", declare_evaluate},
    {"ablate", declare_ablate},
    {"plan", declare_plan},
    {"simulate", declare_simulate},
    {"completion", declare_completion},
    {"man", declare_man},
};
// clang-format on

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
      "  credence compare --logits logits.npy --votes votes.csv -o results   which method to ship\n"
      "  credence apply results/calibrator.json --logits new.npy -o calibrated.csv\n"
      "'credence VERB --help' explains a verb. Exit codes: 0 done, 1 bad data or failure, 2 "
      "usage.");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("credence ") + CREDENCE_VERSION);
  app.get_version_ptr()->description("print the version");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(0, 1);
  Actions actions;
  for (const NamedVerb& row : kVerbs) {
    CLI::App* verb = app.add_subcommand(row.name)->group("Verbs");
    actions.emplace(verb, row.declare(*verb));
  }
  return actions;
}

}  // namespace credence::cli
