// The program: parse -> options -> run -> exit code.
#include "program.hpp"

#include <exception>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "credence/io.hpp"
#include "errors.hpp"
#include "invocation.hpp"
#include "parse.hpp"
#include "signals.hpp"
#include "text/output.hpp"

namespace {

/// Work of many like pieces asks for the same memory again and again: what one piece frees is kept
/// for the next instead of being given back to the system, which would clear every page anew.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/// An input that changed explains whatever else went wrong.
credence::Error cause_of(const credence::Error& error) {
  try {
    credence::io::check_inputs();
  } catch (const credence::Error& changed) {
    return changed;
  }
  return error;
}

}  // namespace

namespace credence::cli {

int run_program(int argc, char** argv) {
  occupy_closed_streams();
  keep_freed_memory();
  install_signal_handlers();
  credence::io::watch_inputs();
  remember_invocation(argc, argv);
  try {
    parse(argc, argv)();
    flush_output();
    return kExitOk;
  } catch (const credence::Error& error) {
    if (stdout_reader_left()) return kExitOk;
    return report(cause_of(error));
  } catch (const std::bad_alloc&) {
    return report(out_of_memory());
  } catch (const std::exception& error) {
    return report(unexpected(error));
  }
}

}  // namespace credence::cli
