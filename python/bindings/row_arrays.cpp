// Rows of a piece of large data, as arrays that need no reading: what a worker of a cluster has.
#include "credence/row_files.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bytes.hpp"
#include "calibrator.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/class_order.hpp"
#include "credence/error.hpp"
#include "credence/solver.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Matrix<double> doubles_of(const io::NumberArray& array) {
  Matrix<double> values(array.rows, array.cols);
  array.read_rows(0, values.view());
  return values;
}

[[noreturn]] void refuse_row(std::uint64_t row, const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::data, "votes: row " + std::to_string(row) + what, hint);
}

/// Counts or shares, kept as their entries that are not 0; rows are named as rows of all the data.
Votes votes_of_counts(const io::NumberArray& array, std::uint64_t first_row) {
  const Matrix<double> counts = doubles_of(array);
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> classes;
  std::vector<double> weights;
  offsets.reserve(array.rows + 1);
  for (std::size_t i = 0; i < array.rows; ++i) {
    for (std::size_t k = 0; k < array.cols; ++k) {
      const double count = counts(i, k);
      if (count == 0.0) continue;
      if (!std::isfinite(count) || count < 0.0) {
        refuse_row(first_row + i, ", class " + std::to_string(k) + ": " + std::to_string(count),
                   "counts of votes are numbers of 0 or more");
      }
      classes.push_back(static_cast<std::uint32_t>(k));
      weights.push_back(count);
    }
    if (classes.size() == offsets.back()) {
      refuse_row(first_row + i, " has no votes", "leave out rows without votes");
    }
    offsets.push_back(classes.size());
  }
  return Votes::from_compressed(std::move(offsets), std::move(classes), std::move(weights),
                                array.cols, "votes");
}

/// Scores as load_dataset would have them.
void take_scores(const io::NumberArray& array, ScoreKind kind, std::uint64_t first_row,
                 io::LoadedDataset& loaded) {
  Dataset& data = loaded.data;
  if (array.is_plain(io::NumberType::f32) && kind != ScoreKind::probs) {
    const Scores all(reinterpret_cast<const float*>(array.data), array.rows, array.cols);
    if (check_scores(all, kind, "scores", first_row) == 0) {
      data.scores = all;  // the array is kept alive
      return;
    }
  }
  Matrix<double> values = doubles_of(array);
  check_scores(std::as_const(values).view(), kind, "scores", first_row);
  Conversion finite = to_finite_logits(std::as_const(values).view(), kind);
  auto owned = std::make_shared<Matrix<float>>(std::move(finite.scores));
  data.clipped = finite.clipped;
  data.scores = std::as_const(*owned).view();
  data.owner = std::move(owned);
  if (kind == ScoreKind::probs) loaded.probabilities = std::move(values);
}

/// `votes` are counts (n x K), or offsets, classes and weights of rows that are compressed; with
/// `labels_only`, one majority label per row.
Inputs inputs_of_rows(const std::string& kind, const AnyArray& scores,
                      const std::optional<AnyArray>& counts,
                      const std::optional<Column<std::int64_t>>& offsets,
                      const std::optional<Column<std::uint32_t>>& classes,
                      const std::optional<Column<double>>& weights, bool labels_only,
                      std::vector<std::string> class_names, std::vector<std::string> ids,
                      std::uint64_t first_row) {
  Inputs inputs;
  inputs.files.scores.kind = read_kind(kind);
  inputs.files.scores.path = "scores";
  inputs.alive.push_back({.path = {}, .given = nullptr, .alive = {nb::cast(scores)}});
  io::LoadedDataset loaded;
  Dataset& data = loaded.data;
  take_scores(to_numbers(scores), inputs.files.scores.kind, first_row, loaded);
  if (counts) {
    data.votes = votes_of_counts(to_numbers(*counts), first_row);
  } else if (labels_only) {
    const std::span<const std::uint32_t> all(classes->data(), classes->size());
    data.votes = Votes::from_labels(all, data.classes_count(), "labels");
  } else if (offsets) {
    data.votes = Votes::from_compressed(
        std::vector<std::size_t>(offsets->data(), offsets->data() + offsets->size()),
        std::vector<std::uint32_t>(classes->data(), classes->data() + classes->size()),
        std::vector<double>(weights->data(), weights->data() + weights->size()),
        data.classes_count(), "votes");
  }
  if (data.votes.rows() != 0) {
    (labels_only ? inputs.files.labels : inputs.files.votes) = labels_only ? "labels" : "votes";
    if (data.votes.rows() != data.rows() || data.votes.classes() != data.classes_count()) {
      throw Error(ErrorCode::data, "scores of " + std::to_string(data.rows()) + " rows and " +
                                       std::to_string(data.classes_count()) +
                                       " classes, votes of " + std::to_string(data.votes.rows()) +
                                       " rows and " + std::to_string(data.votes.classes()));
    }
  }
  data.classes = std::move(class_names);
  data.ids = std::move(ids);
  inputs.prepared = std::make_shared<Prepared>(inputs.files.scores.kind, std::move(loaded));
  return inputs;
}

const Dataset& rows_of(const Inputs& inputs) { return inputs.prepared->loaded().data; }

