// `credence simulate toy`: the motivating example, from points to scores.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <variant>

#include "commands/simulate.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/methods.hpp"
#include "credence/output.hpp"
#include "credence/simulate.hpp"
#include "text/json_output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

namespace fs = std::filesystem;

std::string_view fitted_to(std::string_view method) {
  return target_in_brief(parse_method(method).stages.front().target);
}

// ---------------------------------------------------------------- files

std::vector<std::size_t> range(std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// Calibration rows first, evaluation rows behind them.
class ToyFiles {
 public:
  ToyFiles(const ToyData& data, io::OutputFolder& folder) : data_(data), folder_(folder) {}

  void add() const {
    add_logits();
    add_votes();
    const std::size_t calibration = data_.calibration.votes.rows();
    const std::size_t evaluation = data_.evaluation.votes.rows();
    folder_.add("classes.txt", fmt::format("{}\n", fmt::join(data_.classes, "\n")));
    rows("calibration_rows.txt", range(0, calibration));
    rows("evaluation_rows.txt", range(calibration, evaluation));
    for (const ToyRegion region : {ToyRegion::ambiguous, ToyRegion::clear}) {
      std::vector<std::size_t> listed;
      for (std::size_t i = 0; i < evaluation; ++i) {
        if (data_.evaluation.regions[i] == region) listed.push_back(calibration + i);
      }
      rows(fmt::format("evaluation_{}_rows.txt", to_string(region)), listed);
    }
    add_points();
  }

 private:
  void rows(const std::string& name, const std::vector<std::size_t>& listed) const {
    folder_.add(name, fmt::format("{}\n", fmt::join(listed, "\n")));
  }

  void add_logits() const {
    io::TableWriter& table = folder_.table("logits.npy", {}, {});
    for (const Matrix<float>* logits : {&data_.calibration_logits, &data_.evaluation_logits}) {
      Matrix<double> values(logits->rows(), logits->cols());
      for (std::size_t i = 0; i < values.rows(); ++i) {
        for (std::size_t k = 0; k < values.cols(); ++k) values(i, k) = double{(*logits)(i, k)};
      }
      table.write(values.view(), {});
    }
  }

  void add_votes() const {
    io::TableWriter& table = folder_.table(
        "votes.csv", {.format = io::TableFormat::csv, .float64 = true}, data_.classes);
    for (const ToyPart* part : {&data_.calibration, &data_.evaluation}) {
      Matrix<double> values(part->votes.rows(), part->votes.classes());
      for (std::size_t i = 0; i < values.rows(); ++i) {
        const VoteRow row = part->votes.row(i);
        for (std::size_t j = 0; j < row.classes.size(); ++j) {
          values(i, row.classes[j]) = row.weights[j];
        }
      }
      table.write(values.view(), {});
    }
  }

  void add_points() const {
    std::string points = "x,y,region,voted,part\n", regions = "group\n";
    const auto add = [&](const ToyPart& part, std::string_view name) {
      for (std::size_t i = 0; i < part.votes.rows(); ++i) {
        points += fmt::format("{},{},{},{},{}\n", part.points(i, 0), part.points(i, 1),
                              to_string(part.regions[i]), data_.classes[part.votes.voted(i)], name);
        if (&part != &data_.training) regions += fmt::format("{}\n", to_string(part.regions[i]));
      }
    };
    add(data_.calibration, "calibration");
    add(data_.evaluation, "evaluation");
    add(data_.training, "training");
    folder_.add("points.csv", points);
    folder_.add("regions.csv", regions);
  }

  const ToyData& data_;
  io::OutputFolder& folder_;
};

std::string try_files(const fs::path& folder) {
  return fmt::format(
      "Written to {0}: logits.npy, votes.csv, classes.txt, regions.csv, points.csv and lists of\n"
      "rows. Try:\n"
      "  credence compare --logits {0}logits.npy --votes {0}votes.csv --classes {0}classes.txt \\\n"
      "    --calibration-rows {0}calibration_rows.txt\n"
      "  credence fit --method dirichlet-soft --logits {0}logits.npy --votes {0}votes.csv \\\n"
      "    --classes {0}classes.txt --rows {0}calibration_rows.txt -o {0}model.json\n"
      "  credence evaluate {0}model.json --logits {0}logits.npy --votes {0}votes.csv \\\n"
      "    --classes {0}classes.txt --rows {0}evaluation_ambiguous_rows.txt\n",
      printable((folder / "").string()));
}

// ---------------------------------------------------------------- report

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", 100.0 * *share) : "-";
}

std::string loss(const Evaluation& evaluation) {
  if (evaluation.infinite_nll_rows > 0) return "inf";
  const std::optional<double> nll = evaluation["nll"];
  return nll ? fmt::format("{:.4f}", *nll) : "-";
}

const ToyScore& find(const std::vector<ToyScore>& scores, std::string_view method) {
  for (const ToyScore& score : scores) {
    if (score.method == method) return score;
  }
  throw Error(ErrorCode::usage, fmt::format("the toy has no method '{}'", method));
}

