#include "credence/simulate.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "credence/demo.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

nb::object matrix(const Matrix<double>& from) {
  return to_numpy(std::vector<double>(from.data(), from.data() + from.rows() * from.cols()),
                  from.rows(), from.cols());
}

nb::object matrix(const Matrix<float>& from) {
  return to_numpy(std::vector<float>(from.data(), from.data() + from.rows() * from.cols()),
                  from.rows(), from.cols());
}

nb::object counts_of(const Votes& votes) {
  std::vector<double> counts(votes.rows() * votes.classes(), 0.0);
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      counts[i * votes.classes() + row.classes[j]] = row.weights[j];
    }
  }
  return to_numpy(std::move(counts), votes.rows(), votes.classes());
}

nb::dict part(const ToyPart& from) {
  std::vector<std::uint8_t> ambiguous;
  for (const ToyRegion region : from.regions) ambiguous.push_back(region == ToyRegion::ambiguous);
  nb::dict result;
  result["points"] = matrix(from.points);
  result["ambiguous"] = to_numpy(std::move(ambiguous));
  result["votes"] = counts_of(from.votes);
  return result;
}

nb::dict toy(const ToyOptions& options) {
  ToyData data;
  run(nb::none(), [&](Monitor&) { data = make_toy_data(options); });
  nb::dict result;
  result["classes"] = nb::cast(data.classes);
  result["training"] = part(data.training);
  nb::dict calibration = part(data.calibration), evaluation = part(data.evaluation);
  calibration["logits"] = matrix(data.calibration_logits);
  evaluation["logits"] = matrix(data.evaluation_logits);
  result["calibration"] = calibration;
  result["evaluation"] = evaluation;
  return result;
}

nb::dict demo(std::optional<std::size_t> rows, std::optional<int> annotators,
              std::optional<std::uint64_t> seed) {
  DemoOptions options;
  options.rows = rows.value_or(options.rows);
  options.annotators = annotators.value_or(options.annotators);
  options.seed = seed.value_or(options.seed);
  const DemoData data = make_demo_data(options);
  nb::dict result;
  result["logits"] = matrix(data.logits);
  result["votes"] = counts_of(data.votes);
  result["classes"] = nb::cast(data.classes);
  return result;
}

ConfusionMatrix read_confusion(const nb::handle& given, bool normalise) {
  if (nb::isinstance<nb::str>(given)) {
    if (nb::cast<std::string>(given) == "isic") return isic_confusion();
    throw Error(ErrorCode::usage, "confusion is '" + nb::cast<std::string>(given) + "'",
                "give \"isic\" or a K x K array");
  }
  const auto array = nb::cast<AnyArray>(given);
  const io::NumberArray numbers = to_numbers(array);
  Matrix<double> values(numbers.rows, numbers.cols);
  numbers.read_rows(0, values.view());
  return make_confusion_matrix(std::as_const(values).view(),
                               normalise ? ConfusionKind::counts : ConfusionKind::probabilities, {},
                               {}, "confusion");
}

/// Answers (n x annotators) for consensus labels given as class indices.
nb::object annotators(const AnyArray& consensus, const nb::list& confusion, bool normalise,
                      const AnnotatorOptions& options) {
  std::vector<ConfusionMatrix> matrices;
  for (const nb::handle one : confusion) matrices.push_back(read_confusion(one, normalise));
  if (matrices.empty()) throw Error(ErrorCode::usage, "no confusion matrix given");
  const std::size_t classes = matrices.front().class_count();
  std::vector<std::uint32_t> labels;
  for (const std::int64_t label : to_numbers(consensus).integers("labels")) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes) {
      throw Error(ErrorCode::data, "labels: " + std::to_string(label) +
                                       " is out of range; the confusion matrix has " +
                                       std::to_string(classes) + " classes");
    }
    labels.push_back(static_cast<std::uint32_t>(label));
  }
  const Matrix<std::uint32_t> answers = simulate_annotators(labels, matrices, options);
  std::vector<std::int64_t> values(answers.data(),
                                   answers.data() + answers.rows() * answers.cols());
  return to_numpy(std::move(values), answers.rows(), answers.cols());
}

}  // namespace

void bind_simulate(nb::module_& module) {
  module.def("simulate_toy", &toy, nb::arg("options"));
  module.def("demo_data", &demo, nb::arg("rows").none(), nb::arg("annotators").none(),
             nb::arg("seed").none());
  module.def("simulate_annotators", &annotators, nb::arg("labels"), nb::arg("confusion"),
             nb::arg("normalise"), nb::arg("options"));
}

}  // namespace credence::python
