#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace credence::paper {
namespace {

using std::string_view;

/// Mean and standard deviation of a metric over the splits.
struct Stat {
  std::optional<double> mean;
  double deviation = 0.0;
};

Stat stat(const RealSet& set, string_view method, string_view metric) {
  for (const MethodSpread& m : set.comparison.spread) {
    if (m.name != method) continue;
    for (const Spread& s : m.metrics) {
      // A mean over some of the splits only would flatter a method that fails on the others.
      if (s.metric != metric || s.splits != set.comparison.splits.size()) continue;
      return {s.mean, s.deviation.value_or(0.0)};
    }
  }
  return {};
}

std::string percent(const Stat& s) {
  return s.mean ? fmt::format("{:.2f} ± {:.2f}", 100.0 * *s.mean, 100.0 * s.deviation) : "-";
}
std::string plain(const Stat& s) {
  return s.mean ? fmt::format("{:.4f} ± {:.4f}", *s.mean, s.deviation) : "infinite";
}

/// Mean temperature over the splits.
double temperature(const RealSet& set, string_view method) {
  double sum = 0.0;
  for (const SplitResult& split : set.comparison.splits) {
    sum += split.method(method).calibrator.temperature();
  }
  return sum / static_cast<double>(set.comparison.splits.size());
}

/// How much lower `method` is than `reference`, in per cent of the reference.
std::string reduction(const RealSet& set, string_view method, string_view reference,
                      string_view metric) {
  const Stat a = stat(set, method, metric), b = stat(set, reference, metric);
  if (!a.mean || !b.mean) return "-";
  return fmt::format("{:+.0f} %", 100.0 * (*a.mean / *b.mean - 1.0));
}

std::size_t splits_where(const RealSet& set, const auto& holds) {
  return static_cast<std::size_t>(std::ranges::count_if(set.comparison.splits, holds));
}

double value(const SplitResult& split, string_view method, string_view metric) {
  return split.method(method).evaluation[metric].value_or(std::nan(""));
}

std::string verdict(std::size_t holds, std::size_t of) {
  if (holds == of) return fmt::format("holds on all {} splits", of);
  if (holds == 0) return fmt::format("fails on all {} splits", of);
  return fmt::format("holds on {} of {} splits", holds, of);
}

bool best_by(const SplitResult& split, string_view method, string_view metric) {
  const auto own = split.method(method).evaluation[metric];
  return own && std::ranges::none_of(split.methods, [&](const MethodResult& other) {
           const auto theirs = other.evaluation[metric];
           return !other.oracle && theirs && *theirs < *own;
         });
}

bool rises_with_entropy(const SplitResult& split) {
  const auto& bins = split.method("ts").evaluation.pointwise_by_entropy;
  return std::ranges::is_sorted(bins, {}, &EntropyBin::error);
}

/// What each claim says of one split.
struct Claim {
  const char* words;
  bool (*holds)(const SplitResult&);
};

constexpr Claim kClaims[] = {
    {"1. T(ts) < T(slts)",
     [](const SplitResult& s) {
       return s.method("ts").calibrator.temperature() < s.method("slts").calibrator.temperature();
     }},
    {"2. dirichlet-soft cuts the ECE of ts by 55 % or more",
     [](const SplitResult& s) {
       return value(s, "dirichlet-soft", "ece_true") <= 0.45 * value(s, "ts", "ece_true");
     }},
    {"3. ls-ts cuts the ECE of ts by 9 % or more",
     [](const SplitResult& s) {
       return value(s, "ls-ts", "ece_true") <= 0.91 * value(s, "ts", "ece_true");
     }},
    {"4. mcts (S = 1) within 0.6 points of the ECE of slts",
     [](const SplitResult& s) {
       return std::abs(value(s, "mcts", "ece_true") - value(s, "slts", "ece_true")) < 0.006;
     }},
    {"5. dirichlet-soft has the lowest NLL",
     [](const SplitResult& s) { return best_by(s, "dirichlet-soft", "nll"); }},
    {"5. ir-soft has the lowest ECE",
     [](const SplitResult& s) { return best_by(s, "ir-soft", "ece_true"); }},
    {"6. ats no better in ECE than ts (by 0.1 points)",
     [](const SplitResult& s) {
       return value(s, "ats", "ece_true") >= value(s, "ts", "ece_true") - 0.001;
     }},
    {"6. dirichlet-hard worse in ECE than ts",
     [](const SplitResult& s) {
       return value(s, "dirichlet-hard", "ece_true") > value(s, "ts", "ece_true");
     }},
    {"7. the error of ts rises with every bin of entropy", rises_with_entropy},
};

/// Splits on which each claim holds.
std::string summary(const Measured& measured) {
  std::string out = "| claim |", line = "|---|";
  for (const RealSet& set : measured.sets) {
    out += fmt::format(" {} |", set.title);
    line += "--:|";
  }
  out += "\n" + line + "\n";
  for (const Claim& claim : kClaims) {
    out += fmt::format("| {} |", claim.words);
    for (const RealSet& set : measured.sets) {
      out += fmt::format(" {}/{} |", splits_where(set, claim.holds), set.comparison.splits.size());
    }
    out += "\n";
  }
  return out;
}

std::string temperatures(const Measured& measured) {
  std::string out = "| data | T(ts) | T(slts) | T(ls-ts) |\n|---|--:|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    out += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} |\n", set.title, temperature(set, "ts"),
                       temperature(set, "slts"), temperature(set, "ls-ts"));
  }
  return out;
}

