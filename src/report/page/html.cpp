#include "report/page/html.hpp"

#include <cassert>
#include <cctype>

namespace credence::report {

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
          out += "\xEF\xBF\xBD";
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string plain_id(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 && (c & 0x80) == 0;
    if (plain) {
      out += c;
    } else if (out.empty() || out.back() != '-') {
      out += '-';
    }
  }
  return out.substr(0, 40);
}

void Html::start(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name;
    // An attribute without a value is a switch.
    if (!attribute.value.empty()) out_ += "=\"" + html_escaped(attribute.value) + '"';
  }
  out_ += '>';
}

Html& Html::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  open_.emplace_back(tag);
  return *this;
}

Html& Html::close() {
  assert(!open_.empty());
  out_ += "</" + open_.back() + ">";
  // Line breaks where they change nothing that is seen.
  for (const char* block : {"p", "div", "section", "tr", "table", "ul", "li", "figure", "dl", "dd",
                            "details", "header", "fieldset", "thead", "tbody"}) {
    if (open_.back() == block) out_ += '\n';
  }
  open_.pop_back();
  return *this;
}

Html& Html::text(std::string_view text) {
  out_ += html_escaped(text);
  return *this;
}

Html& Html::element(std::string_view tag, std::string_view text, Attributes attributes) {
  open(tag, attributes);
  out_ += html_escaped(text);
  return close();
}

Html& Html::single(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  return *this;
}

Html& Html::raw(std::string_view markup) {
  out_ += markup;
  return *this;
}

std::string Html::finish() {
  assert(open_.empty());
  return std::move(out_);
}

}  // namespace credence::report
