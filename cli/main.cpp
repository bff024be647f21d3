// The program: parse -> options -> run -> exit code.
#include <exception>
#include <new>

#include "errors.hpp"
#include "invocation.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  using namespace credence::cli;
  install_signal_handlers();
  remember_invocation(argc, argv);
  try {
    parse(argc, argv)();
    flush_output();
    return kExitOk;
  } catch (const credence::Error& error) {
    if (stdout_reader_left()) return kExitOk;
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(out_of_memory());
  } catch (const std::exception& error) {
    return report(unexpected(error));
  }
}
