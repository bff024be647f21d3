// Fits, applies, scores and stores a calibrator through the installed headers alone.
#include <cstdio>
#include <vector>

#include "credence/error.hpp"
#include "credence/evaluate.hpp"
#include "credence/fit.hpp"
#include "credence/io.hpp"

int main() {
  // A model that is sure of everything, and annotators who are not: three of four agree with it.
  constexpr std::size_t examples = 300, classes = 3;
  std::vector<float> logits(examples * classes, 0.0F);
  std::vector<double> counts(examples * classes, 0.0);
  for (std::size_t i = 0; i < examples; ++i) {
    logits[i * classes + i % classes] = 8.0F;
    counts[i * classes + i % classes] = 3.0;
    counts[i * classes + (i + 1) % classes] = 1.0;
  }
  try {
    const credence::Votes votes =
        credence::Votes::from_counts({counts.data(), examples, classes}, "counts");
    const credence::Dataset data = credence::make_dataset(
        {logits.data(), examples, classes}, credence::ScoreKind::logits, votes, {"a", "b", "c"});
    const credence::Calibrator calibrator = credence::fit(credence::parse_method("slts"), data);

    credence::Matrix<double> probabilities(examples, classes);
    calibrator.apply(data.scores, probabilities.view());
    const credence::Evaluation scores = credence::evaluate(probabilities.view(), votes);
    const std::string file = credence::io::calibrator_to_json(
        calibrator, {.fingerprint = data.fingerprint(), .rows = data.rows()});

    // At the optimum the mean score under p equals the one under the annotators: 8 p = 8 * 3/4. The
    // fit promises 1e-8; 1e-6 only asks whether the right library was linked.
    const double error = probabilities(0, 0) - 0.75;
    std::printf("T = %.6f, p = %.9f, ece_expected = %.2e, file of %zu bytes\n",
                calibrator.temperature(), probabilities(0, 0),
                scores["ece_expected"].value_or(-1.0), file.size());
    return error < 1e-6 && error > -1e-6 && !file.empty() ? 0 : 1;
  } catch (const credence::Error& error) {
    std::printf("%s\n%s\n", error.what(), error.hint().c_str());
    return 1;
  }
}
