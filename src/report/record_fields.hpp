// What results files hold, field by field, in the order in which it is written. A field that is
// added here is written and read.
#pragma once

#include "report/record_json.hpp"

namespace credence::report {

template <>
struct Fields<EstimateRecord> {
  static void visit(auto& see, auto& estimate) {
    see("value", estimate.value);
    see("standard_error", estimate.standard_error);
    see("low", estimate.low);
    see("high", estimate.high);
  }
};

template <>
struct Fields<MetricRecord> {
  static void visit(auto& see, auto& metric) {
    see("name", metric.name);
    see("better", metric.better);
    see("needs", metric.needs);
    see("meaning", metric.meaning);
    see("definition", metric.definition);
    see.if_any("why_no_interval", metric.why_no_interval);
  }
};

template <>
struct Fields<BinRecord> {
  static void visit(auto& see, auto& bin) {
    see("from", bin.from);
    see("to", bin.to);
    see("count", bin.count);
    see("confidence", bin.confidence);
    see("agreement", bin.agreement);
    see("accuracy", bin.accuracy);
    see.together("agreement_standard_error", bin.spread, [&](auto& spread) {
      see("agreement_standard_error", spread.agreement_error);
      see("accuracy_standard_error", spread.accuracy_error);
      see("agreement_noise", spread.agreement_noise);
      see("accuracy_noise", spread.accuracy_noise);
    });
  }
};

template <>
struct Fields<EntropyBinRecord> {
  static void visit(auto& see, auto& bin) {
    see("count", bin.count);
    see("entropy", bin.entropy);
    see("error", bin.error);
    see("standard_error", bin.standard_error);
    see.if_any("perfect_error", bin.perfect);
  }
};

template <>
struct Fields<DisagreementBinRecord> {
  static void visit(auto& see, auto& bin) {
    see("count", bin.count);
    see("predicted", bin.predicted);
    see("observed", bin.observed);
    see("standard_error", bin.standard_error);
  }
};

template <>
struct Fields<ConfidenceMapBin> {
  static void visit(auto& see, auto& bin) {
    see("count", bin.count);
    see("before", bin.before);
    see("after", bin.after);
    see("low", bin.low);
    see("high", bin.high);
  }
};

template <>
struct Fields<ErrorDensity> {
  static void visit(auto& see, auto& grid) {
    see("columns", grid.columns);
    see("rows", grid.rows);
    see.require(grid.columns <= 1000 && grid.rows <= 1000,
                "expected at most 1000 columns and rows");
    see.sized("counts", grid.counts, grid.columns * grid.rows);
  }
};

template <>
struct Fields<StageRecord> {
  static void visit(auto& see, auto& stage) {
    see("target", stage.target);
    see("map", stage.map);
    see("parameters", stage.parameters);
    see("stop", stage.stop);
    see("passes", stage.passes);
    see("loss", stage.loss);
    see("gradient_norm", stage.gradient_norm);
    see("notes", stage.notes);
  }
};

template <>
struct Fields<HeldOutRecord> {
  static void visit(auto& see, auto& held_out) {
    see("nll", held_out.nll);
    see("standard_error", held_out.standard_error);
    see.or_null("problem", held_out.problem);
  }
};

template <>
struct Fields<CandidateReport> {
  static void visit(auto& see, auto& candidate) {
    see("method", candidate.method);
    see("parameters", candidate.parameters);
    see("nll", candidate.nll);
    see.or_null("standard_error", candidate.standard_error);
    see("behind", candidate.behind);
    see.or_null("behind_standard_error", candidate.behind_error);
    see("weight", candidate.weight);
    see("problem", candidate.problem);
  }
};

template <>
struct Fields<Selection> {
  static void visit(auto& see, auto& selection) {
    see("folds", selection.folds);
    see("nll", selection.nll);
    see.or_null("standard_error", selection.standard_error);
    see("baseline", selection.baseline);
    see("gain", selection.gain);
    see.or_null("gain_standard_error", selection.gain_error);
    see("harm_probability", selection.harm);
    see("notes", selection.notes);
    see("candidates", selection.candidates);
  }
};

template <>
struct Fields<LossPart> {
  static void visit(auto& see, auto& part) {
    see("value", part.value);
    see("standard_error", part.standard_error);
  }
};

template <>
struct Fields<MethodLoss> {
  static void visit(auto& see, auto& loss) {
    see("method", loss.method);
    see("total", loss.total);
    see("calibration", loss.calibration);
  }
};

template <>
struct Fields<LossSplit> {
  static void visit(auto& see, auto& split) {
    see("metric", split.metric);
    see("disagreement", split.disagreement);
    see("disagreement_of_shares", split.plug_in);
    see("model", split.model);
    see("methods", split.methods);
  }
};

template <>
struct Fields<LossParts> {
  static void visit(auto& see, auto& parts) {
    see.or_null("problem", parts.problem);
    see("rows_with_two_votes_or_more", parts.rows_with_two_votes);
    see("corrected_for_few_votes", parts.corrected);
    see("metrics", parts.metrics);
  }
};

template <>
struct Fields<MethodRecord> {
  static void visit(auto& see, auto& method) {
    see("name", method.name);
    see("rank", method.rank);
    see("recommended", method.recommended);
    see("oracle", method.oracle);
    see("temperature", method.temperature);
    see("parameters", method.parameters);
    see("stages", method.stages);
    see("cross_validation", method.held_out);
    see.if_any("selection", method.selection);
    see("metrics", method.metrics);
    see("monte_carlo_standard_errors", method.monte_carlo_errors);
    see("differences", method.differences);
    see("changed_predictions", method.changed_predictions);
    see.later("ece_expected_by_chance", method.ece_by_chance);
    see("infinite_nll_rows", method.infinite_nll_rows);
    see("repeated_rows", method.repeated_rows);
    see("reliability", method.reliability);
    see("pointwise_by_entropy", method.by_entropy);
    see.if_any("disagreement", method.disagreement);
    see.if_any("confidence_map", method.confidence_map);
    see.if_any("error_density", method.error_density);
    see.if_any("refit_metrics", method.refit_metrics);
    see.if_any("refit_differences", method.refit_differences);
  }
};

template <>
struct Fields<ShareEstimate> {
  static void visit(auto& see, auto& share) {
    see("value", share.value);
    see("low", share.low);
    see("high", share.high);
  }
};

template <>
struct Fields<RecallChange> {
  static void visit(auto& see, auto& recall) {
    see("class", recall.label);
    see("examples", recall.examples);
    see("before", recall.before);
    see("after", recall.after);
  }
};

template <>
struct Fields<Decisions> {
  static void visit(auto& see, auto& decisions) {
    see("rows", decisions.rows);
    see("changed", decisions.changed);
    see("recall", decisions.recalls);
  }
};

template <>
struct Fields<SplitRecord> {
  static void visit(auto& see, auto& split) {
    see("seed", split.seed);
    see("calibration_rows", split.calibration_rows);
    see("evaluation_rows", split.evaluation_rows);
    see("resampled_units", split.resampled_units);
    see.later("verdict", split.verdict);
    see("recommended", split.recommended);
    see.later("candidate", split.candidate);
    see("why", split.why);
    see("references", split.references);
    see("methods", split.methods);
    see.if_any("loss_parts", split.loss_parts);
  }
};

template <>
struct Fields<AnnotationRecord> {
  static void visit(auto& see, auto& data) {
    see("rows", data.rows);
    see("classes", data.classes);
    see("groups", data.groups);
    see("evidence", data.evidence);
    see.later("shares", data.shares);
    see("votes_per_example", data.votes_per_example);
    see("fewest_votes", data.fewest_votes);
    see("most_votes", data.most_votes);
    see("rows_with_two_votes_or_more", data.repeated_rows);
    see("ties", data.ties);
    see("mean_normalised_entropy", data.entropy);
    see("pairwise_agreement", data.pairwise);
    see("krippendorff_alpha", data.alpha);
    see.together("entropy_histogram", data.votes, [&](auto& votes) {
      see("entropy_histogram", votes.entropy_histogram);
      see("votes_histogram", votes.votes_histogram);
      see.object("class_shares", [&](auto& shares) {
        shares.sized("annotators", votes.annotator_shares, data.classes);
        shares.sized("voted", votes.voted_shares, data.classes);
      });
      see.object_if(!votes.confusion.empty(), "confusion", [&](auto& confusion) {
        confusion("rows", votes.confusion_rows);
        confusion.require(votes.confusion_rows.size() == data.classes,
                          fmt::format("expected {} rows, one per class", data.classes));
        confusion.matrix("shares", votes.confusion, data.classes);
      });
    });
  }
};

template <>
struct Fields<SpreadRecord> {
  static void visit(auto& see, auto& spread) {
    see("mean", spread.mean);
    see("deviation", spread.deviation);
    see("splits", spread.splits);
  }
};

template <>
struct Fields<MethodSpreadRecord> {
  static void visit(auto& see, auto& method) {
    see("name", method.name);
    see("times_recommended", method.times_recommended);
    see("metrics", method.metrics);
  }
};

/// The first lines of every file.
void see_head(auto& see, std::string_view format, auto& provenance) {
  see.head(format);
  see("program", provenance.program);
  see("command", provenance.command);
}

/// What is known of the data besides the numbers; the end of every protocol.
void see_data_origin(auto& see, auto& provenance) {
  see("score_kind", provenance.score_kind);
  see("class_names", provenance.class_names);
  see("fingerprint", provenance.fingerprint);
  see("joined_by", provenance.joined_by);
  see("classes_matched", provenance.classes_matched);
  see("notes", provenance.notes);
}

template <>
struct Fields<ProtocolRecord> {
  static void visit(auto& see, auto& protocol) {
    see("split", protocol.split);
    see("calibration_share", protocol.calibration_share);
    see("seeds", protocol.seeds);
    see("gauge", protocol.gauge);
    see.object("selection", [&](auto& selection) {
      selection("by", protocol.selected_by);
      selection.later("rule", protocol.selection_rule);
      selection("folds", protocol.folds);
      selection("rows", protocol.selection_rows);
    });
    see.object("metrics", [&](auto& metrics) {
      metrics("bins", protocol.bins);
      metrics("entropy_bins", protocol.entropy_bins);
      metrics("draws", protocol.draws);
      metrics("draw_seed", protocol.draw_seed);
    });
    see.object("bootstrap", [&](auto& bootstrap) {
      bootstrap("resamples", protocol.resamples);
      bootstrap("level", protocol.level);
      bootstrap("interval", protocol.interval);
      bootstrap("units", protocol.units);
      bootstrap("annotators_resampled", protocol.annotators_resampled);
      bootstrap("refits", protocol.refits);
      bootstrap("multiplicity", protocol.multiplicity);
    });
  }
};

template <>
struct Fields<Results> {
  static constexpr std::string_view kFormat = "credence-results";
  static void visit(auto& see, auto& results) {
    see_head(see, kFormat, results.provenance);
    see.object("answer", [&](auto& answer) {
      answer.later("verdict", results.verdict);
      answer("recommended", results.recommended);
      answer.later("candidate", results.candidate);
      answer("why", results.why);
      answer.later("keeps_predictions", results.keeper);
      answer.if_any("examples_needed", results.examples_needed);
      answer("words", results.words);
    });
    see("warnings", results.warnings);
    see.if_any("decisions", results.decisions);
    see.object("data", [&](auto& data) {
      data("calibration", results.calibration);
      data("evaluation", results.evaluation);
    });
    see.object("protocol", [&](auto& protocol) {
      Fields<ProtocolRecord>::visit(protocol, results.protocol);
      see_data_origin(protocol, results.provenance);
    });
    see("metrics", results.metrics);
    see("splits", results.splits);
    see("over_splits", results.over_splits);
  }
};

template <>
struct Fields<AblationMethodRecord> {
  static void visit(auto& see, auto& method) {
    see("method", method.method);
    see("temperature", method.temperature);
    see("metrics", method.metrics);
  }
};

template <>
struct Fields<AblationSettingRecord> {
  static void visit(auto& see, auto& result) {
    see("study", result.study);
    see("setting", result.setting);
    see("seed", result.seed);
    see("calibration_rows", result.calibration_rows);
    see("votes_per_example", result.votes_per_example);
    see("methods", result.methods);
  }
};

template <>
struct Fields<AblationRecord> {
  static constexpr std::string_view kFormat = "credence-ablation";
  static void visit(auto& see, auto& ablation) {
    see_head(see, kFormat, ablation.provenance);
    see("data", ablation.data);
    see.object("protocol", [&](auto& protocol) {
      protocol("seeds", ablation.seeds);
      protocol("calibration_share", ablation.calibration_share);
      protocol("split", ablation.split);
      protocol("gauge", ablation.gauge);
      protocol.object("metrics", [&](auto& metrics) {
        metrics("bins", ablation.bins);
        metrics("draws", ablation.draws);
        metrics("draw_seed", ablation.draw_seed);
      });
      see_data_origin(protocol, ablation.provenance);
    });
    see("metrics", ablation.metrics);
    see("results", ablation.results);
  }
};

}  // namespace credence::report