std::string capacity(const Measured& measured) {
  std::string out =
      "ECE %:\n\n| data | ts | ats | platt | dirichlet-hard | slts |\n"
      "|---|--:|--:|--:|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    out += fmt::format("| {} |", set.title);
    for (const char* method : {"ts", "ats", "platt", "dirichlet-hard", "slts"}) {
      out += fmt::format(" {} |", percent(stat(set, method, "ece_true")));
    }
    out += "\n";
  }
  return out;
}

std::string main_table(const Measured& measured) {
  std::string out;
  for (const RealSet& set : measured.sets) {
    const AnnotationSummary& a = set.comparison.evaluation;
    out += fmt::format(
        "### {}\n\n{} calibration and {} evaluation examples, {} classes, {:.4g} votes each; two "
        "annotators agree {:.1f} % of the time; noise floor of ECE {:.2f} %, human ceiling of the "
        "Brier score {:.4f}. Recommended: `{}` (first split).\n\n"
        "| method | T | ECE % | expected ECE % | voted ECE % | Brier (reader) | NLL |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n",
        set.title, set.comparison.calibration.rows, a.rows, a.classes, a.votes_per_example,
        100.0 * a.agreement.pairwise.value_or(std::nan("")),
        100.0 * value(set.comparison.splits[0], "slts", "ece_floor"),
        value(set.comparison.splits[0], "slts", "annotator_disagreement"),
        set.comparison.splits[0].recommended);
    for (const MethodResult& method : set.comparison.splits[0].methods) {
      const double t = method.calibrator.temperature() > 0.0 ? temperature(set, method.name) : 0.0;
      out += fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} |\n", method.name,
          t > 0.0 ? fmt::format("{:.3f}", t) : "-", percent(stat(set, method.name, "ece_true")),
          percent(stat(set, method.name, "ece_expected")),
          percent(stat(set, method.name, "ece_voted")),
          plain(stat(set, method.name, "brier_reader")), plain(stat(set, method.name, "nll")));
    }
    out += "\n";
  }
  return out;
}

std::string reductions(const Measured& measured, string_view method) {
  std::string out =
      "| data | ECE of ts % | ECE % | change | change in NLL |\n|---|--:|--:|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    out +=
        fmt::format("| {} | {} | {} | {} | {} |\n", set.title, percent(stat(set, "ts", "ece_true")),
                    percent(stat(set, method, "ece_true")),
                    reduction(set, method, "ts", "ece_true"), reduction(set, method, "ts", "nll"));
  }
  return out;
}

