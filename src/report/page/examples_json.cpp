// What the script draws from: numbers behind the figures, as JSON that is safe inside a script
// element.
#include <fmt/format.h>

#include "io/json/json_text.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

/// Four significant digits: more than a picture shows, and half the size.
std::string short_numbers(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values) {
    if (out.size() > 1) out += ',';
    std::string text = fmt::format("{:.4g}", value);
    if (text.starts_with("0.")) text.erase(0, 1);
    out += text.starts_with('.') ? "0" + text : text;
  }
  return out + "]";
}

std::string texts(const std::vector<std::string>& values) {
  return io::to_json_line(io::Json(values));
}

/// "<" would end the script element around it, or open a comment.
std::string without_markup(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string short_number(Maybe value) { return value ? fmt::format("{:.5g}", *value) : "null"; }

/// A bin as the script reads it: count, confidence, then agreement, its standard error and its
/// noise against annotators and against the majority label.
std::string bin_json(const BinRecord& bin) {
  const BinSpread spread = bin.spread.value_or(BinSpread{});
  std::string out = fmt::format("[{}", bin.count);
  for (const Maybe value :
       {bin.confidence, bin.agreement, spread.agreement_error, spread.agreement_noise, bin.accuracy,
        spread.accuracy_error, spread.accuracy_noise}) {
    out += "," + short_number(value);
  }
  return out + "]";
}

}  // namespace

std::string examples_json(const ExampleRecords& examples, bool counted, bool grouped) {
  std::string out = "{\"available\":" + std::to_string(examples.available);
  out += std::string(",\"counted\":") + (counted ? "true" : "false");
  if (grouped) out += ",\"grouped\":true";
  out += ",\"names\":" + texts(examples.names);
  out += ",\"votes\":" + short_numbers(examples.votes);
  out += ",\"voted\":" + texts(examples.voted);
  out += ",\"methods\":[";
  // Methods that predict the same classes share their agreement and what is correct.
  for (std::size_t j = 0; j < examples.methods.size(); ++j) {
    const ExampleRecords::Method& method = examples.methods[j];
    if (j > 0) out += ',';
    out += "\n{\"name\":" + io::to_json_line(io::Json(method.name));
    out += ",\"confidence\":" + short_numbers(method.confidence);
    std::size_t same = 0;
    while (same < j && (examples.methods[same].agreement != method.agreement ||
                        examples.methods[same].correct != method.correct)) {
      ++same;
    }
    if (same < j) {
      out += ",\"same\":" + std::to_string(same) + "}";
      continue;
    }
    out += ",\"agreement\":" + short_numbers(method.agreement) + ",\"correct\":\"";
    for (const bool hit : method.correct) out += hit ? '1' : '0';
    out += "\"}";
  }
  out += "]}";
  return without_markup(out);
}

std::string bins_json(const Results& results) {
  std::string out = "[";
  for (const MethodRecord& method : results.first().methods) {
    if (out.size() > 1) out += ",\n";
    const auto note = [&](const char* metric) {
      return io::to_json_line(io::Json(note_text(metric, method.metric(metric))));
    };
    out += "{\"name\":" + io::to_json_line(io::Json(method.name));
    out += ",\"annotators\":" + note("ece_expected") + ",\"vote\":" + note("ece_voted");
    out += ",\"bins\":[";
    for (std::size_t b = 0; b < method.reliability.size(); ++b) {
      out += (b > 0 ? "," : "") + bin_json(method.reliability[b]);
    }
    out += "]}";
  }
  return without_markup(out + "]");
}

}  // namespace credence::report
