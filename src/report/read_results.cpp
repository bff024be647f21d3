#include "report/read_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "credence/error.hpp"
#include "io/json/json_node.hpp"
#include "report/provenance.hpp"

namespace credence::report {
namespace {

using io::Json;
using io::JsonNode;

constexpr std::string_view kComparison = "credence-results", kAblation = "credence-ablation";
constexpr std::string_view kWriter =
    "results.json is written by 'credence compare -o' and 'credence ablate -o'";

std::size_t count(const JsonNode& node) {
  return static_cast<std::size_t>(node.integer(0, std::numeric_limits<std::uint64_t>::max()));
}

Maybe maybe(const JsonNode& node) { return node.is_null() ? Maybe() : Maybe(node.number()); }

Maybe maybe(const JsonNode& parent, std::string_view key) {
  return parent.has(key) ? maybe(parent[key]) : Maybe();
}

bool boolean(const JsonNode& node) {
  if (!node.value().is_boolean()) node.fail("expected true or false");
  return node.value().get<bool>();
}

std::string text_or_empty(const JsonNode& node) {
  return node.is_null() ? std::string() : node.string();
}

template <class Read>
auto each(const JsonNode& node, Read read) {
  std::vector<decltype(read(node))> all;
  const std::size_t size = node.array_size();
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i) all.push_back(read(node[i]));
  return all;
}

/// Calls read(key, member) for the members of an object.
template <class Read>
void each_member(const JsonNode& node, Read read) {
  if (!node.value().is_object()) node.fail("expected an object");
  for (const auto& item : node.value().items()) read(item.key(), node[item.key()]);
}

std::vector<std::string> strings(const JsonNode& node) {
  return each(node, [](const JsonNode& one) { return one.string(); });
}
std::vector<double> numbers(const JsonNode& node) { return node.numbers(node.array_size()); }
std::vector<std::size_t> counts(const JsonNode& node) { return each(node, count); }

Direction direction(const JsonNode& node) {
  for (const Direction one : {Direction::lower, Direction::higher, Direction::neither}) {
    if (node.string() == to_string(one)) return one;
  }
  node.fail("expected lower, higher or neither");
}

ReadMetric metric(const JsonNode& node) {
  return {.name = node["name"].string(),
          .meaning = node["meaning"].string(),
          .definition = node["definition"].string(),
          .needs = node["needs"].string(),
          .why_no_interval = node.has("why_no_interval") ? node["why_no_interval"].string() : "",
          .better = direction(node["better"])};
}

ReadEstimates estimates(const JsonNode& node) {
  ReadEstimates all;
  each_member(node, [&](const std::string& name, const JsonNode& one) {
    all[name] = {maybe(one["value"]), maybe(one["standard_error"]), maybe(one["low"]),
                 maybe(one["high"])};
  });
  return all;
}

ReadBin bin(const JsonNode& node) {
  return {.from = node["from"].number(),
          .to = node["to"].number(),
          .count = count(node["count"]),
          .confidence = maybe(node["confidence"]),
          .agreement = maybe(node["agreement"]),
          .accuracy = maybe(node["accuracy"]),
          .agreement_error = maybe(node, "agreement_standard_error"),
          .accuracy_error = maybe(node, "accuracy_standard_error"),
          .agreement_noise = maybe(node, "agreement_noise"),
          .accuracy_noise = maybe(node, "accuracy_noise")};
}

ReadEntropyBin entropy_bin(const JsonNode& node) {
  return {count(node["count"]), node["entropy"].number(), node["error"].number(),
          maybe(node["standard_error"])};
}

ReadMapBin map_bin(const JsonNode& node) {
  return {node["before"].number(), node["after"].number(), node["low"].number(),
          node["high"].number()};
}

ReadDensity density(const JsonNode& node) {
  ReadDensity grid{count(node["columns"]), count(node["rows"]), {}};
  if (grid.columns > 1000 || grid.rows > 1000) node.fail("expected at most 1000 columns and rows");
  grid.counts = node["counts"].numbers(grid.columns * grid.rows);
  return grid;
}

ReadStage stage(const JsonNode& node) {
  return {node["target"].string(), node["map"].string(), node["stop"].string(),
          strings(node["notes"])};
}

ReadMethod method(const JsonNode& node) {
  ReadMethod m;
  m.name = node["name"].string();
  m.recommended = boolean(node["recommended"]);
  m.oracle = boolean(node["oracle"]);
  m.temperature = maybe(node["temperature"]);
  m.parameters = count(node["parameters"]);
  m.stages = each(node["stages"], stage);
  const JsonNode held_out = node["cross_validation"];
  m.cross_validated = maybe(held_out["nll"]);
  m.cross_validation_error = maybe(held_out["standard_error"]);
  m.cross_validation_problem = text_or_empty(held_out["problem"]);
  m.metrics = estimates(node["metrics"]);
  each_member(node["differences"], [&](const std::string& reference, const JsonNode& one) {
    m.differences[reference] = estimates(one);
  });
  m.changed_predictions = maybe(node["changed_predictions"]);
  m.infinite_nll_rows = count(node["infinite_nll_rows"]);
  m.reliability = each(node["reliability"], bin);
  m.by_entropy = each(node["pointwise_by_entropy"], entropy_bin);
  if (node.has("confidence_map")) m.confidence_map = each(node["confidence_map"], map_bin);
  if (node.has("error_density")) m.density = density(node["error_density"]);
  return m;
}

ReadSplit split(const JsonNode& node) {
  ReadSplit s;
  s.seed = count(node["seed"]);
  if (!node["calibration_rows"].is_null()) s.calibration_rows = count(node["calibration_rows"]);
  s.evaluation_rows = count(node["evaluation_rows"]);
  s.resampled_units = count(node["resampled_units"]);
  s.recommended = node["recommended"].string();
  s.why = node["why"].string();
  s.references = strings(node["references"]);
  s.methods = each(node["methods"], method);
  if (s.find(s.recommended) == nullptr) {
    node["recommended"].fail(fmt::format("'{}' is not among the methods", s.recommended));
  }
  return s;
}

/// The histograms came later than the rest; files without them are read all the same.
void votes(const JsonNode& node, ReadAnnotations& a) {
  if (!node.has("entropy_histogram")) return;
  a.entropy_histogram = numbers(node["entropy_histogram"]);
  a.votes_histogram = each(node["votes_histogram"], [](const JsonNode& pair) {
    if (pair.array_size() != 2) pair.fail("expected votes and examples");
    return std::pair(pair[0].number(), count(pair[1]));
  });
  a.annotator_shares = node["class_shares"]["annotators"].numbers(a.classes);
  a.voted_shares = node["class_shares"]["voted"].numbers(a.classes);
  if (!node.has("confusion")) return;
  a.confusion_rows = counts(node["confusion"]["rows"]);
  const JsonNode shares = node["confusion"]["shares"];
  if (a.confusion_rows.size() != a.classes || shares.array_size() != a.classes) {
    node["confusion"].fail(fmt::format("expected {} rows, one per class", a.classes));
  }
  for (std::size_t k = 0; k < a.classes; ++k) {
    const std::vector<double> row = shares[k].numbers(a.classes);
    a.confusion.insert(a.confusion.end(), row.begin(), row.end());
  }
}

ReadAnnotations annotations(const JsonNode& node) {
  ReadAnnotations a;
  a.rows = count(node["rows"]);
  a.classes = count(node["classes"]);
  if (!node["groups"].is_null()) a.groups = count(node["groups"]);
  a.evidence = node["evidence"].string();
  a.shares = boolean(node["shares"]);
  a.votes_per_example = node["votes_per_example"].number();
  a.fewest_votes = node["fewest_votes"].number();
  a.most_votes = node["most_votes"].number();
  a.repeated_rows = count(node["rows_with_two_votes_or_more"]);
  a.ties = count(node["ties"]);
  a.entropy = node["mean_normalised_entropy"].number();
  a.pairwise = maybe(node["pairwise_agreement"]);
  a.alpha = maybe(node["krippendorff_alpha"]);
  votes(node, a);
  return a;
}

ReadProtocol protocol(const JsonNode& node) {
  ReadProtocol p;
  p.split = node["split"].string();
  p.calibration_share = maybe(node["calibration_share"]);
  p.seeds = each(node["seeds"], [](const JsonNode& one) { return std::uint64_t{count(one)}; });
  p.gauge = node["gauge"].string();
  p.folds = count(node["selection"]["folds"]);
  const JsonNode metrics = node["metrics"], bootstrap = node["bootstrap"];
  p.bins = count(metrics["bins"]);
  p.entropy_bins = count(metrics["entropy_bins"]);
  p.draws = count(metrics["draws"]);
  p.draw_seed = count(metrics["draw_seed"]);
  p.resamples = count(bootstrap["resamples"]);
  p.level = bootstrap["level"].number();
  p.interval = bootstrap["interval"].string();
  p.units = bootstrap["units"].string();
  p.annotators_resampled = boolean(bootstrap["annotators_resampled"]);
  p.refits = count(bootstrap["refits"]);
  p.multiplicity = bootstrap["multiplicity"].string();
  p.score_kind = node["score_kind"].string();
  p.class_names = strings(node["class_names"]);
  p.fingerprint = node["fingerprint"].string();
  p.joined_by = node["joined_by"].string();
  p.classes_matched = node["classes_matched"].string();
  p.notes = strings(node["notes"]);
  return p;
}

ReadSpread spread(const JsonNode& node) {
  ReadSpread s{node["name"].string(), count(node["times_recommended"]), {}};
  each_member(node["metrics"], [&](const std::string& name, const JsonNode& one) {
    s.metrics[name] = {maybe(one["mean"]), maybe(one["deviation"]), count(one["splits"])};
  });
  return s;
}

void check_head(const JsonNode& root, std::string_view format) {
  if (!root.has("format") || root["format"].string() != format) {
    root.fail(fmt::format("not a file of format '{}'", format),
              "give results.json of 'credence compare -o DIR', or the folder that holds it");
  }
  const std::size_t version = count(root["version"]);
  if (version > kFormatVersion) {
    root["version"].fail(fmt::format("version {} is newer than this program, which reads {}",
                                     version, kFormatVersion),
                         "use the program that wrote it, or a newer one");
  }
}

/// Messages of a results file are about its form, not about a calibrator.
template <class Read>
auto as_format_error(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::model) throw;
    throw Error(ErrorCode::format, error.what(), error.hint());
  }
}

}  // namespace

