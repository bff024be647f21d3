#include "inputs.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/error.hpp"
#include "credence/fit.hpp"
#include "credence/options.hpp"
#include "credence/row_files.hpp"
#include "words.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

io::NumberType type_of(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  using io::NumberType;
  const auto code = static_cast<Code>(type.code);
  const unsigned bits = type.bits;
  if (type.lanes == 1) {
    if (code == Code::Float && bits == 16) return NumberType::f16;
    if (code == Code::Float && bits == 32) return NumberType::f32;
    if (code == Code::Float && bits == 64) return NumberType::f64;
    if (code == Code::Bfloat && bits == 16) return NumberType::bf16;
    if (code == Code::Bool) return NumberType::boolean;
    if (code == Code::Int && bits == 8) return NumberType::i8;
    if (code == Code::Int && bits == 16) return NumberType::i16;
    if (code == Code::Int && bits == 32) return NumberType::i32;
    if (code == Code::Int && bits == 64) return NumberType::i64;
    if (code == Code::UInt && bits == 8) return NumberType::u8;
    if (code == Code::UInt && bits == 16) return NumberType::u16;
    if (code == Code::UInt && bits == 32) return NumberType::u32;
    if (code == Code::UInt && bits == 64) return NumberType::u64;
  }
  throw Error(ErrorCode::usage, "an array of this type cannot be read",
              "give integers or floating-point numbers of at most 64 bits");
}

Data from_path(const std::string& path) { return {.path = path, .given = nullptr, .alive = {}}; }

Data from_array(const AnyArray& array, std::vector<std::string> ids) {
  Data data;
  data.given = std::make_shared<io::Given>();
  data.given->array = to_numbers(array);
  data.given->ids = std::move(ids);
  data.alive.push_back(nb::cast(array));
  return data;
}

Data from_arrow(const nb::object& capsule, const std::string& name, std::vector<std::string> ids) {
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  Data data;
  data.given = std::make_shared<io::Given>();
  data.given->table = io::import_arrow(stream, name);
  data.given->ids = std::move(ids);
  return data;
}

/// Columns as (name, array of numbers) or (name, list of texts with None for missing ones).
Data from_columns(const nb::list& columns, std::vector<std::string> ids) {
  Data data;
  auto table = std::make_shared<io::ColumnTable>();
  for (const nb::handle entry : columns) {
    const auto column = nb::cast<nb::tuple>(entry);
    auto name = nb::cast<std::string>(column[0]);
    if (nb::isinstance<nb::list>(column[1])) {
      table->add(std::move(name), nb::cast<std::vector<std::optional<std::string>>>(column[1]));
    } else {
      const auto array = nb::cast<AnyArray>(column[1]);
      table->add(std::move(name), to_numbers(array));
      data.alive.push_back(nb::cast(array));
    }
  }
  data.given = std::make_shared<io::Given>();
  data.given->table = std::move(table);
  data.given->ids = std::move(ids);
  return data;
}

std::string path_or(const Data& data, const char* name) {
  return data.given ? std::string(name) : data.path;
}

Inputs make_inputs(const std::string& kind, const Data& scores, const std::optional<Data>& votes,
                   bool labels_only, const std::optional<Data>& groups,
                   std::vector<std::string> classes, std::vector<std::string> score_classes,
                   std::vector<std::string> vote_classes, std::string id_field,
                   std::string votes_field, std::string votes_format,
                   std::vector<std::string> drop_labels, std::string scores_field,
                   std::optional<std::vector<std::size_t>> rows,
                   std::optional<std::vector<std::size_t>> skip_rows, bool allow_unmatched,
                   bool assume_order) {
  Inputs inputs;
  io::DatasetFiles& files = inputs.files;
  files.scores.kind = read_kind(kind);
  files.scores.path = path_or(scores, "scores");
  files.scores.given = scores.given;
  files.scores.scores_field = std::move(scores_field);
  files.scores.id_field = id_field;
  inputs.alive.push_back(scores);
  if (votes) {
    (labels_only ? files.labels : files.votes) = path_or(*votes, labels_only ? "labels" : "votes");
    files.given_votes = votes->given;
    inputs.alive.push_back(*votes);
  }
  if (groups) {
    files.groups = path_or(*groups, "groups");
    files.given_groups = groups->given;
    inputs.alive.push_back(*groups);
  }
  files.classes = std::move(classes);
  files.score_classes = std::move(score_classes);
  files.vote_classes = std::move(vote_classes);
  files.id_field = std::move(id_field);
  files.votes_field = std::move(votes_field);
  files.votes_format = std::move(votes_format);
  files.drop_labels = std::move(drop_labels);
  if (rows) files.rows = "rows";
  if (skip_rows) files.skip_rows = "skip_rows";
  files.given_rows = std::move(rows);
  files.given_skip_rows = std::move(skip_rows);
  files.allow_unmatched = allow_unmatched;
  files.assume_order = assume_order;
  return inputs;
}

