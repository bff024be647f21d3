// Options of the library as Python classes, so that defaults stand in one place: the C++ structs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "credence/error.hpp"
#include "credence/map.hpp"

namespace credence::python {

namespace nb = nanobind;

std::string python_repr(nb::handle value);
Gauge read_gauge(const std::string& name);
std::string gauge_name(Gauge gauge);

/// The value as a T; an Error(usage) names the option, the value and what is wanted.
template <class T>
T read_number(const std::string& name, nb::handle value, const T& least, const T& most) {
  T number{};
  if (!nb::isinstance<nb::bool_>(value) && nb::try_cast<T>(value, number) && number >= least &&
      number <= most) {
    return number;
  }
  const auto in_words = [](const T& bound) { return python_repr(nb::cast(bound)); };
  throw Error(ErrorCode::usage, name + " is " + python_repr(value) + "; wanted a " +
                                    (std::is_integral_v<T> ? "whole number" : "number") + " from " +
                                    in_words(least) + " to " + in_words(most));
}

/// An attribute for a number with bounds.
template <class Struct, class T>
void def_number(nb::class_<Struct>& type, const char* name, T Struct::*field, T least, T most) {
  type.def_prop_rw(
      name, [field](const Struct& self) { return self.*field; },
      [field, name, least, most](Struct& self, const nb::object& value) {
        self.*field = read_number<T>(name, value, least, most);
      },
      nb::for_setter(nb::arg("value")));
}

/// An attribute for a list of numbers with bounds.
template <class Struct, class T>
void def_numbers(nb::class_<Struct>& type, const char* name, std::vector<T> Struct::*field, T least,
                 T most) {
  type.def_prop_rw(
      name, [field](const Struct& self) { return self.*field; },
      [field, name, least, most](Struct& self, const nb::iterable& values) {
        std::vector<T> numbers;
        for (const nb::handle value : values) {
          numbers.push_back(read_number<T>(name, value, least, most));
        }
        self.*field = std::move(numbers);
      });
}

}  // namespace credence::python
