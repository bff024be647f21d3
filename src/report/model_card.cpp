#include "credence/model_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "credence/methods.hpp"
#include "credence/options.hpp"
#include "io/json/json_text.hpp"
#include "map/about.hpp"
#include "report/card_scores.hpp"
#include "target/about.hpp"

namespace credence::report {
namespace {

/// A YAML string: JSON's quoting is part of YAML.
std::string quoted(const std::string& text) { return io::to_json_line(io::Json(text)); }

std::string_view summary_of(const std::string& method) {
  const auto found = std::ranges::find(kMethods, method, &Method::id);
  return found == kMethods.end() ? std::string_view() : found->summary;
}

std::string parameters(const Stage& stage, std::size_t classes) {
  constexpr std::size_t kMostListed = 12;
  const std::vector<map::Block> blocks = map::blocks_of(stage, classes);
  const bool temperatures =
      blocks.size() == 1 && blocks[0].numbers == map::Numbers::inverse_temperatures;
  if (!temperatures || stage.theta.size() > kMostListed) {
    return fmt::format("{} numbers", stage.theta.size());
  }
  if (blocks[0].shape.empty()) {
    return fmt::format("temperature {}", io::json_number(1.0 / stage.theta.front()));
  }
  std::vector<std::string> all;
  for (const double b : stage.theta) all.push_back(fmt::format("{:.4g}", 1.0 / b));
  return fmt::format("temperatures {}", fmt::join(all, ", "));
}

/// Whom its probabilities agree with, by what the last stage was fitted to.
std::string_view purpose(const Calibrator& calibrator) {
  const TargetSpec& target = calibrator.parts().front().stages.back().target;
  if (std::holds_alternative<NoTarget>(target)) return "probabilities, as the model means them";
  if (target::follows_annotators(target)) {
    return "probabilities that agree with what annotators say";
  }
  return "probabilities that agree with the majority labels, which hide where annotators disagree";
}

/// What `auto` saw on held-out rows.
std::string how_it_was_chosen(const Calibrator& calibrator) {
  if (!calibrator.selection || !calibrator.selection->nll) return {};
  const Selection& selection = *calibrator.selection;
  std::string out = fmt::format(
      "\nChosen by {}-fold cross-validation on the calibration rows, where its nll is {:.4f} ± "
      "{:.4f}. The probability that it is worse than {} is {:.2g}.\n\n"
      "| candidate | parameters | held-out nll | weight |\n|---|---|---|---|\n",
      selection.folds, *selection.nll, 1.96 * selection.standard_error, selection.baseline,
      selection.harm);
  for (const CandidateReport& one : selection.candidates) {
    out += fmt::format("| {} | {} | {} | {:.3f} |\n", markdown_text(one.method), one.parameters,
                       one.nll ? fmt::format("{:.4f} ± {:.4f}", *one.nll, 1.96 * one.standard_error)
                               : markdown_text(one.problem),
                       one.weight);
  }
  return out;
}

std::string how_sure_it_is(const Calibrator& calibrator) {
  if (!calibrator.second_order) return {};
  const SecondOrder& model = *calibrator.second_order;
  return fmt::format(
      "\nIt also says how sure each prediction is: the votes of an example are taken to scatter "
      "about the prediction q like a Dirichlet-multinomial distribution with concentration s, "
      "log s = {:.4g} {} {:.4g} log D, where D = 1 - Σ q². On the {} calibration rows with two "
      "votes or more an example's votes cost {:.4g} nats with it and {:.4g} without, and two "
      "annotators disagreed in {:.2f} % of pairs. An ONNX or C model has the probabilities "
      "alone.\n",
      model.concentration.intercept, model.concentration.slope < 0.0 ? "-" : "+",
      std::abs(model.concentration.slope), model.rows, model.dm_nll, model.multinomial_nll,
      100.0 * model.observed_disagreement);
}

std::string what_it_is(const Calibrator& calibrator) {
  const std::string_view summary = summary_of(calibrator.method);
  std::string out = fmt::format(
      "This calibrator turns the scores of a classifier with {} classes into {}. Method: "
      "**{}**{}{}.\n\n",
      calibrator.class_count, purpose(calibrator), markdown_text(calibrator.method),
      summary.empty() ? "" : ", ", summary);
  const bool is_pool = calibrator.is_pool();
  if (is_pool) {
    out += fmt::format(
        "Its probabilities are the weighted mean of those of {} calibrator{}, each of which reads "
        "the scores.\n\n",
        calibrator.members.size(), calibrator.members.size() == 1 ? "" : "s");
  }
  out += fmt::format("|{} stage | map | fitted to | parameters | how the fit ended |\n{}|",
                     is_pool ? " member | weight |" : "", is_pool ? "|---|---" : "");
  out += "---|---|---|---|---|\n";
  const std::vector<WeightedStages> parts = calibrator.parts();
  for (std::size_t m = 0; m < parts.size(); ++m) {
    for (std::size_t s = 0; s < parts[m].stages.size(); ++s) {
      const Stage& stage = parts[m].stages[s];
      if (is_pool) {
        out += fmt::format("| {} | {:.3f} ", markdown_text(calibrator.members[m].method),
                           parts[m].weight);
      }
      out += fmt::format("| {} | {}: {} | {} | {} | {} |\n", s + 1, map_name(stage.map),
                         map::action(stage.map), target_name(stage.target),
                         parameters(stage, calibrator.class_count), in_words(stage.report.stop));
    }
  }
  return out + how_it_was_chosen(calibrator) + how_sure_it_is(calibrator);
}

std::string class_list(const Calibrator& calibrator) {
  if (calibrator.classes.empty()) {
    return "not named; the order of the columns is that of the calibration data";
  }
  constexpr std::size_t kMost = 50;
  std::vector<std::string> names;
  for (const std::string& name : calibrator.classes) {
    if (names.size() == kMost) break;
    names.push_back(markdown_text(name));
  }
  std::string out = fmt::format("{}", fmt::join(names, ", "));
  if (names.size() < calibrator.classes.size()) {
    out += fmt::format(", and {} more", calibrator.classes.size() - names.size());
  }
  return out;
}

std::string data_and_protocol(const Calibrator& calibrator, const io::CalibratorInfo& info) {
  return fmt::format(
      "| | |\n|---|---|\n| examples | {} |\n| annotations per example | {} in the mean |\n"
      "| evidence | {} |\n| scores | {} |\n| gauge | {} |\n| classes, in this order | {} |\n"
      "| seed | {} |\n| fingerprint of the data | `{}` |\n",
      info.rows, io::json_number(info.votes_per_example), markdown_text(info.evidence),
      markdown_text(info.score_kind),
      calibrator.gauge == Gauge::raw ? "raw scores" : "log-probabilities", class_list(calibrator),
      info.seed,
      info.fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos
          ? info.fingerprint
          : "not a fingerprint");
}

std::vector<std::string> limits(const Calibrator& calibrator, const io::CalibratorInfo& info) {
  std::vector<std::string> out;
  bool top_only = false, moves_order = false;
  for (const Stage* each : calibrator.all_stages()) {
    const Stage& stage = *each;
    const std::string where(map_name(stage.map));
    switch (stage.report.stop) {
      case Stop::iteration_limit:
        out.push_back("The fit of the map '" + where + "' stopped early: it is not the optimum.");
        break;
      case Stop::no_progress:
        out.push_back("The fit of the map '" + where +
                      "' could not go on: it may not be the optimum.");
        break;
      case Stop::at_bound:
        out.push_back("A parameter of the map '" + where +
                      "' lies on its bound: the data ask for a more extreme one.");
        break;
      case Stop::no_minimiser:
        out.push_back("No best parameters exist for the map '" + where +
                      "': the data can be separated, and probabilities may be too extreme.");
        break;
      case Stop::converged:
      case Stop::rounding_floor:
      case Stop::direct:
        break;
    }
    for (const std::string& note : stage.report.notes) out.push_back(markdown_text(note) + ".");
    top_only = top_only || map::has_steps(stage.map);
    moves_order = moves_order || !(map::keeps_order(stage.map) || map::has_steps(stage.map));
  }
  if (info.votes_per_example < 2.0) {
    out.push_back(
        "It was fitted to fewer than two annotations per example: what annotators "
        "disagree about could hardly be seen.");
  }
  if (top_only) {
    out.push_back(
        "Only the largest probability was calibrated; the others share the rest in "
        "proportion, and another class may come out on top.");
  }
  if (moves_order) out.push_back("The predicted class can differ from that of the model.");
  if (calibrator.gauge == Gauge::raw) {
    out.push_back("It works on raw " + markdown_text(info.score_kind) +
                  " only, not on scores of another kind.");
  }
  out.push_back(calibrator.classes.empty()
                    ? "Its classes have no names: nothing can notice columns in another order."
                    : "Columns must be in the order of the classes above.");
  out.push_back(
      "It holds for data like those it was fitted to. After a change of the model, of "
      "what it is shown or of who annotates, fit again.");
  return out;
}

/// A backquote or a line break in a name would end the block.
std::string in_code(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '`'; }, '_');
  return name;
}

