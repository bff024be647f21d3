#include <filesystem>
#include <memory>

#include "credence/error.hpp"
#include "credence/output.hpp"
#include "help/help_format.hpp"
#include "help/man_page.hpp"
#include "options/option_helpers.hpp"
#include "text/output.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

const CLI::App& verb_named(const CLI::App& program, const std::string& name) {
  for (const CLI::App* verb : program.get_subcommands({})) {
    if (verb->get_name() == name) return *verb;
  }
  throw Error(ErrorCode::usage, "there is no verb '" + name + "'",
              "'credence --help' lists the verbs");
}

void write_pages(const CLI::App& program, const std::string& folder) {
  io::OutputFolder pages(folder);
  pages.add(man_page_name(program) + ".1", man_page(program));
  for (const CLI::App* verb : program.get_subcommands({})) {
    pages.add(man_page_name(*verb) + ".1", man_page(*verb));
  }
  pages.commit();
}

}  // namespace

Action declare_man(CLI::App& verb) {
  verb.description("Print a manual page, or write all of them");
  verb.footer(
      "Examples:\n"
      "  credence man fit | man -l -\n"
      "  credence man -o ~/.local/share/man/man1");
  struct Wish {
    std::string verb, folder;
  };
  const auto wish = std::make_shared<Wish>();
  verb.add_option("verb", wish->verb, "the verb to explain; without one, the program")
      ->group(kMayBeLeftOut)
      ->type_name("VERB");
  add_option(verb, Option::manual_folder, wish->folder, kNoHeading);
  return [wish, &program = *verb.get_parent()] {
    if (!wish->folder.empty()) return write_pages(program, wish->folder);
    print(man_page(wish->verb.empty() ? program : verb_named(program, wish->verb)));
  };
}

}  // namespace credence::cli
