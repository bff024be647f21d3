#pragma once

namespace credence::cli {

/// The whole command line; returns the exit code. Takes over the signals of the process.
int run_program(int argc, char** argv);

}  // namespace credence::cli