std::string what_it_shows(const std::vector<ToyScore>& scores) {
  const ToyScore &before = find(scores, "uncalibrated"), &ts = find(scores, "ts");
  const ToyScore &slts = find(scores, "slts"), &best = find(scores, "dirichlet-soft");
  constexpr std::string_view kTrue = "ece_true_exact";
  return fmt::format(
      "Fitted to the majority label, ts takes ece_voted from {} to {}, but the distance to "
      "annotators\n"
      "(ece_true_exact) from {} to {}: {} on ambiguous points, {} on clear ones.\n"
      "Fitted to the annotators, slts leaves {}; dirichlet-soft, which can treat each class in\n"
      "its own way, {}.\n",
      percent(before.all["ece_voted"]), percent(ts.all["ece_voted"]), percent(before.all[kTrue]),
      percent(ts.all[kTrue]), percent(ts.ambiguous[kTrue]), percent(ts.clear[kTrue]),
      percent(slts.all[kTrue]), percent(best.all[kTrue]));
}

std::string as_text(const SimulateToyOptions& options, const ToyData& data,
                    const std::vector<ToyScore>& scores) {
  TextTable all({"method", "fitted to", "T", "ece_voted", "ece_true_exact", "nll"}, "llrrrr");
  TextTable regions({"method", "ambiguous: ece_voted", "ece_true_exact", "nll", "clear: ece_voted",
                     "ece_true_exact", "nll"},
                    "lrrrrrr");
  for (const ToyScore& score : scores) {
    const std::string method(score.method);
    const std::string temperature =
        score.temperature > 0.0 ? fmt::format("{:.2f}", score.temperature) : "-";
    all.row({method, std::string(fitted_to(method)), temperature, percent(score.all["ece_voted"]),
             percent(score.all["ece_true_exact"]), loss(score.all)});
    regions.row({method, percent(score.ambiguous["ece_voted"]),
                 percent(score.ambiguous["ece_true_exact"]), loss(score.ambiguous),
                 percent(score.clear["ece_voted"]), percent(score.clear["ece_true_exact"]),
                 loss(score.clear)});
  }
  const Paint paint(stdout);
  const std::string said = options.annotators == 0
                               ? std::string("the annotators' shares are known")
                               : fmt::format("{} annotator{} drawn for each", options.annotators,
                                             options.annotators == 1 ? " is" : "s are");
  const std::size_t rows = data.evaluation.votes.rows();
  std::string out = fmt::format(
      "{}\n{}\n{}\n"
      "Three clusters of points: left and right are clear, about the middle annotators are "
      "divided\n"
      "70 : 30; {}. A network of 2 x 64 units is trained on {} voted\n"
      "labels for {} epochs, calibrated on {} other points, scored on {} more\n"
      "(seed {}, {} bins):\n\n{}\n{}\n{}",
      paint.bold("When the majority label is the wrong target"), what_it_shows(scores),
      paint.bold("How it was found"), said, grouped(data.training.votes.rows()), options.epochs,
      grouped(data.calibration.votes.rows()), grouped(rows), options.seed,
      scores.front().all.protocol.bins, all.text("  "), paint.bold("The two regions apart"),
      regions.text("  "));
  out += fmt::format(
      "\nWith the confidences of dirichlet-soft, ece_true_exact would be near {} if all were "
      "right.\n",
      percent(find(scores, "dirichlet-soft").all["ece_floor"]));
  out += "\n" + paint.bold("What next") + "\n";
  out += options.output.empty()
             ? "'credence simulate toy -o DIR' writes these data to DIR, to try every verb on.\n"
             : try_files(options.output);
  return out;
}

Json metrics_json(const Evaluation& evaluation) {
  Json metrics = Json::object();
  for (const MetricValue& metric : evaluation.metrics) {
    // JSON has no infinity; a loss that is infinite is told by infinite_nll_rows.
    const bool finite = metric.value && std::isfinite(*metric.value);
    metrics[std::string(metric.name)] = finite ? Json(*metric.value) : Json(nullptr);
  }
  return {{"rows", evaluation.rows},
          {"infinite_nll_rows", evaluation.infinite_nll_rows},
          {"metrics", metrics}};
}

std::string as_json(const SimulateToyOptions& options, const ToyData& data,
                    const std::vector<ToyScore>& scores) {
  Json methods = Json::array();
  for (const ToyScore& score : scores) {
    methods.push_back(
        {{"method", score.method},
         {"fitted_to", fitted_to(score.method)},
         {"temperature", score.temperature > 0.0 ? Json(score.temperature) : Json(nullptr)},
         {"all", metrics_json(score.all)},
         {"ambiguous", metrics_json(score.ambiguous)},
         {"clear", metrics_json(score.clear)}});
  }
  return to_text({{"methods", methods},
                  {"protocol",
                   {{"points_per_cluster", options.points},
                    {"training_rows", data.training.votes.rows()},
                    {"calibration_rows", data.calibration.votes.rows()},
                    {"evaluation_rows", data.evaluation.votes.rows()},
                    {"class_names", data.classes},
                    {"hidden_units", {64, 64}},
                    {"epochs", options.epochs},
                    {"training_loss", data.training_loss},
                    {"annotators", options.annotators},
                    {"seed", options.seed},
                    {"bins", scores.front().all.protocol.bins}}}});
}

}  // namespace

void run_simulate_toy(const SimulateToyOptions& options) {
  std::optional<io::OutputFolder> folder;
  if (!options.output.empty()) folder.emplace(options.output);
  const ToyData data = make_toy_data({.points = options.points,
                                      .epochs = options.epochs,
                                      .annotators = options.annotators,
                                      .seed = options.seed});
  const std::vector<ToyScore> scores = score_toy(data);
  if (folder) ToyFiles(data, *folder).add();
  print(options.format == Format::json ? as_json(options, data, scores)
                                       : as_text(options, data, scores));
  if (folder) publish(*folder);
}

}  // namespace credence::cli