std::string best_of(const Measured& measured, string_view metric, int digits, double scale) {
  std::string out = "| data | best | value | dirichlet-soft | ir-soft |\n|---|---|--:|--:|--:|\n";
  const auto text = [&](std::optional<double> v) {
    return v ? fmt::format("{:.{}f}", scale * *v, digits) : std::string("infinite");
  };
  for (const RealSet& set : measured.sets) {
    const MethodSpread* best = nullptr;
    double lowest = 0.0;
    for (const MethodSpread& m : set.comparison.spread) {
      const auto mean = stat(set, m.name, metric).mean;
      if (!mean || m.name == "oracle-ts" || (best != nullptr && *mean >= lowest)) continue;
      best = &m;
      lowest = *mean;
    }
    out += fmt::format(
        "| {} | {} | {} | {} | {} |\n", set.title, best == nullptr ? "-" : best->name, text(lowest),
        text(stat(set, "dirichlet-soft", metric).mean), text(stat(set, "ir-soft", metric).mean));
  }
  return out;
}

std::string by_entropy(const Measured& measured) {
  std::string out =
      "| data | error of ts in the least and in the most disputed bin % | bins, steps up |\n"
      "|---|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    const auto& bins = set.comparison.splits[0].method("ts").evaluation.pointwise_by_entropy;
    if (bins.empty()) continue;
    std::size_t up = 0;
    for (std::size_t b = 1; b < bins.size(); ++b) up += bins[b].error > bins[b - 1].error ? 1 : 0;
    out += fmt::format("| {} | {:.2f} → {:.2f} | {}, {} of {} |\n", set.title,
                       100.0 * bins.front().error, 100.0 * bins.back().error, bins.size(), up,
                       bins.size() - 1);
  }
  return out;
}

struct Curve {
  double setting;
  std::string method;
  std::vector<double> ece, nll, temperature;
};

std::string ablation_table(const RealSet& set, Study study,
                           const std::vector<string_view>& methods) {
  const auto index = [](string_view name) {
    const auto table = metric_table();
    return static_cast<std::size_t>(std::ranges::find(table, name, &Metric::name) - table.begin());
  };
  double last_setting = 0.0;
  for (const AblationResult& result : set.ablation) {
    if (result.task.study == study) last_setting = result.task.setting;
  }
  std::vector<Curve> curves;
  for (const AblationResult& result : set.ablation) {
    if (result.task.study != study) continue;
    for (const AblationPoint& point : result.points) {
      if (std::ranges::find(methods, point.method) == methods.end()) continue;
      // Only mcts draws; the others are the same at every setting and are shown once.
      const bool same = study == Study::draws && point.method != "mcts";
      if (same && result.task.setting != last_setting) continue;
      auto found = std::ranges::find_if(curves, [&](const Curve& c) {
        return c.setting == result.task.setting && c.method == point.method;
      });
      if (found == curves.end()) {
        curves.push_back({result.task.setting, point.method, {}, {}, {}});
        found = curves.end() - 1;
      }
      found->ece.push_back(point.metrics[index("ece_true")].value_or(std::nan("")));
      found->nll.push_back(point.metrics[index("nll")].value_or(std::nan("")));
      found->temperature.push_back(point.temperature);
    }
  }
  const auto text = [](const std::vector<double>& x, double scale, int digits) {
    double mean = 0.0, squares = 0.0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) squares += (v - mean) * (v - mean);
    if (!std::isfinite(mean)) return std::string("infinite");
    return fmt::format("{:.{}f} ± {:.{}f}", scale * mean, digits,
                       scale * std::sqrt(squares / static_cast<double>(x.size() - 1)), digits);
  };
  std::string out = "| setting | method | T | ECE % | NLL |\n|--:|---|--:|--:|--:|\n";
  for (const Curve& c : curves) {
    out += fmt::format("| {:g} | {} | {} | {} | {} |\n", c.setting, c.method,
                       c.temperature[0] > 0.0 ? text(c.temperature, 1.0, 3) : "-",
                       text(c.ece, 100.0, 2), text(c.nll, 1.0, 4));
  }
  return out;
}