std::string results_format(std::string_view text, const std::string& origin) {
  return as_format_error([&] {
    const Json document = io::parse_json(text, origin, kWriter);
    const JsonNode root(document, origin);
    if (root.has("format") && root["format"].value().is_string()) {
      const std::string format = root["format"].string();
      if (format == kComparison || format == kAblation) return format;
    }
    root.fail("not a results file of 'credence compare' or 'credence ablate'",
              "give results.json, or the folder that holds it");
  });
}

Results parse_results(std::string_view text, const std::string& origin) {
  return as_format_error([&] {
    const Json document = io::parse_json(text, origin, kWriter);
    const JsonNode root(document, origin);
    check_head(root, kComparison);
    Results r;
    r.origin = origin;
    r.program = root["program"].string();
    r.command = strings(root["command"]);
    r.recommended = root["answer"]["recommended"].string();
    r.why = root["answer"]["why"].string();
    r.words = strings(root["answer"]["words"]);
    r.warnings = strings(root["warnings"]);
    r.calibration = annotations(root["data"]["calibration"]);
    r.evaluation = annotations(root["data"]["evaluation"]);
    r.protocol = protocol(root["protocol"]);
    r.metrics = each(root["metrics"], metric);
    r.splits = each(root["splits"], split);
    if (r.splits.empty()) root["splits"].fail("expected one split or more");
    r.over_splits = each(root["over_splits"], spread);
    if (r.first().find(r.recommended) == nullptr) {
      root["answer"].fail(fmt::format("'{}' is not among the methods", r.recommended));
    }
    const std::size_t named = r.protocol.class_names.size();
    if (named != 0 && named != r.evaluation.classes) {
      root["protocol"]["class_names"].fail(
          fmt::format("expected {} names, found {}", r.evaluation.classes, named));
    }
    return r;
  });
}

