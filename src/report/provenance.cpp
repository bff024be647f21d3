#include "report/provenance.hpp"

#include <cmath>
#include <utility>

namespace credence::report {

Provenance provenance_of(const io::LoadedDataset& loaded, ScoreKind kind,
                         std::vector<std::string> command) {
  return {.program = std::string("credence ") + CREDENCE_VERSION,
          .command = std::move(command),
          .score_kind = std::string(to_string(kind)),
          .joined_by = loaded.join.joined_by,
          .classes_matched = loaded.join.classes_matched,
          .fingerprint = loaded.data.fingerprint(),
          .class_names = loaded.data.classes,
          .notes = loaded.join.notes};
}

io::Json number_json(double value) { return std::isfinite(value) ? io::Json(value) : io::Json(); }

io::Json number_json(std::optional<double> value) {
  return value ? number_json(*value) : io::Json();
}

io::Json document_head(std::string_view format, const Provenance& provenance) {
  return {{"format", format},
          {"version", kFormatVersion},
          {"program", provenance.program},
          {"command", provenance.command}};
}

void add_origin(io::Json& protocol, const Provenance& provenance) {
  protocol["score_kind"] = provenance.score_kind;
  protocol["class_names"] = provenance.class_names;
  protocol["fingerprint"] = provenance.fingerprint;
  protocol["joined_by"] = provenance.joined_by;
  protocol["classes_matched"] = provenance.classes_matched;
  protocol["notes"] = provenance.notes;
}

io::Json metric_definitions() {
  io::Json all = io::Json::array();
  for (const Metric& metric : metric_table()) {
    io::Json row{{"name", metric.name},
                 {"better", to_string(metric.better)},
                 {"needs", to_string(metric.needs)},
                 {"meaning", metric.meaning},
                 {"definition", metric.definition}};
    if (!metric.interval) row["why_no_interval"] = metric.why_no_interval;
    all.push_back(std::move(row));
  }
  return all;
}

io::Json annotations_json(const AnnotationSummary& a) {
  return {{"rows", a.rows},
          {"classes", a.classes},
          {"groups", a.groups == 0 ? io::Json() : io::Json(a.groups)},
          {"evidence", to_string(a.evidence)},
          {"shares", a.shares},
          {"votes_per_example", a.votes_per_example},
          {"fewest_votes", a.fewest_votes},
          {"most_votes", a.most_votes},
          {"rows_with_two_votes_or_more", a.repeated_rows},
          {"ties", a.ties},
          {"mean_normalised_entropy", a.mean_entropy},
          {"pairwise_agreement", number_json(a.agreement.pairwise)},
          {"krippendorff_alpha", number_json(a.agreement.krippendorff_alpha)}};
}

}  // namespace credence::report