/// The same data with a part named for every example; read anew.
Inputs with_subgroups(Inputs inputs, const Data& by) {
  inputs.files.by = path_or(by, "by");
  inputs.files.given_by = by.given;
  inputs.alive.push_back(by);
  inputs.prepared.reset();
  return inputs;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

void add_word(std::vector<std::string>& words, Option option, const std::string& value) {
  if (value.empty()) return;
  words.push_back(flag_of(option));
  words.push_back(value);
}

}  // namespace

ScoreKind read_kind(const std::string& name) {
  for (const ScoreKind kind : {ScoreKind::logits, ScoreKind::log_probs, ScoreKind::probs}) {
    if (to_string(kind) == name) return kind;
  }
  throw Error(ErrorCode::usage, "input is '" + name + "'",
              "say what the scores are: input=\"logits\", \"log_probs\" or \"probs\"");
}

io::NumberArray to_numbers(const AnyArray& array) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw Error(ErrorCode::data, "an array with " + std::to_string(array.ndim()) + " dimensions",
                "give one row per example and one column per class");
  }
  io::NumberArray numbers;
  numbers.type = type_of(array.dtype());
  const auto size = static_cast<std::ptrdiff_t>(io::size_of(numbers.type));
  numbers.data = static_cast<const std::byte*>(array.data());
  numbers.rows = array.shape(0);
  numbers.row_stride = size * array.stride(0);
  numbers.is_vector = array.ndim() == 1;
  numbers.cols = numbers.is_vector ? 1 : array.shape(1);
  numbers.column_stride = numbers.is_vector ? size : size * array.stride(1);
  return numbers;
}

std::vector<std::string> test_words(const Inputs& inputs) {
  const io::DatasetFiles& files = inputs.files;
  std::vector<std::string> words;
  add_word(words,
           files.scores.kind == ScoreKind::logits      ? Option::test_logits
           : files.scores.kind == ScoreKind::log_probs ? Option::test_log_probs
                                                       : Option::test_probs,
           files.scores.path);
  add_word(words, Option::test_votes, files.votes);
  add_word(words, Option::test_labels, files.labels);
  add_word(words, Option::test_groups, files.groups);
  return words;
}

std::vector<std::string> input_words(const Inputs& inputs) {
  const io::DatasetFiles& files = inputs.files;
  std::vector<std::string> words;
  add_word(words,
           files.scores.kind == ScoreKind::logits      ? Option::logits
           : files.scores.kind == ScoreKind::log_probs ? Option::log_probs
                                                       : Option::probs,
           files.scores.path);
  add_word(words, Option::votes, files.votes);
  add_word(words, Option::labels, files.labels);
  add_word(words, Option::groups, files.groups);
  add_word(words, Option::scores_field, files.scores.scores_field);
  add_word(words, Option::id_field, files.id_field);
  add_word(words, Option::score_classes, joined(files.score_classes));
  add_word(words, Option::classes, joined(files.classes));
  add_word(words, Option::votes_field, files.votes_field);
  add_word(words, Option::vote_classes, joined(files.vote_classes));
  add_word(words, Option::votes_format, files.votes_format);
  add_word(words, Option::drop_labels, joined(files.drop_labels));
  if (files.assume_order) words.push_back(flag_of(Option::assume_order));
  if (files.allow_unmatched) words.push_back(flag_of(Option::allow_unmatched));
  add_word(words, Option::rows, files.rows);
  add_word(words, Option::skip_rows, files.skip_rows);
  return words;
}

report::Provenance provenance(const std::string& verb, const Inputs& inputs,
                              const io::LoadedDataset& loaded,
                              const std::vector<std::string>& words) {
  std::vector<std::string> command{"credence", verb};
  const std::vector<std::string> data = input_words(inputs);
  command.insert(command.end(), data.begin(), data.end());
  command.insert(command.end(), words.begin(), words.end());
  return report::provenance_of(loaded, inputs.files.scores.kind, std::move(command));
}

