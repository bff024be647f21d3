// `credence apply`: calibrated probabilities for a score file of any size, block by block.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "certainty_columns.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/finite_scores.hpp"
#include "credence/io.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "panel.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct ApplyOptions {
  std::string model;
  DatasetOptions data;  ///< of which only the scores matter
  std::string output;
  std::string output_format;  ///< empty: by the extension of `output`
  std::string dtype = "float32";
  bool second_order = false;
  std::optional<int> next_votes;
  double level = 0.9;
  int threads = 0;
};

io::TableFormat table_format(const ApplyOptions& options) {
  std::string name = options.output_format;
  if (name.empty()) {
    if (options.output == "-") return io::TableFormat::csv;
    name = std::filesystem::path(options.output).extension().string();
    if (!name.empty()) name.erase(0, 1);
  }
  if (name == "npy") return io::TableFormat::npy;
  if (name == "csv") return io::TableFormat::csv;
  if (name == "jsonl") return io::TableFormat::jsonl;
  if (name == "parquet" || name == "pq") return io::TableFormat::parquet;
  throw Error(
      ErrorCode::usage, fmt::format("the name '{}' does not say what to write", options.output),
      "end it in .npy, .csv, .jsonl or .parquet, or add --output-format npy|csv|jsonl|parquet");
}

std::vector<std::string> score_classes(const DatasetOptions& data, const io::ScoreReader& reader,
                                       const std::string& path) {
  const std::string& given = data.score_classes.empty() ? data.classes : data.score_classes;
  std::vector<std::string> notes = reader.notes();
  const std::vector<std::string> names = io::column_names(
      reader.classes(), given.empty() ? std::vector<std::string>{} : io::read_class_list(given),
      path, notes);
  print_notes(notes);
  if (names.size() > 1 && names.size() != reader.cols()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} class names given, {} has {} columns", names.size(), path, reader.cols()),
        "name every column once, in the order of the file");
  }
  io::check_class_names(names, path, ErrorCode::data);
  return names;
}

void note_what_is_lost(const ApplyOptions& options, const io::ScoreReader& reader,
                       const io::AlignedCalibrator& aligned, const std::string& path,
                       io::TableFormat format) {
  if (aligned.matched() == "assumed" && !aligned.output_classes().empty()) {
    const bool model_named = !aligned.calibrator().classes.empty();
    print_note(fmt::format("{} does not name its classes; the order of {} is assumed: {}",
                           model_named ? path : options.model, model_named ? options.model : path,
                           fmt::join(aligned.output_classes(), ", ")));
  }
  if (reader.has_ids() && format == io::TableFormat::npy) {
    print_note(fmt::format(
        "a .npy file has no place for the ids of {}; .csv, .jsonl and .parquet do", path));
  }
}

struct Counts {
  std::size_t written = 0, clipped = 0;
};

Counts stream(io::ScoreReader& reader, const io::ScoreFile& file, const io::RowFilter& filter,
              io::AlignedCalibrator& aligned, CertaintyColumns& columns_added,
              io::TableWriter& writer, int threads) {
  const std::size_t columns = reader.cols();
  const auto total = reader.rows();
  Matrix<double> probabilities;
  Counts counts;
  Progress progress(fmt::format("reading {}", io::display_name(file.path)));
  io::FiniteBlock block;
  for (io::FiniteScores blocks(reader, file, filter, threads); blocks.next(block);) {
    const Matrix<float>& scores = block.finite.scores;
    if (probabilities.rows() < scores.rows()) {
      probabilities = Matrix<double>(scores.rows(), columns);
    }
    const MutRows out(probabilities.data(), scores.rows(), columns);
    aligned.apply(scores.view(), out, blocks.threads());
    writer.write(columns_added.with(out), block.ids);
    counts.clipped += block.finite.clipped;
    counts.written += scores.rows();
    progress.update(total ? fmt::format("{} of {} rows", grouped(block.read), grouped(*total))
                          : fmt::format("{} rows", grouped(block.read)));
  }
  return counts;
}

CertaintyColumns columns_wanted(const ApplyOptions& options, const Calibrator& calibrator) {
  if (!options.second_order) {
    if (!options.next_votes) return {};
    throw Error(ErrorCode::usage, "--next-votes belongs to --second-order", "add --second-order");
  }
  if (!calibrator.second_order) {
    throw Error(ErrorCode::model,
                fmt::format("{} does not say how sure it is", io::display_name(options.model)),
                "fit it again with 'credence fit --second-order'");
  }
  return {*calibrator.second_order, {options.next_votes.value_or(0), options.level}};
}

void check_request(const ApplyOptions& options) {
  if (options.model.empty()) {
    throw Error(ErrorCode::usage, "no calibrator given",
                "name the file that 'credence fit' wrote: credence apply model.json --logits ...");
  }
  if (options.output.empty()) {
    throw Error(
        ErrorCode::usage, "no output given: where should the probabilities go?",
        "-o FILE.npy, .csv, .jsonl or .parquet writes a file, -o - writes to standard output");
  }
  check_standard_input(options.data, options.model);
  check_output(options.output, options.data, options.model);
}

