#include "report/record_json.hpp"

namespace credence::report {

void RecordReader::head(std::string_view format) {
  if (!node_.has("format") || node_["format"].string() != format) {
    node_.fail(fmt::format("not a file of format '{}'", format),
               "give the results.json that ‹compare()› wrote, or the folder that holds it");
  }
  std::size_t version = 0;
  (*this)("version", version);
  if (version > kFormatVersion) {
    node_["version"].fail(fmt::format("version {} is newer than this program, which reads {}",
                                      version, kFormatVersion),
                          "use the program that wrote it, or a newer one");
  }
}

void RecordReader::read(const io::JsonNode& node, bool& value) {
  if (!node.value().is_boolean()) node.fail("expected true or false");
  value = node.value().get<bool>();
}

void RecordReader::read(const io::JsonNode& node, Direction& better) {
  for (const Direction one : {Direction::lower, Direction::higher, Direction::neither}) {
    if (node.string() != to_string(one)) continue;
    better = one;
    return;
  }
  node.fail("expected lower, higher or neither");
}

void RecordReader::read(const io::JsonNode& node, Stop& stop) {
  const std::string text = node.string();
  for (const Stop one : kStops) {
    // Earlier versions wrote what people read.
    if (text != to_string(one) && text != in_words(one)) continue;
    stop = one;
    return;
  }
  node.fail(fmt::format("'{}' is not a way in which a fit ends", text));
}

void RecordReader::read(const io::JsonNode& node, Verdict& verdict) {
  for (const Verdict one : kVerdicts) {
    if (node.string() != to_string(one)) continue;
    verdict = one;
    return;
  }
  node.fail("expected ship, keep or too-few");
}

void RecordReader::read(const io::JsonNode& node, std::pair<double, std::size_t>& pair) {
  if (node.array_size() != 2) node.fail("expected votes and examples");
  read(node[0], pair.first);
  read(node[1], pair.second);
}

}  // namespace credence::report
