// Options are named: a bare truth value does not choose a gauge.
// refused: bool.*Gauge
#include "credence/fit.hpp"

#ifdef CREDENCE_MISTAKE
const credence::FitOptions kOptions{.gauge = true};
#else
const credence::FitOptions kOptions{.gauge = credence::Gauge::raw};
#endif
