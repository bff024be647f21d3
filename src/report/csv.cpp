#include "report/csv.hpp"

#include <cmath>

#include "io/json_text.hpp"

namespace credence::report {

std::string csv_text(std::string_view text) {
  std::string out;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    out += '\'';
  }
  out += text;
  if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? io::json_number(*value) : std::string();
}

}  // namespace credence::report