std::string ablations(const Measured& measured, Study study,
                      const std::vector<string_view>& methods) {
  std::string out;
  for (const RealSet& set : measured.sets) {
    if (set.ablation.empty()) continue;
    out += fmt::format("{}:\n\n{}\n", set.title, ablation_table(set, study, methods));
  }
  return out;
}

std::string toy_table(const Measured& measured) {
  std::string out =
      "| method | T | voted ECE % | ECE % | error where clear % | error where ambiguous % |\n"
      "|---|--:|--:|--:|--:|--:|\n";
  for (const ToyScore& score : measured.toy) {
    const auto percent_of = [](const Evaluation& e, string_view metric) {
      return fmt::format("{:.2f}", 100.0 * e[metric].value_or(std::nan("")));
    };
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", score.method,
                    score.temperature > 0.0 ? fmt::format("{:.3f}", score.temperature) : "-",
                    percent_of(score.all, "ece_voted"), percent_of(score.all, "ece_true_exact"),
                    percent_of(score.clear, "pointwise"), percent_of(score.ambiguous, "pointwise"));
  }
  return out;
}

std::string brier_table(const Measured& measured) {
  std::string out =
      "| data | brier of slts (the equation) | + disagreement = brier_reader | human ceiling |\n"
      "|---|--:|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    const SplitResult& split = set.comparison.splits[0];
    out +=
        fmt::format("| {} | {:.4f} | {:.4f} | {:.4f} |\n", set.title, value(split, "slts", "brier"),
                    value(split, "slts", "brier_reader"), value(split, "slts", "annotator_disagreement"));
  }
  return out;
}

std::string floor_table(const Measured& measured) {
  std::string out =
      "| data | lowest ECE of any method % | its noise floor % | the same method, expected ECE % "
      "|\n"
      "|---|--:|--:|--:|\n";
  for (const RealSet& set : measured.sets) {
    const SplitResult& split = set.comparison.splits[0];
    const MethodResult* best = nullptr;
    for (const MethodResult& method : split.methods) {
      if (best == nullptr || *method.evaluation["ece_true"] < *best->evaluation["ece_true"]) {
        best = &method;
      }
    }
    out += fmt::format("| {} | {:.2f} ({}) | {:.2f} | {:.2f} |\n", set.title,
                       100.0 * *best->evaluation["ece_true"], best->name,
                       100.0 * *best->evaluation["ece_floor"],
                       100.0 * *best->evaluation["ece_expected"]);
  }
  return out;
}

}  // namespace

