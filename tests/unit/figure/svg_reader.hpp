// A reader of the SVG that figures write, strict enough to be a check: it refuses what is not
// well-formed XML.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence::figure {

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::size_t depth = 0;
  bool has(const std::string& key) const { return attributes.contains(key); }
  double number(const std::string& key) const { return std::stod(attributes.at(key)); }
  bool of_class(const std::string& wanted) const {
    if (!has("class")) return false;
    return (" " + attributes.at("class") + " ").find(" " + wanted + " ") != std::string::npos;
  }
};

namespace reader {

inline std::string unescaped(const std::string& raw) {
  static const std::map<std::string, std::string> kEntities{
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
  std::string out;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '<' || raw[at] == '>') throw std::runtime_error("a raw bracket in: " + raw);
    if (raw[at] != '&') {
      out += raw[at];
      continue;
    }
    const std::size_t end = raw.find(';', at);
    const auto entity = kEntities.find(raw.substr(at, end - at + 1));
    if (entity == kEntities.end()) throw std::runtime_error("a raw & in: " + raw);
    out += entity->second;
    at = end;
  }
  return out;
}

inline std::map<std::string, std::string> attributes_of(const std::string& inside) {
  std::map<std::string, std::string> out;
  std::size_t at = inside.find_first_of(" \n");
  while (at != std::string::npos && at < inside.size()) {
    while (at < inside.size() && std::isspace(static_cast<unsigned char>(inside[at]))) ++at;
    if (at >= inside.size()) break;
    const std::size_t equals = inside.find("=\"", at);
    if (equals == std::string::npos)
      throw std::runtime_error("an attribute without value: " + inside);
    const std::size_t end = inside.find('"', equals + 2);
    if (end == std::string::npos) throw std::runtime_error("an open quote: " + inside);
    const std::string key = inside.substr(at, equals - at);
    if (!out.emplace(key, unescaped(inside.substr(equals + 2, end - equals - 2))).second) {
      throw std::runtime_error("the same attribute twice: " + inside);
    }
    at = end + 1;
  }
  return out;
}

}  // namespace reader

/// Every element in the order of the text; throws where it is not well-formed.
inline std::vector<Element> read_svg(std::string svg) {
  // Style sheets hold no markup and selectors may hold '>'.
  if (const std::size_t from = svg.find("<style>"); from != std::string::npos) {
    const std::size_t to = svg.find("</style>");
    if (svg.substr(from + 7, to - from - 7).find('<') != std::string::npos) {
      throw std::runtime_error("markup in the style sheet");
    }
    svg.erase(from, to + 8 - from);
  }
  std::vector<Element> elements;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < svg.size();) {
    if (svg[at] != '<') {
      const std::size_t end = std::min(svg.find('<', at), svg.size());
      const std::string text = reader::unescaped(svg.substr(at, end - at));
      if (!open.empty()) elements[open.back()].text += text;
      at = end;
      continue;
    }
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) throw std::runtime_error("an open tag");
    std::string inside = svg.substr(at + 1, end - at - 1);
    at = end + 1;
    if (inside[0] == '/') {
      if (open.empty() || elements[open.back()].name != inside.substr(1)) {
        throw std::runtime_error("</" + inside.substr(1) + "> closes nothing");
      }
      open.pop_back();
      continue;
    }
    const bool closed = inside.back() == '/';
    if (closed) inside.pop_back();
    Element element;
    element.name = inside.substr(0, inside.find_first_of(" \n"));
    element.attributes = reader::attributes_of(inside);
    element.depth = open.size();
    elements.push_back(std::move(element));
    if (!closed) open.push_back(elements.size() - 1);
  }
  if (!open.empty()) throw std::runtime_error(elements[open.back()].name + " stays open");
  return elements;
}

}  // namespace credence::figure
