// results.json: every number with its definition, protocol and interval.
#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "report/read_results.hpp"
#include "report/record_fields.hpp"

namespace credence::report {
namespace {

constexpr std::string_view kWriter =
    "results.json is written by ‹compare()› and ‹ablate()› with ‹results_folder=DIR›";

/// Calls read(root). Messages of a results file are about its form, not about a calibrator.
template <class Read>
auto from_text(std::string_view text, const std::string& origin, Read read) {
  try {
    const io::Json document = io::parse_json(text, origin, kWriter);
    return read(io::JsonNode(document, origin));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::model) throw;
    throw Error(ErrorCode::format, error.what(), error.hint());
  }
}

template <class Record>
Record read_record(const io::JsonNode& root, const std::string& origin) {
  Record record;
  RecordReader reader(root);
  Fields<Record>::visit(reader, record);
  record.origin = origin;
  return record;
}

/// What a page relies on: there is a split, and the methods it recommends are there.
void check_answer(const Results& results, const io::JsonNode& root) {
  if (results.splits.empty()) root["splits"].fail("expected one split or more");
  for (std::size_t i = 0; i < results.splits.size(); ++i) {
    const SplitRecord& split = results.splits[i];
    if (split.find(split.recommended) != nullptr) continue;
    root["splits"][i]["recommended"].fail(
        fmt::format("'{}' is not among the methods", split.recommended));
  }
  // Older files name no candidate.
  const std::string& candidate =
      results.candidate.empty() ? results.recommended : results.candidate;
  for (const std::string& name : {results.recommended, candidate}) {
    if (results.first().find(name) != nullptr) continue;
    root["answer"].fail(fmt::format("'{}' is not among the methods", name));
  }
  if (!results.decisions) return;
  for (const RecallChange& recall : results.decisions->recalls) {
    if (recall.label < results.evaluation.classes) continue;
    root["decisions"]["recall"].fail(fmt::format("there is no class {}", recall.label));
  }
}

void check_class_names(const Results& results, const io::JsonNode& root) {
  const std::size_t named = results.provenance.class_names.size();
  if (named == 0 || named == results.evaluation.classes) return;
  root["protocol"]["class_names"].fail(
      fmt::format("expected {} names, found {}", results.evaluation.classes, named));
}

}  // namespace

std::string results_json(const Results& results, int threads) {
  return io::to_json_text(RecordWriter::to_json(results, core::resolve_threads(threads)), threads);
}

std::string ablation_json(const AblationRecord& ablation) {
  return io::to_json_text(RecordWriter::to_json(ablation));
}

std::string results_format(std::string_view text, const std::string& origin) {
  return from_text(text, origin, [](const io::JsonNode& root) {
    if (root.has("format") && root["format"].value().is_string()) {
      const std::string format = root["format"].string();
      if (format == Fields<Results>::kFormat || format == Fields<AblationRecord>::kFormat) {
        return format;
      }
    }
    root.fail("not a results file of ‹compare()› or ‹ablate()›",
              "give results.json, or the folder that holds it");
  });
}

Results parse_results(std::string_view text, const std::string& origin) {
  return from_text(text, origin, [&](const io::JsonNode& root) {
    Results results = read_record<Results>(root, origin);
    check_answer(results, root);
    check_class_names(results, root);
    return results;
  });
}

AblationRecord parse_ablation(std::string_view text, const std::string& origin) {
  return from_text(text, origin, [&](const io::JsonNode& root) {
    return read_record<AblationRecord>(root, origin);
  });
}

}  // namespace credence::report
