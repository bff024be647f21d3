#include "program.hpp"

int main(int argc, char** argv) { return credence::cli::run_program(argc, argv); }
