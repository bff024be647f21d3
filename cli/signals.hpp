// Interruptions leave no half-written file; a reader that has seen enough is no failure.
#pragma once

namespace credence::cli {

/// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU unlink the temporary files in flight and then end
/// the program as the signal would have, unless the caller ignores them (nohup). SIGPIPE and
/// SIGXFSZ only make the write fail.
void install_signal_handlers();

/// True when a write failed because whoever read standard output (`head`) has gone.
bool stdout_reader_left();

}  // namespace credence::cli