const io::LoadedDataset& Prepared::loaded() const {
  std::call_once(logarithms_taken_, [&] { io::take_logarithms(read_); });
  return read_;
}

const io::CalibratorInfo& Prepared::info() const {
  std::call_once(info_known_,
                 [&] { info_ = io::calibrator_info(io::full_facts_of(loaded()), kind_, 0); });
  return info_;
}

void Prepared::keep_probabilities(const io::DatasetFiles& files) {
  std::call_once(probabilities_known_, [&] {
    if (read_.probabilities.rows() != 0) return;
    const io::NumberArray& array = *files.scores.given->array;
    Matrix<double> values(array.rows, array.cols);
    array.read_rows(0, values.view());
    read_.probabilities = std::move(values);
  });
}

std::shared_ptr<const Prepared> Inputs::read(bool keep_probabilities) const {
  if (prepared) {
    if (keep_probabilities) prepared->keep_probabilities(files);
    return prepared;
  }
  return read_now({.keep_probabilities = keep_probabilities});
}

std::shared_ptr<const Prepared> Inputs::read_to_fit(const MethodSpec& method, int threads) const {
  if (prepared) return prepared;
  return read_now({.trace = true, .first_look = wants_first_look(method), .threads = threads});
}

std::shared_ptr<Prepared> Inputs::read_now(const io::LoadOptions& options) const {
  return std::make_shared<Prepared>(files.scores.kind, io::load_dataset(files, options));
}

bool Inputs::are_arrays() const {
  const bool votes_too = !has_votes() || (files.given_votes && files.given_votes->array);
  return files.scores.given && files.scores.given->array && votes_too;
}

void Inputs::prepare() {
  const auto& given = files.scores.given;
  // Every row of an array in memory is used, in its order: it can be looked at again.
  const bool whole = given && given->array && given->array->cols > 1 && given->ids.empty() &&
                     !files.given_rows && !files.given_skip_rows && !files.allow_unmatched;
  prepared = read_now(
      {.keep_probabilities = files.scores.kind == ScoreKind::probs && !whole,
       .probabilities = whole ? io::Probabilities::as_given : io::Probabilities::converted});
}

void bind_inputs(nb::module_& module) {
  nb::class_<Data>(module, "Data", "A file, or an array or table in memory.")
      .def_static("path", &from_path, nb::arg("path"))
      .def_static("array", &from_array, nb::arg("array"), nb::arg("ids"))
      .def_static("arrow", &from_arrow, nb::arg("stream"), nb::arg("name"), nb::arg("ids"))
      .def_static("columns", &from_columns, nb::arg("columns"), nb::arg("ids"));
  nb::class_<Inputs>(module, "Inputs", "Scores and votes, and what is known about them.")
      .def_static("make", &make_inputs, nb::arg("kind"), nb::arg("scores"), nb::arg("votes").none(),
                  nb::arg("labels_only"), nb::arg("groups").none(), nb::arg("classes"),
                  nb::arg("score_classes"), nb::arg("vote_classes"), nb::arg("id_field"),
                  nb::arg("votes_field"), nb::arg("votes_format"), nb::arg("drop_labels"),
                  nb::arg("scores_field"), nb::arg("rows").none(), nb::arg("skip_rows").none(),
                  nb::arg("allow_unmatched"), nb::arg("assume_order"))
      .def("with_subgroups", &with_subgroups, nb::arg("by"))
      .def("prepare",
           [](Inputs& self) {
             if (self.are_arrays()) {
               run_here([&] { self.prepare(); });
             } else {
               run(nb::none(), [&](Monitor&) { self.prepare(); });
             }
           })
      .def_prop_ro("rows", [](const Inputs& self) { return self.read()->as_read().data.rows(); })
      .def_prop_ro("class_count",
                   [](const Inputs& self) { return self.read()->as_read().data.classes_count(); })
      .def_prop_ro("classes", [](const Inputs& self) { return self.read()->as_read().data.classes; })
      .def_prop_ro("fingerprint", [](const Inputs& self) { return self.read()->info().fingerprint; })
      .def_prop_ro("notes", [](const Inputs& self) {
        return render(self.read()->as_read().join.notes, Speech::python);
      });
  module.def("read_class_list", &io::read_class_list, nb::arg("text_or_path"),
             "The names in \"a,b,c\", or in a file.");
  module.def("read_row_list", &io::read_row_list, nb::arg("path"));
}

}  // namespace credence::python
