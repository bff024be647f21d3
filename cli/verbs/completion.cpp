#include "help/completion.hpp"

#include <memory>

#include "credence/error.hpp"
#include "text/output.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_completion(CLI::App& verb) {
  verb.description("Print a completion script for a shell");
  verb.footer(
      "Examples:\n"
      "  source <(credence completion bash)\n"
      "  credence completion zsh > ~/.zfunc/_credence\n"
      "  credence completion fish > ~/.config/fish/completions/credence.fish");
  const auto shell = std::make_shared<std::string>();
  verb.add_option("shell", *shell, "the shell to complete for")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell, &program = *verb.get_parent()] {
    if (shell->empty()) {
      throw Error(ErrorCode::usage, "no shell named", "credence completion bash|zsh|fish");
    }
    print(completion_script(program, *shell));
  };
}

}  // namespace credence::cli
