// `credence simulate annotators`: votes from consensus labels and confusion matrices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "commands/simulate.hpp"
#include "credence/error.hpp"
#include "credence/files.hpp"
#include "credence/inspect.hpp"
#include "credence/io.hpp"
#include "credence/simulate.hpp"
#include "text/json_output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockRows = 1024;

/// A folder stands for the files in it, in the order of their names.
std::vector<std::string> confusion_files(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    std::error_code failure;
    if (name == "isic" || !fs::is_directory(name, failure)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(name, failure)) {
      const bool hidden = entry.path().filename().string().starts_with('.');
      if (!hidden && entry.is_regular_file(failure)) inside.push_back(entry.path().string());
    }
    if (inside.empty()) {
      throw Error(ErrorCode::io, fmt::format("{}: no confusion matrices in this folder", name),
                  "put one file per annotator there");
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

ConfusionMatrix read_confusion(const std::string& path, bool normalise) {
  if (path == "isic") return isic_confusion();
  io::ScoreTable table;
  try {
    table = io::load_scores({.path = path}, io::LoadAs::as_stored);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
    // The reader takes any table of numbers and speaks of scores.
    throw Error(error.code(), error.what(),
                "a confusion matrix is a table of numbers, a row and a column per class; names may "
                "stand in the first line and in a first column without a heading");
  }
  Matrix<double> values(table.rows, table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t k = 0; k < table.cols; ++k) {
      values(i, k) = table.f64.rows() > 0 ? table.f64(i, k) : double{table.f32(i, k)};
    }
  }
  return make_confusion_matrix(values.view(),
                               normalise ? ConfusionKind::counts : ConfusionKind::probabilities,
                               table.classes, table.ids, path);
}

/// All matrices with their classes in one order: that of the first that names them.
std::vector<ConfusionMatrix> read_matrices(const std::vector<std::string>& files, bool normalise) {
  std::vector<ConfusionMatrix> matrices;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    matrices.push_back(read_confusion(file, normalise));
    const std::size_t first = matrices.front().class_count(), here = matrices.back().class_count();
    if (here != first) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: {} classes, but {} has {}", file, here, files.front(), first));
    }
    if (names.empty()) names = matrices.back().classes;
  }
  for (std::size_t a = 0; a < matrices.size(); ++a) {
    if (!matrices[a].classes.empty()) matrices[a] = reorder(matrices[a], names, files[a]);
    matrices[a].classes = names;
  }
  return matrices;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// The matrix's own names may be listed in any order, and the matrices follow it. With other names
/// among them the list translates the rows in their order; a name of the matrix at another place
/// would then change what its row means.
void follow_order(std::vector<ConfusionMatrix>& matrices, const std::vector<std::string>& files,
                  const std::string& listed) {
  const std::vector<std::string> own = matrices.front().classes;
  if (listed.empty() || own.empty()) return;
  const std::vector<std::string> order = io::read_class_list(listed);
  if (order.size() != own.size()) return;  // refused with the labels
  const auto place = [&own](const std::string& name) {
    const auto same = [&name](const std::string& other) { return same_name(name, other); };
    return static_cast<std::size_t>(std::ranges::find_if(own, same) - own.begin());
  };
  const bool all_known =
      std::ranges::all_of(order, [&](const std::string& name) { return place(name) < own.size(); });
  for (std::size_t a = 0; all_known && a < matrices.size(); ++a) {
    matrices[a] = reorder(matrices[a], order, files[a]);
  }
  for (std::size_t k = 0; !all_known && k < order.size(); ++k) {
    if (place(order[k]) == k || place(order[k]) == own.size()) continue;
    throw Error(ErrorCode::usage,
                fmt::format("--vote-classes has '{}' at place {}, where the confusion matrix has "
                            "'{}'",
                            order[k], k, own[k]),
                fmt::format("list the matrix's names ({}) in any order, or other names in the "
                            "order of its rows",
                            fmt::join(own, ", ")));
  }
}

struct Consensus {
  std::vector<std::uint32_t> labels;
  std::vector<std::string> ids, classes;
};