ReadAblation parse_ablation(std::string_view text, const std::string& origin) {
  return as_format_error([&] {
    const Json document = io::parse_json(text, origin, kWriter);
    const JsonNode root(document, origin);
    check_head(root, kAblation);
    ReadAblation ablation{origin, strings(root["command"]), {}};
    const JsonNode all = root["results"];
    for (std::size_t i = 0; i < all.array_size(); ++i) {
      const JsonNode methods = all[i]["methods"];
      for (std::size_t j = 0; j < methods.array_size(); ++j) {
        ReadAblationPoint point{.study = all[i]["study"].string(),
                                .method = methods[j]["method"].string(),
                                .setting = all[i]["setting"].number(),
                                .calibration_rows = count(all[i]["calibration_rows"]),
                                .temperature = maybe(methods[j]["temperature"]),
                                .metrics = {}};
        each_member(methods[j]["metrics"], [&](const std::string& name, const JsonNode& value) {
          point.metrics[name] = maybe(value);
        });
        ablation.points.push_back(std::move(point));
      }
    }
    return ablation;
  });
}

ReadEstimate ReadMethod::metric(std::string_view metric_name) const {
  const auto found = metrics.find(metric_name);
  return found == metrics.end() ? ReadEstimate{} : found->second;
}

const ReadMethod* ReadSplit::find(std::string_view name) const {
  const auto found = std::ranges::find(methods, name, &ReadMethod::name);
  return found == methods.end() ? nullptr : &*found;
}

