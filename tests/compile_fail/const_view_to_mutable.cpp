// A view that promised not to write cannot become one that writes; the other way round is free.
// refused: MatrixView<const float>.*MatrixView<float>
#include "credence/matrix.hpp"

credence::MatrixView<float> lend(credence::MatrixView<float> view) {
  const credence::MatrixView<const float> read_only = view;
  (void)read_only;
#ifdef CREDENCE_MISTAKE
  return read_only;
#else
  return view;
#endif
}