std::string graph_in_python(const CardGraph& graph) {
  const std::string_view given = graph.gives_logarithms ? "log_probabilities" : "probabilities";
  const std::string reads = graph.is_network
                                ? "the network with the calibrator at its end: give it what the "
                                  "network reads"
                                : "reads " + graph.input_kind;
  return fmt::format(
      "```python\n# {}\nsession = onnxruntime.InferenceSession({})\n"
      "{} = session.run([{}], {{session.get_inputs()[0].name: {}}})[0]\n```\n",
      reads, quoted(in_code(graph.file)), given, quoted(in_code(graph.output)),
      graph.is_network ? "inputs" : "scores");
}

std::string how_to_use(const Calibrator& calibrator, const io::CalibratorInfo& info,
                       const CardOptions& options) {
  const Option scores = info.score_kind == "probs"       ? Option::probs
                        : info.score_kind == "log_probs" ? Option::log_probs
                                                         : Option::logits;
  const std::string kind = info.score_kind == "probs"       ? "CREDENCE_PROBS"
                           : info.score_kind == "log_probs" ? "CREDENCE_LOG_PROBS"
                                                            : "CREDENCE_LOGITS";
  const std::string file = in_code(options.calibrator_file);
  std::string out = fmt::format(
      "```sh\ncredence apply {} {} scores.npy -o probabilities.npy\n```\n\n"
      "```c\ncredence_load_file(\"{}\", &calibrator);\n"
      "credence_apply_f32(calibrator, {}, rows, {}, scores, NULL, probabilities, NULL);\n```\n",
      file, render(mention(scores), Speech::command_line), file, kind, calibrator.class_count);
  if (options.graph) out += "\n" + graph_in_python(*options.graph);
  return out;
}

}  // namespace

