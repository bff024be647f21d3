// Options of the library as Python classes, so that defaults stand in one place: the C++ structs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "credence/error.hpp"
#include "credence/map.hpp"
#include "credence/options.hpp"

namespace credence::python {

namespace nb = nanobind;

std::string python_repr(nb::handle value);
Gauge read_gauge(const std::string& name);
std::string gauge_name(Gauge gauge);

template <class T>
T least_of(const Values& values) {
  return static_cast<T>(values.kind == Values::Kind::real ? values.low
                                                          : static_cast<double>(values.least));
}
/// Not above what a T can hold.
template <class T>
T most_of(const Values& values) {
  if (values.kind == Values::Kind::real) return static_cast<T>(values.high);
  return static_cast<T>(
      std::min(values.most, static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
}

/// The value as a T; an Error(usage) names the keyword, the value and what is wanted.
template <class T>
T read_number(Option option, nb::handle value) {
  const Values& values = info(option).values;
  T number{};
  if (!nb::isinstance<nb::bool_>(value) && nb::try_cast<T>(value, number) &&
      number >= least_of<T>(values) && number <= most_of<T>(values)) {
    return number;
  }
  throw Error(ErrorCode::usage, std::string(info(option).python) + " is " + python_repr(value) +
                                    "; wanted " + accepted_values(option));
}

/// An attribute for a number that the table of options bounds.
template <class Struct, class T>
void def_number(nb::class_<Struct>& type, const char* name, T Struct::*field, Option option) {
  type.def_prop_rw(
      name, [field](const Struct& self) { return self.*field; },
      [field, option](Struct& self, const nb::object& value) {
        self.*field = read_number<T>(option, value);
      },
      nb::for_setter(nb::arg("value")));
}

/// An attribute for a list of such numbers.
template <class Struct, class T>
void def_numbers(nb::class_<Struct>& type, const char* name, std::vector<T> Struct::*field,
                 Option option) {
  type.def_prop_rw(
      name, [field](const Struct& self) { return self.*field; },
      [field, option](Struct& self, const nb::iterable& values) {
        std::vector<T> numbers;
        for (const nb::handle value : values) numbers.push_back(read_number<T>(option, value));
        self.*field = std::move(numbers);
      });
}

}  // namespace credence::python
