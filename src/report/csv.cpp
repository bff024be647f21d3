#include "report/csv.hpp"

#include <cmath>

#include "credence/text.hpp"
#include "io/json/json_text.hpp"

namespace credence::report {

std::string csv_text(std::string_view text) {
  std::string out;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    out += '\'';
  }
  return csv_quoted(out += text);
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? io::json_number(*value) : std::string();
}

}  // namespace credence::report