std::string columns_in_words(std::size_t extra, const ApplyOptions& options) {
  if (extra == 0) return {};
  return options.next_votes
             ? ", concentration, disagreement, and the low and high end of each share"
             : ", concentration and disagreement";
}

/// Several models: their scores are joined in memory.
void run_apply_several(const ApplyOptions& options, const io::LoadedPanel& panel) {
  if (options.second_order || options.next_votes) {
    throw Error(ErrorCode::usage, "a calibrator of several models does not say how sure it is",
                "leave out --second-order and --next-votes");
  }
  const io::TableOptions table{.format = table_format(options),
                               .float64 = options.dtype == "float64"};
  io::check_writable(options.output);
  const PanelRows rows =
      apply_several(panel, options.data, io::display_name(options.model), options.threads);
  const auto writer = io::create_table(options.output, table, rows.classes);
  writer->write(rows.probabilities.view(), rows.ids);
  writer->commit();
  if (options.output == "-") return;
  print_note(fmt::format("wrote {} rows of {} probabilities to {} (auto of {} models)",
                         grouped(rows.probabilities.rows()), rows.probabilities.cols(),
                         options.output, panel.panel.models.size()));
}

void run_apply(const ApplyOptions& options) {
  check_request(options);
  io::AnyCalibrator any = io::load_any_calibrator(options.model);
  check_models(any, options.data, io::display_name(options.model));
  if (const auto* panel = std::get_if<io::LoadedPanel>(&any)) {
    return run_apply_several(options, *panel);
  }
  const io::ScoreFile file = score_file(options.data);
  io::TableOptions table{.format = table_format(options), .float64 = options.dtype == "float64"};
  io::check_writable(options.output);

  const io::RowFilter filter(options.data.rows, options.data.skip_rows);
  io::LoadedCalibrator loaded = std::get<io::LoadedCalibrator>(std::move(any));
  const std::unique_ptr<io::ScoreReader> reader = io::open_scores(file);
  const std::string name = io::display_name(file.path);
  io::AlignedCalibrator aligned(std::move(loaded), io::display_name(options.model), reader->cols(),
                                score_classes(options.data, *reader, name), file.kind, name);
  note_what_is_lost(options, *reader, aligned, name, table.format);

  const std::size_t classes = aligned.calibrator().class_count;
  CertaintyColumns columns = columns_wanted(options, aligned.calibrator());
  table.extra = columns.count(classes);
  const auto writer =
      io::create_table(options.output, table, columns.names(aligned.output_classes(), classes));
  const Counts counts = stream(*reader, file, filter, aligned, columns, *writer, options.threads);
  if (counts.written == 0) {
    throw Error(ErrorCode::data, fmt::format("no rows of {} are left to calibrate", name),
                "--rows and --skip-rows leave nothing");
  }
  writer->commit();
  if (options.output != "-") {
    print_note(fmt::format("wrote {} rows of {} probabilities{} to {} ({})",
                           grouped(counts.written), classes, columns_in_words(table.extra, options),
                           options.output, aligned.calibrator().method));
  }
  if (counts.clipped > 0) {
    print_note(fmt::format("{} scores were 0 (or -inf) and were raised to the smallest float32",
                           grouped(counts.clipped)));
  }
}

}  // namespace

Action declare_apply(CLI::App& verb) {
  verb.description("Write calibrated probabilities for a score file of any size");
  verb.footer(
      "Examples:\n"
      "  credence apply model.json --logits new.npy -o calibrated.npy\n"
      "  credence apply both.json --logits a.npy --logits b.npy -o calibrated.npy\n"
      "  zcat new.csv.gz | credence apply model.json --logits - -o - | head\n"
      "  credence apply model.json --logits new.npy --second-order -o calibrated.csv\n"
      "Memory does not grow with the file. Columns keep the order of the input.");
  const auto options = std::make_shared<ApplyOptions>();
  verb.add_option("calibrator", options->model, "calibrator written by 'credence fit'")
      ->type_name("FILE");
  add_option(verb, Option::probabilities_output, options->output, kResult);
  add_option(verb, Option::output_format, options->output_format, kResult);
  add_option(verb, Option::dtype, options->dtype, kResult);
  add_switch(verb, Option::add_second_order, options->second_order, kResult);
  add_option(verb, Option::next_votes, options->next_votes, kResult);
  add_option(verb, Option::next_level, options->level, kResult);
  score_options(verb, options->data);
  classes_option(verb, options->data);
  row_options(verb, options->data);
  threads_option(verb, options->threads);
  return [options] { run_apply(*options); };
}

}  // namespace credence::cli