std::string model_card(const io::LoadedCalibrator& loaded, const CardOptions& options) {
  const Calibrator& calibrator = loaded.calibrator;
  std::optional<Results> results;
  const MethodRecord* method = nullptr;
  if (options.results) {
    results = parse_results(*options.results, options.results_file);
    method = &matching_method(*results, loaded);
  }
  std::string out = "---\nlibrary_name: credence\ntags:\n- calibration\n- credence\n";
  if (method != nullptr) {
    out += fmt::format(
        "model-index:\n- name: {}\n  results:\n  - task:\n      type: classification\n"
        "    dataset:\n      type: private\n      name: {}\n    metrics:\n{}",
        quoted(calibrator.method), quoted("fingerprint " + results->provenance.fingerprint),
        card_metrics_yaml(*method));
  }
  out += fmt::format("---\n\n# Calibrator: {}\n\n", markdown_text(calibrator.method));
  out += what_it_is(calibrator);
  out += "\n## Data and protocol\n\n" + data_and_protocol(calibrator, loaded.info);
  out += "\n## Scores\n\n";
  out += method != nullptr
             ? card_scores(*results, *method, loaded.info)
             : "None were given. `credence compare` measures them on examples that the calibrator "
               "was not fitted to.\n";
  if (results) {
    for (const std::string& warning : results->warnings) {
      out += fmt::format("\n> {}\n", markdown_text(warning));
    }
  }
  out += "\n## Limits\n\n";
  for (const std::string& limit : limits(calibrator, loaded.info)) out += "- " + limit + "\n";
  out += "\n## Use\n\n" + how_to_use(calibrator, loaded.info, options);
  return out;
}

}  // namespace credence::report