/// Scores as they are used, and votes as they are kept: what inputs_of_rows takes.
nb::tuple arrays_of(const Inputs& inputs) {
  const bool probabilities = inputs.files.scores.kind == ScoreKind::probs;
  const std::shared_ptr<const Prepared> prepared = inputs.read(probabilities);
  const io::LoadedDataset& loaded = prepared->loaded();
  const Dataset& data = loaded.data;
  const auto copied = [](const auto& span) {
    return std::vector(span.begin(), span.end());
  };
  std::vector<std::int64_t> offsets;
  for (const std::size_t offset : data.votes.offsets()) {
    offsets.push_back(static_cast<std::int64_t>(offset));
  }
  std::vector<float> scores(data.scores.data(), data.scores.data() + data.scores.size());
  nb::object given = to_numpy(std::move(scores), data.rows(), data.classes_count());
  if (loaded.probabilities.rows() != 0) {
    const Matrix<double>& exact = loaded.probabilities;
    given = to_numpy(std::vector<double>(exact.data(), exact.data() + exact.rows() * exact.cols()),
                     exact.rows(), exact.cols());
  }
  return nb::make_tuple(given, to_numpy(std::move(offsets)),
                        to_numpy(copied(data.votes.entry_classes())),
                        to_numpy(copied(data.votes.entry_weights())), nb::cast(data.ids));
}

nb::bytes facts_of_rows(const Inputs& inputs, std::uint64_t first_row) {
  std::vector<std::byte> out;
  run(nb::none(), [&](Monitor&) { out = to_bytes(io::row_facts(first_row, rows_of(inputs))); });
  return to_python(out);
}

std::string per_cent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * share);
  return text;
}

/// Stops where the order of the classes was assumed and these rows say that it is another.
void require_class_order(const Inputs& inputs) {
  const Dataset& data = rows_of(inputs);
  if (data.votes.rows() == 0 || !data.classes.empty()) return;
  const ClassOrder order = likely_class_order(data);
  if (!order.decisive) return;
  throw Error(ErrorCode::data,
              "the classes of scores and votes look permuted: " + per_cent(order.agreement) +
                  " of annotators agree with the predictions of the first " +
                  std::to_string(order.rows) + " examples, but " + per_cent(order.best_agreement) +
                  " would if the columns of the scores stood in another order",
              "check the order; ‹classes› names the classes and keeps it");
}

std::string fingerprint_of_rows(const Inputs& inputs) {
  std::string out;
  run(nb::none(), [&](Monitor&) { out = rows_of(inputs).fingerprint(); });
  return out;
}

/// Whether the answer to a request grows with the number of rows.
bool lists_rows(const nb::bytes& request) {
  return request_from_bytes(from_python(request)).sums == Request::Sums::top_labels;
}

nb::bytes merge_facts(const std::vector<nb::bytes>& pieces) {
  std::vector<io::RowFacts> read;
  for (const nb::bytes& piece : pieces) read.push_back(io::row_facts_from_bytes(from_python(piece)));
  return to_python(to_bytes(io::merge(std::move(read))));
}

io::DataFacts facts_from(const nb::bytes& facts, std::vector<std::string> class_names) {
  return io::facts_of(io::row_facts_from_bytes(from_python(facts)), std::move(class_names));
}

nb::dict about(const nb::bytes& bytes, std::vector<std::string> class_names) {
  const io::DataFacts facts = facts_from(bytes, std::move(class_names));
  nb::dict known;
  known["rows"] = facts.rows;
  known["classes"] = facts.classes;
  known["evidence"] = std::string(to_string(facts.evidence));
  known["votes_per_example"] = facts.votes_per_example;
  known["ties"] = facts.ties;
  known["clipped"] = facts.clipped;
  known["fingerprint"] = facts.fingerprint;
  return known;
}

/// The calibrator with what its file records of the data.
PyCalibrator described(PyCalibrator model, const nb::bytes& facts, const std::string& kind) {
  const std::uint64_t seed = model.loaded.info.seed;
  model.loaded.info = io::calibrator_info(facts_from(facts, model.loaded.calibrator.classes),
                                          read_kind(kind), seed);
  return model;
}

}  // namespace

void bind_row_arrays(nb::module_& module) {
  module.def("inputs_of_rows", &inputs_of_rows, nb::arg("kind"), nb::arg("scores"),
             nb::arg("counts").none(), nb::arg("offsets").none(), nb::arg("classes").none(),
             nb::arg("weights").none(), nb::arg("labels_only"), nb::arg("class_names"),
             nb::arg("ids"), nb::arg("first_row"));
  module.def("arrays_of_rows", &arrays_of, nb::arg("inputs"));
  module.def("facts_of_rows", &facts_of_rows, nb::arg("inputs"), nb::arg("first_row"));
  module.def("require_class_order", &require_class_order, nb::arg("inputs"));
  module.def("fingerprint_of_rows", &fingerprint_of_rows, nb::arg("inputs"));
  module.def("lists_rows", &lists_rows, nb::arg("request"));
  module.def("merge_facts", &merge_facts, nb::arg("facts"));
  module.def("about_facts", &about, nb::arg("facts"), nb::arg("class_names"));
  module.def("described", &described, nb::arg("calibrator"), nb::arg("facts"), nb::arg("kind"));
}

}  // namespace credence::python
