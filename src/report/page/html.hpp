// HTML that cannot be written unescaped or unbalanced by accident.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace credence::report {

/// For text and for attribute values in double quotes. Characters that HTML does not allow become
/// U+FFFD.
std::string html_escaped(std::string_view text);

/// A file name and an id at once: letters, digits and '-'; different texts may give the same.
std::string plain_id(std::string_view text);

class Html {
 public:
  struct Attribute {
    std::string_view name;
    std::string value;
  };
  using Attributes = std::initializer_list<Attribute>;

  Html& open(std::string_view tag, Attributes attributes = {});
  /// Closes the innermost element.
  Html& close();
  Html& text(std::string_view text);
  /// An element with text in it.
  Html& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// An element without an end, such as <input>.
  Html& single(std::string_view tag, Attributes attributes = {});
  /// A name of the user's, kept from reordering the text around it.
  Html& name(std::string_view text) { return element("bdi", text); }
  /// Markup as it is: figures.
  Html& raw(std::string_view markup);

  /// Everything; every element has been closed.
  std::string finish();

 private:
  void start(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace credence::report