std::string page(const Measured& measured) {
  std::string out =
      "# The paper's claims, measured\n\n"
      "Written by `make paper`; do not edit. Tao, Luo, Dong and Xu, *Confidence Calibration under\n"
      "Ambiguous Ground Truth*, claim by claim, beside what this program measures on public data "
      "with\n"
      "real annotators (CIFAR-10H: Peterson et al. 2019; ChaosNLI: Nie, Zhou, Bansal 2020; DOD-H:\n"
      "Guillot et al. 2020). The models are not the paper's, so numbers differ; what can be "
      "compared\n"
      "is the direction and the size of effects. The paper's ISIC and DermaMNIST models are not\n"
      "public, so claims about those sets alone are not checked.\n\n"
      "Protocol: half of the rows calibrate, half evaluate, stratified by majority label (sleep "
      "staging:\n"
      "whole recordings), seeds 42 to 46, mean ± standard deviation over the five splits. ECE is "
      "the\n"
      "paper's: the mean over 100 draws of one annotation per example, 15 bins. \"Expected ECE\" "
      "is\n"
      "its noise-free counterpart. Brier scores are against one random annotator.\n\n"
      "## In short\n\nOn how many of the five splits each claim holds:\n\n";
  out += summary(measured);
  out += "\n## 1. The temperature fitted to the majority label is too low: T(ts) < T(slts)\n\n";
  out += temperatures(measured);
  out +=
      "\n## 2. Calibrating to the vote leaves a calibration error that soft targets remove\n\n"
      "\"Dirichlet-Soft reduces true-label ECE by 55-87 % relative to TS.\"\n\n";
  out += reductions(measured, "dirichlet-soft");
  out +=
      "\nOn sleep staging the model is under-confident against the majority label, so ts sharpens it: "
      "against the annotators\nthat is worse than doing nothing ";
  out +=
      fmt::format("({}).\n", verdict(splits_where(measured.sets.back(),
                                                  [](const SplitResult& s) {
                                                    return value(s, "ts", "ece_expected") >
                                                           value(s, "uncalibrated", "ece_expected");
                                                  }),
                                     measured.sets.back().comparison.splits.size()));
  out += "\n## 3. \"LS-TS reduces ECE by 9-77 % without any annotator data\"\n\n" +
         reductions(measured, "ls-ts") +
         "\nIt smooths by the model's mean doubt, which mixes annotators' disagreement with the "
         "model's own errors:\nwhere the model is weak it makes the confidence worse.\n";
  out +=
      "\n## 4. One annotation per example is enough: MCTS (S = 1) within 0.6 points of SLTS\n\n" +
      ablations(measured, Study::draws, {"mcts", "slts", "ts"});
  out +=
      "## 5. Dirichlet-Soft has the best NLL; IR-Soft only the best ECE\n\nNLL:\n\n" +
      best_of(measured, "nll", 4, 1.0) + "\nECE %:\n\n" + best_of(measured, "ece_true", 2, 100.0) +
      "\nIsotonic steps can give probability 0 to a class that annotators chose: the NLL is then\n"
      "infinite, not large.\n";
  out += "\n## 6. More capacity does not repair the target\n\n" + capacity(measured);
  out += "\n## 7. The error of TS grows with annotation entropy\n\n" + by_entropy(measured);
  out +=
      "\n## 8. A few hundred calibration rows suffice\n\nShare of the calibration rows used:\n\n" +
      ablations(measured, Study::size, {"ts", "slts", "dirichlet-soft"});
  out += "## 9. Two votes per example suffice\n\nVotes per calibration example:\n\n" +
         ablations(measured, Study::votes, {"ts", "slts", "dirichlet-soft"});
  out +=
      "## 10. Smoothing without annotations: the rule matters\n\n"
      "\"CC-LS matches LS-TS; Fixed-LS underperforms; Ent-LS is inconsistent.\"\n\n" +
      ablations(measured, Study::smoothing, {"ts", "ls-ts", "cc-ls", "ent-ls", "fixed-ls", "slts"});
  out +=
      "## 11. The toy: calibrating to the vote raises the true error\n\n"
      "`credence simulate toy` with its defaults.\n\n" +
      toy_table(measured) +
      "\nThat ts *raises* the ECE depends on stopping the training early. What does not depend on\n"
      "it is the 9-10 % that no calibrator fitted to the majority label removes and soft targets do.\n";
  out +=
      "\n## Where the paper's text and its tables disagree\n\n"
      "**The Brier score.** The paper's equation is the squared distance to the annotators'\n"
      "distribution. Its tables hold a larger number: the expected Brier score against one random\n"
      "annotator, larger by the mean of 1 - sum of squared shares. Both are printed here under\n"
      "their own names.\n\n" +
      brier_table(measured) +
      "\n**The noise floor.** ECE against drawn annotations cannot reach 0: a perfect model shows\n"
      "about sum over bins of sqrt(2/pi * sum r(1-r)) / n. The paper's best values sit on that\n"
      "floor, so differences between them are differences of noise.\n\n" +
      floor_table(measured);
  out += "\n## All methods\n\n" + main_table(measured);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace credence::paper
