// `credence demo`: the main job on data the program makes itself.
#include "credence/demo.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include "credence/compare.hpp"
#include "credence/fit.hpp"
#include "credence/io.hpp"
#include "credence/metrics.hpp"
#include "credence/output.hpp"
#include "options/option_helpers.hpp"
#include "text/output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct DemoCommandOptions {
  std::uint64_t seed = 42;
  std::size_t rows = 4000;
  std::string output;  ///< directory for the data; empty: keep them in memory
};

constexpr std::array<std::string_view, 7> kShown{
    "uncalibrated", "ts", "ls-ts", "slts", "mcts", "soft-platt", "dirichlet-soft"};

std::vector<std::size_t> row_range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::string fitted_to(std::string_view method) {
  return std::string(target_in_brief(parse_method(method).stages.front().target));
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100.0 * *share) : "-";
}

std::string decimals(std::optional<double> value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

void add_files(const DemoData& demo, const Dataset& data, std::size_t half,
               io::OutputFolder& folder) {
  Matrix<double> values(data.rows(), data.classes_count());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t k = 0; k < values.cols(); ++k) values(i, k) = double{demo.logits(i, k)};
  }
  folder.table("logits.npy", {}, {}).write(values.view(), {});

  std::string votes = fmt::format("{}\n", fmt::join(demo.classes, ","));
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::vector<double> counts(data.classes_count());
    const VoteRow row = demo.votes.row(i);
    for (std::size_t j = 0; j < row.classes.size(); ++j) counts[row.classes[j]] = row.weights[j];
    votes += fmt::format("{}\n", fmt::join(counts, ","));
  }
  folder.add("votes.csv", votes);
  folder.add("classes.txt", fmt::format("{}\n", fmt::join(demo.classes, "\n")));
  folder.add("fit_rows.txt", fmt::format("{}\n", fmt::join(row_range(0, half), "\n")));
}

std::string try_written_files(const std::filesystem::path& folder) {
  const std::string d = printable((folder / "").string());
  return fmt::format(
      "Written: {0}logits.npy, votes.csv, classes.txt, fit_rows.txt. Try:\n"
      "  credence inspect --logits {0}logits.npy --votes {0}votes.csv --classes {0}classes.txt\n"
      "  credence compare --logits {0}logits.npy --votes {0}votes.csv --classes {0}classes.txt -o "
      "{0}results\n"
      "  credence fit --method slts --logits {0}logits.npy --votes {0}votes.csv \\\n"
      "    --classes {0}classes.txt --rows {0}fit_rows.txt -o {0}model.json\n"
      "  credence evaluate {0}model.json --logits {0}logits.npy --votes {0}votes.csv \\\n"
      "    --classes {0}classes.txt --skip-rows {0}fit_rows.txt\n"
      "  credence apply {0}model.json --logits {0}logits.npy -o {0}calibrated.csv\n",
      d);
}

constexpr std::string_view kOwnFiles =
    "On your own files (.npy, .npz, .csv, .tsv, .jsonl; scores may also be --log-probs or "
    "--probs):\n"
    "  credence inspect --logits logits.npy --votes votes.csv\n"
    "  credence compare --logits logits.npy --votes votes.csv -o results      which method to "
    "ship\n"
    "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
    "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
    "  credence apply model.json --logits new.npy -o calibrated.csv\n"
    "'credence methods' lists all methods and what each needs.\n";

void run_demo(const DemoCommandOptions& options) {
  if (options.rows < 20) {
    throw Error(ErrorCode::usage,
                fmt::format("--rows {} is too few to show anything", options.rows),
                "ask for 20 or more");
  }
  const DemoData demo = make_demo_data({.rows = options.rows, .seed = options.seed});
  const Dataset data =
      make_dataset(demo.logits.view(), ScoreKind::logits, demo.votes, demo.classes);
  const std::size_t half = options.rows / 2;
  const Dataset fit_part = data.select(row_range(0, half));
  const Dataset test_part = data.select(row_range(half, options.rows));
  std::optional<io::OutputFolder> folder;
  if (!options.output.empty()) {
    folder.emplace(options.output);
    add_files(demo, data, half, *folder);
  }

  TextTable table({"method", "fitted to", "T", "ece_voted", "ece_expected", "nll", "brier"},
                  "llrrrrr");
  std::optional<double> voted_ts, expected_ts, expected_slts;
  for (const std::string_view name : kShown) {
    const Calibrator calibrator = fit(parse_method(name), fit_part, {.seed = options.seed});
    const Evaluation scores = score(calibrator, test_part, {});
    const double temperature = calibrator.temperature();
    table.row({std::string(name), fitted_to(name),
               temperature > 0.0 ? fmt::format("{:.2f}", temperature) : "-",
               percent(scores["ece_voted"]), percent(scores["ece_expected"]),
               decimals(scores["nll"]), decimals(scores["brier"])});
    if (name == "ts") voted_ts = scores["ece_voted"], expected_ts = scores["ece_expected"];
    if (name == "slts") expected_slts = scores["ece_expected"];
  }

  const Paint paint(stdout);
  print(fmt::format(
      "{}\n"
      "{} generated pictures of {}; 12 annotators each, who\n"
      "often disagree; a model trained on the majority, which is far too sure of itself.\n"
      "Fitted on {} pictures, scored on the other {}:\n\n{}\n",
      paint.bold("Honest confidence when annotators disagree"), grouped(options.rows),
      fmt::join(demo.classes, ", "), grouped(half), grouped(options.rows - half),
      table.text("  ")));
  print(fmt::format(
      "{}\n"
      "Fitted to the majority label, ts matches that to {} but stays {} away from what "
      "annotators\n"
      "say. Fitted to all annotators, slts is {} away: its 70 % means that 7 annotators in 10 "
      "agree.\n"
      "  T             the temperature that divides the logits (1 leaves them alone)\n"
      "  ece_voted     distance between confidence and how often the majority label agrees\n"
      "  ece_expected  distance between confidence and the share of annotators who agree\n"
      "  nll, brier    distance of all probabilities from the annotators' (lower is better)\n\n",
      paint.bold("What it shows"), percent(voted_ts), percent(expected_ts),
      percent(expected_slts)));
  print(paint.bold("What next") + "\n");
  print(options.output.empty()
            ? "'credence demo -o DIR' writes these data to DIR, to try every verb on.\n"
            : try_written_files(options.output));
  print(kOwnFiles);
  if (folder) publish(*folder);
}

}  // namespace

Action declare_demo(CLI::App& verb) {
  verb.description("Fit and score on data the program makes itself");
  verb.footer(
      "Examples:\n"
      "  credence demo\n"
      "  credence demo -o demo    write the data too, to try every verb on");
  const auto options = std::make_shared<DemoCommandOptions>();
  add_option(verb, Option::data_folder, options->output, kNoHeading);
  add_option(verb, Option::demo_rows, options->rows, kNoHeading);
  add_option(verb, Option::demo_seed, options->seed, kNoHeading);
  return [options] { run_demo(*options); };
}

}  // namespace credence::cli