const ReadMethod& Results::chosen() const { return *first().find(recommended); }

const ReadMetric* Results::metric(std::string_view name) const {
  const auto found = std::ranges::find(metrics, name, &ReadMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::string Results::class_name(std::size_t k) const {
  return protocol.class_names.empty() ? std::to_string(k) : protocol.class_names[k];
}

std::vector<std::string> Results::class_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < evaluation.classes; ++k) names.push_back(class_name(k));
  return names;
}

const ReadMethod* best(const ReadSplit& split, const ReadMetric& metric) {
  const ReadMethod* winner = nullptr;
  if (metric.better == Direction::neither) return nullptr;
  for (const ReadMethod& one : split.methods) {
    const Maybe value = one.metric(metric.name).value;
    if (one.oracle || !value) continue;
    const Maybe leading = winner != nullptr ? winner->metric(metric.name).value : Maybe();
    const bool better =
        !leading || (metric.better == Direction::lower ? *value < *leading : *value > *leading);
    if (better) winner = &one;
  }
  return winner;
}

bool among_best(const ReadSplit& split, const ReadMethod& one, const ReadMetric& metric) {
  const ReadMethod* winner = best(split, metric);
  const Maybe value = one.metric(metric.name).value;
  if (winner == nullptr || one.oracle || !value) return false;
  if (value == winner->metric(metric.name).value) return true;
  const auto against = one.differences.find(winner->name);
  if (against == one.differences.end()) return false;
  const auto gap = against->second.find(metric.name);
  if (gap == against->second.end()) return false;
  const ReadEstimate& e = gap->second;
  return e.low && e.high && *e.low <= 0.0 && *e.high >= 0.0;
}

}  // namespace credence::report