Consensus read_consensus(const DatasetOptions& data, const ConfusionMatrix& matrix) {
  io::VoteFile file = vote_file(data);
  const std::size_t classes = matrix.class_count();
  if (!file.classes.empty() && file.classes.size() != classes) {
    throw Error(ErrorCode::usage,
                fmt::format("--vote-classes names {} classes, but the confusion "
                            "matrix has {}",
                            file.classes.size(), classes),
                "list a name for every row of the matrix, in its order");
  }
  if (file.classes.empty()) file.classes = matrix.classes;
  file.expected_classes = classes;
  io::VoteTable table = io::load_votes(file);
  if (file.classes.empty() && !table.classes.empty()) {
    throw Error(ErrorCode::data,
                fmt::format("{}: labels are names ({}), but the confusion matrix has none",
                            file.path, fmt::join(table.classes, ", ")),
                "list the names in the order of the matrix with --vote-classes");
  }
  print_notes(table.notes);
  const auto voted = table.votes.voted();
  return {{voted.begin(), voted.end()}, std::move(table.ids), std::move(file.classes)};
}

/// Positions in disguise, where classes have no names.
std::vector<std::string> column_names(const std::vector<std::string>& classes, std::size_t count) {
  if (!classes.empty()) return classes;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("class_{}", k));
  return names;
}

void write_counts(io::TableWriter& table, const Matrix<std::uint32_t>& answers,
                  const Consensus& consensus, std::size_t classes) {
  for (std::size_t first = 0; first < answers.rows(); first += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, answers.rows() - first);
    Matrix<double> counts(rows, classes);
    for (std::size_t i = 0; i < rows; ++i) {
      for (const std::uint32_t answer : answers.row(first + i)) counts(i, answer) += 1.0;
    }
    std::vector<std::string> ids;
    if (!consensus.ids.empty()) {
      const auto from = consensus.ids.begin() + static_cast<std::ptrdiff_t>(first);
      ids.assign(from, from + static_cast<std::ptrdiff_t>(rows));
    }
    table.write(counts.view(), ids);
  }
}

std::string long_table(const Matrix<std::uint32_t>& answers, const Consensus& consensus) {
  std::string text = "example,annotator,label\n";
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    const std::string id = consensus.ids.empty() ? std::to_string(i) : csv_cell(consensus.ids[i]);
    for (std::size_t a = 0; a < answers.cols(); ++a) {
      const std::uint32_t k = answers(i, a);
      const std::string label =
          consensus.classes.empty() ? std::to_string(k) : csv_cell(consensus.classes[k]);
      text += fmt::format("{},a{},{}\n", id, a + 1, label);
    }
  }
  return text;
}

Votes count(const Matrix<std::uint32_t>& answers, std::size_t classes) {
  std::vector<Annotation> annotations;
  annotations.reserve(answers.rows() * answers.cols());
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    for (const std::uint32_t answer : answers.row(i)) {
      annotations.push_back({.example = i, .label = answer});
    }
  }
  return Votes::from_annotations(annotations, answers.rows(), classes);
}

struct Judged {
  Votes votes;
  std::size_t answers_right = 0, majorities_right = 0;
};

Judged judge(const Matrix<std::uint32_t>& answers, const Consensus& consensus,
             std::size_t classes) {
  Judged result{.votes = count(answers, classes)};
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    const std::uint32_t truth = consensus.labels[i];
    result.answers_right += static_cast<std::size_t>(std::ranges::count(answers.row(i), truth));
    result.majorities_right += result.votes.voted(i) == truth ? 1U : 0U;
  }
  return result;
}

