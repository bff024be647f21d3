// Manual pages, generated from the same tree of verbs and options that parses the command line.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace credence::cli {

/// "credence" for the program, "credence-fit" for a verb.
std::string man_page_name(const CLI::App& app);

/// The page of the program or of one verb, in the man(7) language.
std::string man_page(const CLI::App& app);

}  // namespace credence::cli
