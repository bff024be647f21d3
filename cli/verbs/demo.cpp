#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_demo(CLI::App& verb) {
  verb.description("Fit and score on data the program makes itself");
  verb.footer(
      "Examples:\n"
      "  credence demo\n"
      "  credence demo -o demo    write the data too, to try every verb on");
  const auto options = std::make_shared<DemoCommandOptions>();
  verb.add_option("-o,--output", options->output, "folder to write the data to")->type_name("DIR");
  verb.add_option("--rows", options->rows, "examples to make (4000)")
      ->type_name("N")
      ->check(whole_number(1, 10000000));
  verb.add_option("--seed", options->seed, "of the data (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX));
  return [options] { run_demo(*options); };
}

}  // namespace credence::cli