std::string summary(const SimulateAnnotatorsOptions& options, const Judged& result,
                    std::size_t annotators, const std::vector<std::string>& files,
                    const std::vector<std::string>& classes) {
  const Votes& votes = result.votes;
  const report::VoteSummary all = report::summarise(votes);
  const auto rows = static_cast<double>(votes.rows());
  const double right =
      static_cast<double>(result.answers_right) / (rows * static_cast<double>(annotators));
  const double majority = static_cast<double>(result.majorities_right) / rows;
  if (options.format == Format::json) {
    return to_text({{"output", options.output},
                    {"form", options.long_table ? "long table" : "count matrix"},
                    {"rows", votes.rows()},
                    {"classes", votes.classes()},
                    {"class_names", classes},
                    {"annotators", annotators},
                    {"seed", options.seed},
                    {"confusion", files},
                    {"answers_equal_consensus", right},
                    {"majorities_equal_consensus", majority},
                    {"pairwise_agreement", optional_json(all.agreement)},
                    {"mean_normalised_entropy", all.entropy},
                    {"unanimous", all.unanimous},
                    {"ties", votes.ties()}});
  }
  std::string out = fmt::format(
      "{}: {} examples, {} classes, {} annotator{} each (seed {})\n"
      "  answers equal to the consensus   {:.1f} %\n"
      "  majorities equal to it           {:.1f} %, {} tied, {} unanimous\n",
      options.output == "-" ? "standard output" : printable(options.output), grouped(votes.rows()),
      votes.classes(), annotators, annotators == 1 ? "" : "s", options.seed, 100.0 * right,
      100.0 * majority, grouped(votes.ties()), grouped(all.unanimous));
  if (all.agreement) {
    out += fmt::format("  two annotators agree             {:.1f} %\n", 100.0 * *all.agreement);
  }
  return out;
}

void check_output(const SimulateAnnotatorsOptions& options) {
  if (options.output.empty()) {
    throw Error(ErrorCode::usage, "no output given: where should the votes go?",
                "-o votes.csv writes a file, -o - writes to standard output");
  }
  // Names by which readers would expect something else than commas.
  static constexpr std::array<std::string_view, 7> kOthers{".npy",   ".npz",    ".tsv", ".json",
                                                           ".jsonl", ".ndjson", ".gz"};
  for (const std::string_view other : kOthers) {
    if (!options.output.ends_with(other)) continue;
    throw Error(ErrorCode::usage,
                fmt::format("{}: votes are written as .csv, not as {}", options.output, other),
                "-o votes.csv");
  }
  if (options.output != "-") io::check_writable(options.output);
}

}  // namespace

void run_simulate_annotators(const SimulateAnnotatorsOptions& options) {
  if (options.data.labels.empty()) {
    throw Error(ErrorCode::usage, "no labels given that the annotators could get right or wrong",
                "name them with --labels FILE, one consensus label per example");
  }
  if (options.confusion.empty()) {
    throw Error(ErrorCode::usage, "no confusion matrix given",
                "--confusion isic, or --confusion FILE with a row and a column per class");
  }
  const std::vector<std::string> files = confusion_files(options.confusion);
  const std::size_t annotators = options.annotators ? static_cast<std::size_t>(*options.annotators)
                                 : files.size() > 1
                                     ? files.size()
                                     : static_cast<std::size_t>(AnnotatorOptions{}.annotators);
  if (files.size() > 1 && files.size() != annotators) {
    throw Error(ErrorCode::usage,
                fmt::format("{} confusion matrices for --annotators {}", files.size(), annotators),
                "give one matrix for all annotators, or one for each");
  }
  if (std::ranges::count(files, "-") + (options.data.labels == "-" ? 1 : 0) > 1) {
    throw Error(ErrorCode::usage, "standard input ('-') is named twice but can be read only once",
                "give one of the files by name");
  }
  check_output(options);

  std::vector<ConfusionMatrix> matrices = read_matrices(files, options.normalise);
  follow_order(matrices, files, options.data.vote_classes);
  const std::size_t classes = matrices.front().class_count();
  const Consensus consensus = read_consensus(options.data, matrices.front());
  const Matrix<std::uint32_t> answers =
      simulate_annotators(consensus.labels, matrices,
                          {.annotators = static_cast<int>(annotators), .seed = options.seed});
  io::OutputFiles file;
  if (options.long_table) {
    file.add(options.output, long_table(answers, consensus));
  } else {
    write_counts(file.table(options.output, {.format = io::TableFormat::csv},
                            column_names(consensus.classes, classes)),
                 answers, consensus, classes);
  }
  const std::string text =
      summary(options, judge(answers, consensus, classes), annotators, files, consensus.classes);
  if (options.output == "-") {
    std::fputs(text.c_str(), stderr);
  } else {
    print(text);
  }
  publish(file);
}

}  // namespace credence::cli
